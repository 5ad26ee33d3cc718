//! Which names there are, and of which type.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::super::nearest::nearest;
use super::Problem;

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// A text.
    Text,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// An instant.
    Time,
    /// A day.
    Date,
    /// Rows, with the type of each column.
    Rows(BTreeMap<String, Shape>),
    /// A `vars.x` written as a number; its text is read as that.
    NumberVar,
    /// A `vars.x` written as `true` or `false`.
    BooleanVar,
    /// Of a read that is faulty itself: it fits everywhere, so that one mistake is reported once.
    Any,
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Type::Text => "text",
            Type::Number | Type::NumberVar => "a number",
            Type::Boolean | Type::BooleanVar => "true or false",
            Type::Time => "a time",
            Type::Date => "a date",
            Type::Rows(_) => "a list of rows",
            Type::Any => "of any type",
        })
    }
}

/// A type, and whether the value may be absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The type.
    pub kind: Type,
    /// Read with `optional: true`: it may be none.
    pub optional: bool,
}

impl Shape {
    /// Of this type, always there.
    pub fn of(kind: Type) -> Self {
        Shape { kind, optional: false }
    }
}

/// The names that a text may use where it stands.
#[derive(Debug, Clone, Default)]
pub struct Names {
    shapes: BTreeMap<String, Shape>,
    /// Beginnings such as `vars.` of which every name is taken: where the file that defines them is broken, or where
    /// shared steps are looked at without a task.
    open: Vec<String>,
    password: bool,
}

impl Names {
    /// `day` and `period`: the names that stand everywhere.
    pub fn of_the_day() -> Self {
        let mut names = Names::default();
        for name in ["day", "period.start", "period.end"] {
            names.add(name, Shape::of(Type::Date));
        }
        names
    }

    /// One more name.
    pub fn add(&mut self, name: impl Into<String>, shape: Shape) {
        self.shapes.insert(name.into(), shape);
    }

    /// From here on every name that begins so is taken, as any type.
    pub fn add_unknown(&mut self, beginning: &str) {
        self.open.push(beginning.to_owned());
    }

    /// The same names, and `account.password`.
    pub fn with_password(&self) -> Self {
        Names { password: true, ..self.clone() }
    }

    /// True when a text here may use `account.password`.
    pub(super) fn has_password(&self) -> bool {
        self.password
    }

    /// The shape of a name.
    pub fn get(&self, name: &str) -> Option<Shape> {
        let open = || self.open.iter().any(|beginning| name.starts_with(beginning.as_str()));
        self.shapes.get(name).cloned().or_else(|| open().then(|| Shape::of(Type::Any)))
    }

    /// Every name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Shape)> {
        self.shapes.iter().map(|(name, shape)| (name.as_str(), shape))
    }

    pub(super) fn missing(&self, name: &str, span: &Range<usize>) -> Problem {
        if name == "account.password" {
            let cure = "only `with` of `fill` may use it: `with: \"{{ account.password }}\"`";
            return Problem::new(span.clone(), "the password may not stand here", cure);
        }
        let cure = match nearest(name, self.shapes.keys().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the names here are: {}", self.listed()),
        };
        Problem::new(span.clone(), format!("there is no name `{name}` here"), cure)
    }

    fn listed(&self) -> String {
        self.shapes.keys().cloned().collect::<Vec<_>>().join(", ")
    }
}
