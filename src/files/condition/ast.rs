//! What a condition is made of.

use std::collections::BTreeSet;
use std::ops::Range;

use chrono::NaiveDate;
use rust_decimal::Decimal;

/// A part of a condition, and where in the text it stands.
#[derive(Debug, Clone)]
pub(super) struct Expr {
    pub kind: Kind,
    pub span: Range<usize>,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Text(String),
    Number(Decimal),
    Boolean(bool),
    /// A text beside a date, read as one when the condition was checked.
    Date(NaiveDate),
    /// `[a, b]`: one of these.
    List(Vec<Expr>),
    Name(String),
    /// A `vars.x` written as a number or a boolean: its text is read as that.
    TypedVar(String, VarKind),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// One of a list, or a piece of a text.
    In(Box<Expr>, Box<Expr>),
    IsNone(Box<Expr>),
    Add(Box<Expr>, Box<Expr>),
    Subtract(Box<Expr>, Box<Expr>),
    Count {
        rows: Box<Expr>,
        filters: Vec<Filter>,
    },
    Sum {
        rows: Box<Expr>,
        column: String,
        filters: Vec<Filter>,
    },
    Pick {
        rows: Box<Expr>,
        filters: Vec<Filter>,
        column: String,
    },
    Contains(Box<Expr>, Box<Expr>),
    Days(Box<Expr>, Box<Expr>),
    Weekday(Box<Expr>),
}

/// `col=value` among the arguments of a function over rows.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    pub column: String,
    pub span: Range<usize>,
    pub value: Expr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VarKind {
    Number,
    Boolean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compare {
    Equal,
    Different,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Expr {
    pub fn new(kind: Kind, span: Range<usize>) -> Self {
        Expr { kind, span }
    }

    /// `left and right`, for two conditions that were checked apart.
    pub fn both(left: Expr, right: Expr) -> Self {
        let span = left.span.clone();
        Expr::new(Kind::And(Box::new(left), Box::new(right)), span)
    }

    /// Every name in it.
    pub fn names(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        self.collect_names(&mut found);
        found
    }

    fn collect_names<'a>(&'a self, found: &mut BTreeSet<&'a str>) {
        if let Kind::Name(name) | Kind::TypedVar(name, _) = &self.kind {
            found.insert(name);
        }
        for part in self.parts() {
            part.collect_names(found);
        }
    }

    fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Text(_) | Kind::Number(_) | Kind::Boolean(_) | Kind::Date(_) => Vec::new(),
            Kind::Name(_) | Kind::TypedVar(..) => Vec::new(),
            Kind::List(items) => items.iter().collect(),
            Kind::Not(one) | Kind::Negative(one) | Kind::IsNone(one) | Kind::Weekday(one) => vec![one],
            Kind::And(left, right)
            | Kind::Or(left, right)
            | Kind::Compare(_, left, right)
            | Kind::In(left, right)
            | Kind::Add(left, right)
            | Kind::Subtract(left, right)
            | Kind::Contains(left, right)
            | Kind::Days(left, right) => vec![left, right],
            Kind::Count { rows, filters } | Kind::Sum { rows, filters, .. } | Kind::Pick { rows, filters, .. } => {
                std::iter::once(&**rows).chain(filters.iter().map(|filter| &filter.value)).collect()
            }
        }
    }
}
