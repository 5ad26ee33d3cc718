//! Strict YAML: a tree in which every scalar keeps its written form and every node its place.
//!
//! Nothing is resolved here. Whether `013800138000` is a text and `true` a boolean is asked where the value is used.

use std::ops::Range;

use serde_saphyr::granit_parser::{Event, Options, Parser, ScalarStyle, Span, StrInput};

use super::file::File;
use super::slips;

/// Deeper than any task file; the tree is walked by functions that call themselves.
const DEEPEST: usize = 48;

/// More keys and values than any file that a person wrote.
const MOST_NODES: usize = 10_000;

/// A node of the file.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The bytes of the file.
    pub span: Range<usize>,
    /// What it is.
    pub kind: NodeKind,
}

#[derive(Debug, Clone)]
pub(super) enum NodeKind {
    /// A text as written, and whether it stood without quotes.
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<Entry>),
    /// Something that was refused already: nothing more is said about it.
    Refused,
}

/// A key and its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub key: String,
    pub key_span: Range<usize>,
    pub value: Node,
}

impl Node {
    /// The text of a scalar.
    pub fn scalar_text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The text of a scalar without quotes.
    pub fn plain_text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar { text, plain: true } => Some(text),
            _ => None,
        }
    }

    /// The entries of a map.
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.kind {
            NodeKind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value of a key, without any check.
    pub fn find(&self, key: &str) -> Option<&Node> {
        self.entries()?.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// True for `x:` with nothing behind it, `~` and `null`.
    pub fn is_empty(&self) -> bool {
        matches!(self.plain_text(), Some("" | "~" | "null" | "Null" | "NULL"))
    }
}

/// The tree of a file; none when it is not YAML, or empty. What is refused stands in the file's faults.
pub(super) fn parse(file: &File) -> Option<Node> {
    if !file.is_sound() {
        return None;
    }
    let mut options = Options::default();
    options.emit_comments = false;
    options.emit_unresolved_aliases = true;
    options.disallow_directives = true;
    let mut builder =
        Builder { file, parser: Parser::new_from_str_with_options(&file.text, options), depth: 0, nodes: 0 };
    builder.document().unwrap_or_default()
}

/// The file cannot be read further; the reason was said.
struct Stop;

struct Builder<'f> {
    file: &'f File,
    parser: Parser<'f, StrInput<'f>>,
    depth: usize,
    nodes: usize,
}

impl<'f> Builder<'f> {
    fn next(&mut self) -> Result<(Event<'f>, Range<usize>, Span), Stop> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, bytes(&span), span)),
            Some(Err(error)) => {
                let at = error.marker().byte_offset().unwrap_or(self.file.text.len());
                slips::syntax(self.file, at, &error.info());
                Err(Stop)
            }
            None => Err(Stop),
        }
    }

    fn document(&mut self) -> Result<Option<Node>, Stop> {
        let mut root = None;
        loop {
            let (event, span, whole) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentEnd => {}
                Event::DocumentStart(..) if root.is_none() => {}
                Event::DocumentStart(..) => {
                    self.file.wrong(span, "a second document begins here", "one file is one document: take `---` out");
                    return Ok(None);
                }
                Event::StreamEnd => break,
                event => root = Some(self.node(event, span, whole)?),
            }
        }
        if root.as_ref().is_none_or(Node::is_empty) {
            self.file.wrong(0..0, "this file is empty", "write what it shall say, or remove it");
            return Ok(None);
        }
        Ok(root)
    }

    fn node(&mut self, event: Event<'f>, span: Range<usize>, whole: Span) -> Result<Node, Stop> {
        if self.depth == DEEPEST {
            self.file.wrong(span, "too many levels inside each other", "a task file has about ten");
            return Err(Stop);
        }
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            self.file.wrong(
                span,
                "this file has too many keys and values",
                "a task file has a few dozen lines: split it",
            );
            return Err(Stop);
        }
        let refused = self.refuses(&event, &span, &whole);
        self.depth += 1;
        let kind = match event {
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                if !refused && plain && !text.is_empty() && slips::cut_by_comment(self.file, &text, &span) {
                    NodeKind::Refused
                } else {
                    NodeKind::Scalar { text: text.into_owned(), plain }
                }
            }
            Event::SequenceStart(..) => self.list()?,
            Event::MappingStart(..) => self.map(&span)?,
            _ => NodeKind::Refused,
        };
        self.depth -= 1;
        Ok(Node { span, kind: if refused { NodeKind::Refused } else { kind } })
    }

    /// Anchors, tags and what refers to an anchor.
    fn refuses(&self, event: &Event<'_>, span: &Range<usize>, whole: &Span) -> bool {
        let alias = matches!(event, Event::UnresolvedAlias(_) | Event::Alias(_));
        if alias {
            self.file.wrong(
                span.clone(),
                "a value that begins with `*` is an alias for YAML",
                slips::quote_cure(self.file, span.start),
            );
        }
        let tagged = event.tag().is_some();
        if tagged {
            let at = whole.tag_span().map_or(span.clone(), |tag| bytes(&tag));
            let cure = slips::quote_cure(self.file, at.start);
            self.file.wrong(at, "a value that begins with `!` is a tag for YAML, and its text is lost", cure);
        }
        let anchored = event.anchor_id().is_some();
        if anchored {
            let at = slips::anchor_before(self.file, span.start);
            let cure =
                format!("{}; what is written once may stand in `shared:`", slips::quote_cure(self.file, at.start));
            self.file.wrong(
                at,
                "a value that begins with `&` is an anchor for YAML, and anchors are not used here",
                cure,
            );
        }
        alias || tagged || anchored
    }

    fn list(&mut self) -> Result<NodeKind, Stop> {
        let mut items = Vec::new();
        loop {
            let (event, span, whole) = self.next()?;
            match event {
                Event::SequenceEnd => return Ok(NodeKind::List(items)),
                event => items.push(self.node(event, span, whole)?),
            }
        }
    }

    fn map(&mut self, start: &Range<usize>) -> Result<NodeKind, Stop> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut refused = false;
        loop {
            let (event, span, whole) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(if refused { NodeKind::Refused } else { NodeKind::Map(entries) });
            }
            let key = self.node(event, span.clone(), whole)?;
            let (event, value_span, whole) = self.next()?;
            let mut value = self.node(event, value_span, whole)?;
            if value.is_empty() && value.span.is_empty() {
                self.settle_empty(&mut value, &span);
            }
            match key.kind {
                NodeKind::Scalar { text, .. } => self.entry(&mut entries, Entry { key: text, key_span: span, value }),
                NodeKind::Refused => refused = true,
                _ => {
                    let cure = slips::quote_cure(self.file, start.start);
                    self.file.wrong(start.clone(), "braces or brackets begin a map or a list for YAML", cure);
                    refused = true;
                }
            }
        }
    }

    /// An empty value has no place of its own: it stands behind its key, where a comment may have cut it.
    fn settle_empty(&self, value: &mut Node, key: &Range<usize>) {
        let behind = self.file.text.get(key.end..).unwrap_or("");
        let colon = behind.len() - behind.trim_start_matches([' ', ':']).len();
        value.span = key.end..key.end;
        if behind.trim_start().starts_with(':') && slips::cut_by_comment(self.file, "", &(key.end..key.end + colon)) {
            value.kind = NodeKind::Refused;
        }
    }

    fn entry(&self, entries: &mut Vec<Entry>, entry: Entry) {
        if entry.key == "<<" {
            let cure = "write the keys out; steps that several tasks share stand in `shared:` of site.yaml";
            self.file.wrong(entry.key_span, "merge keys are not used here", cure);
        } else if entries.iter().any(|other| other.key == entry.key) {
            let message = format!("the key `{}` stands here twice", entry.key);
            self.file.wrong(entry.key_span, message, "keep one of them");
        } else {
            entries.push(entry);
        }
    }
}

fn bytes(span: &Span) -> Range<usize> {
    let start = span.start.byte_offset().unwrap_or(0);
    start..span.end.byte_offset().unwrap_or(start).max(start)
}
