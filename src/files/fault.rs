//! Faults in the files: what is wrong, where, and what to write instead.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::model::Place;
use super::render;

/// The two kinds of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The file is wrong.
    Wrong,
    /// The file is right, and this version cannot do what it says.
    NotSupportedYet,
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Wrong, or not supported yet.
    pub kind: FaultKind,
    /// Where it stands.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub cure: String,
    /// The bytes of the file that are meant.
    pub span: Range<usize>,
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Fault", 6)?;
        out.serialize_field("file", &self.place.file.to_string_lossy())?;
        out.serialize_field("line", &self.place.line)?;
        out.serialize_field("column", &self.place.column)?;
        out.serialize_field("kind", &self.kind)?;
        out.serialize_field("message", &self.message)?;
        out.serialize_field("cure", &self.cure)?;
        out.end()
    }
}

/// All faults of all files, by file and line.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    faults: Vec<Fault>,
    texts: BTreeMap<PathBuf, Arc<str>>,
}

impl Faults {
    /// Sorts them, and leaves out what was found twice: steps that two tasks share are looked at for each.
    pub(super) fn new(mut faults: Vec<Fault>, texts: BTreeMap<PathBuf, Arc<str>>) -> Self {
        for fault in &mut faults {
            if let Some(text) = texts.get(&fault.place.file) {
                render::hide_secret(fault, text);
            }
        }
        let key = |fault: &Fault| (fault.place.file.clone(), fault.place.line, fault.place.column);
        faults.sort_by(|left, right| key(left).cmp(&key(right)).then_with(|| left.message.cmp(&right.message)));
        faults.dedup_by(|left, right| left.place == right.place && left.message == right.message);
        Faults { faults, texts }
    }

    /// The faults.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.faults.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.faults.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// For people: each with its lines of the file and the cure below.
    pub fn render(&self, color: bool) -> String {
        render::render(&self.faults, &self.texts, color)
    }
}

impl<'f> IntoIterator for &'f Faults {
    type Item = &'f Fault;
    type IntoIter = std::slice::Iter<'f, Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Serialize for Faults {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.faults.serialize(serializer)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.render(false))
    }
}

impl std::error::Error for Faults {}
