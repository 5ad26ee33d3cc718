//! One file while it is checked: its text, and the faults found in it.

use std::cell::RefCell;
use std::fs;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::condition::Problem;
use super::fault::{Fault, FaultKind};
use super::model::Place;
use super::yaml::Node;

/// The largest file that is looked at; a long task file has 5 KB.
const LARGEST: u64 = 1 << 20;

/// After so many faults in one file the rest is noise.
const MOST_FAULTS: usize = 100;

/// A file, and its faults.
#[derive(Debug)]
pub(super) struct File {
    /// Relative to the project's root.
    pub path: PathBuf,
    /// What it says; empty when it could not be read.
    pub text: Arc<str>,
    line_starts: Vec<usize>,
    faults: RefCell<Vec<Fault>>,
}

impl File {
    /// Reads a file. What hinders that is its first fault.
    pub fn read(root: &Path, path: &Path) -> File {
        match read_text(&root.join(path)) {
            Ok(text) => File::of(path, &text),
            Err((message, cure)) => {
                let file = File::of(path, "");
                file.wrong(0..0, message, cure);
                file
            }
        }
    }

    /// A file with this text.
    pub fn of(path: &Path, text: &str) -> File {
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        File { path: path.to_owned(), text: text.into(), line_starts, faults: RefCell::new(Vec::new()) }
    }

    /// The file and its faults apart.
    pub fn into_faults(self) -> (PathBuf, Arc<str>, Vec<Fault>) {
        (self.path, self.text, self.faults.into_inner())
    }

    /// True when nothing was found yet.
    pub fn is_sound(&self) -> bool {
        self.faults.borrow().is_empty()
    }

    /// Something is wrong here.
    pub fn wrong(&self, span: Range<usize>, message: impl Into<String>, cure: impl Into<String>) {
        self.add(FaultKind::Wrong, span, message.into(), cure.into());
    }

    /// Good grammar that cannot run yet. `thing` is what is written, such as `period: week`.
    pub fn not_supported(&self, span: Range<usize>, thing: &str) {
        let message = format!("not supported yet: `{thing}`");
        self.add(FaultKind::NotSupportedYet, span, message, "leave it out until a later version can do it".to_owned());
    }

    /// A problem inside a text, at its own place where that can be told.
    pub fn problem(&self, node: &Node, problem: Problem) {
        self.wrong(self.inside(node, problem.span), problem.message, problem.cure);
    }

    /// Line and column of a byte.
    pub fn place(&self, at: usize) -> Place {
        let line = self.line_starts.partition_point(|start| *start <= at).max(1) - 1;
        let before = self.text.get(self.line_starts[line]..at).unwrap_or("");
        Place { file: self.path.clone(), line: line as u32 + 1, column: before.chars().count() as u32 + 1 }
    }

    fn add(&self, kind: FaultKind, span: Range<usize>, message: String, cure: String) {
        let mut faults = self.faults.borrow_mut();
        if faults.len() < MOST_FAULTS {
            let span = self.first_line(span);
            faults.push(Fault { kind, place: self.place(span.start), message, cure, span });
        }
    }

    /// A fault of a block is shown at the block's first line.
    fn first_line(&self, span: Range<usize>) -> Range<usize> {
        let start = span.start.min(self.text.len());
        let end = span.end.clamp(start, self.text.len());
        let Some(text) = self.text.get(start..end) else { return start..start };
        let length = text.find('\n').unwrap_or(text.len());
        start..start + text[..length].trim_end().len()
    }

    /// Bytes of a scalar's value as bytes of the file: the same, or shifted by a quote. Escapes and folded lines have no
    /// such simple shift; there the whole scalar is meant.
    fn inside(&self, node: &Node, span: Range<usize>) -> Range<usize> {
        let (Some(value), Some(raw)) = (node.scalar_text(), self.text.get(node.span.clone())) else {
            return node.span.clone();
        };
        let shift = [0, 1].into_iter().find(|shift| raw.get(*shift..).is_some_and(|raw| raw.starts_with(value)));
        match shift {
            Some(shift) => node.span.start + shift + span.start..node.span.start + shift + span.end,
            None => node.span.clone(),
        }
    }
}

type Trouble = (String, &'static str);

fn read_text(path: &Path) -> Result<String, Trouble> {
    let unreadable = |error: std::io::Error| {
        let cure = "check that the file is there, and that you may read it";
        (format!("this file cannot be read: {error}"), cure)
    };
    // Asked before it is opened: to open a pipe waits for whoever writes into it.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(("this is not a file".to_owned(), "put a YAML file here"));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(unreadable)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        return Err(("this file is larger than 1 MiB".to_owned(), "a task file has a few KB: split it into tasks"));
    }
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        return Err((
            "this file begins with a byte order mark".to_owned(),
            "save it as \"UTF-8\", not as \"UTF-8 with BOM\"",
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        (
            format!("this file is not UTF-8: its byte {at} is part of no character"),
            "save it as UTF-8 (not GBK, not UTF-16)",
        )
    })
}
