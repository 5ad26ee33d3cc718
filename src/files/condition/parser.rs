//! From words to a condition. `not` binds tighter than `and`, `and` tighter than `or`, comparisons do not chain.

use std::ops::Range;

use super::Problem;
use super::ast::{Compare, Expr, Filter, Kind};
use super::lexer::{Token, TokenKind, lex};

/// Brackets inside brackets; beyond it nobody can read it, and the stack is ours.
const DEEPEST: usize = 32;

/// The functions, for messages.
pub(super) const FUNCTIONS: [&str; 6] = ["count", "sum", "pick", "contains", "days", "weekday"];

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<Expr, Problem> {
    let tokens = lex(text)?;
    if tokens.is_empty() {
        return Err(Problem::new(0..text.len(), "this is empty", "write a condition, such as `signed`"));
    }
    let mut parser = Parser { tokens: &tokens, next: 0, depth: 0, end: text.len() };
    let expr = parser.or()?;
    match parser.peek() {
        None => Ok(expr),
        Some(token) => Err(parser.surprise(token.clone(), "an operator, or the end")),
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    next: usize,
    depth: usize,
    end: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.next)
    }

    fn take_sign(&mut self, sign: &str) -> Option<Range<usize>> {
        let token = self.peek().filter(|token| matches!(token.kind, TokenKind::Sign(found) if found == sign))?;
        self.next += 1;
        Some(token.span.clone())
    }

    fn take_word(&mut self, word: &str) -> Option<Range<usize>> {
        let token = self.peek().filter(|token| matches!(&token.kind, TokenKind::Word(found) if found == word))?;
        self.next += 1;
        Some(token.span.clone())
    }

    fn need_sign(&mut self, sign: &str) -> Result<Range<usize>, Problem> {
        match self.take_sign(sign) {
            Some(span) => Ok(span),
            None => Err(self.expected(&format!("`{sign}`"))),
        }
    }

    fn expected(&self, what: &str) -> Problem {
        match self.peek() {
            Some(token) => self.surprise(token.clone(), what),
            None => {
                Problem::new(self.end..self.end, format!("it ends where {what} must come"), format!("write {what}"))
            }
        }
    }

    fn surprise(&self, token: Token, what: &str) -> Problem {
        let found = match &token.kind {
            TokenKind::Word(word) => word.clone(),
            TokenKind::Text(text) => format!("\"{text}\""),
            TokenKind::Number(number) => number.to_string(),
            TokenKind::Sign(sign) => (*sign).to_owned(),
        };
        let cure = match &token.kind {
            TokenKind::Sign("=") => "two values are compared with `==`".to_owned(),
            _ => format!("write {what} here"),
        };
        Problem::new(token.span, format!("`{found}` stands where {what} must come"), cure)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Problem>) -> Result<T, Problem> {
        if self.depth == DEEPEST {
            let at = self.peek().map_or(self.end..self.end, |token| token.span.clone());
            return Err(Problem::new(at, "too many brackets inside each other", "say it in several reads or tasks"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn or(&mut self) -> Result<Expr, Problem> {
        let mut left = self.and()?;
        while self.take_word("or").is_some() {
            let right = self.and()?;
            left = joined(Kind::Or, left, right);
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, Problem> {
        let mut left = self.not()?;
        while self.take_word("and").is_some() {
            let right = self.not()?;
            left = joined(Kind::And, left, right);
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expr, Problem> {
        match self.take_word("not") {
            Some(at) => {
                let inner = self.deeper(Self::not)?;
                let span = at.start..inner.span.end;
                Ok(Expr::new(Kind::Not(Box::new(inner)), span))
            }
            None => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Result<Expr, Problem> {
        let left = self.sum()?;
        if self.take_word("is").is_some() {
            return self.is_none(left);
        }
        if self.take_word("in").is_some() {
            let right = self.value_or_list()?;
            return Ok(joined(Kind::In, left, right));
        }
        let Some(operator) = self.comparison_sign() else { return Ok(left) };
        let right = self.sum()?;
        if self.comparison_sign().is_some() {
            let span = left.span.start..right.span.end;
            return Err(Problem::new(span, "comparisons do not chain", "join two with `and`: `a < b and b < c`"));
        }
        Ok(joined(|left, right| Kind::Compare(operator, left, right), left, right))
    }

    fn is_none(&mut self, left: Expr) -> Result<Expr, Problem> {
        let negated = self.take_word("not").is_some();
        let Some(end) = self.take_word("none") else { return Err(self.expected("`none`")) };
        let span = left.span.start..end.end;
        let is_none = Expr::new(Kind::IsNone(Box::new(left)), span.clone());
        Ok(if negated { Expr::new(Kind::Not(Box::new(is_none)), span) } else { is_none })
    }

    fn comparison_sign(&mut self) -> Option<Compare> {
        let operator = match self.peek()?.kind {
            TokenKind::Sign("==") => Compare::Equal,
            TokenKind::Sign("!=") => Compare::Different,
            TokenKind::Sign("<=") => Compare::AtMost,
            TokenKind::Sign(">=") => Compare::AtLeast,
            TokenKind::Sign("<") => Compare::Less,
            TokenKind::Sign(">") => Compare::Greater,
            _ => return None,
        };
        self.next += 1;
        Some(operator)
    }

    fn sum(&mut self) -> Result<Expr, Problem> {
        let mut left = self.primary()?;
        loop {
            let kind: fn(Box<Expr>, Box<Expr>) -> Kind = if self.take_sign("+").is_some() {
                Kind::Add
            } else if self.take_sign("-").is_some() {
                Kind::Subtract
            } else {
                return Ok(left);
            };
            let right = self.primary()?;
            left = joined(kind, left, right);
        }
    }

    fn primary(&mut self) -> Result<Expr, Problem> {
        let Some(token) = self.peek() else { return Err(self.expected("a value")) };
        self.next += 1;
        let span = token.span.clone();
        match &token.kind {
            TokenKind::Text(text) => Ok(Expr::new(Kind::Text(text.clone()), span)),
            TokenKind::Number(number) => Ok(Expr::new(Kind::Number(*number), span)),
            TokenKind::Word(word) => self.word(word, span),
            TokenKind::Sign("-") => {
                let inner = self.deeper(Self::primary)?;
                let span = span.start..inner.span.end;
                Ok(Expr::new(Kind::Negative(Box::new(inner)), span))
            }
            TokenKind::Sign("(") => {
                let inner = self.deeper(Self::or)?;
                self.need_sign(")")?;
                Ok(inner)
            }
            TokenKind::Sign("[") => Err(Problem::new(
                span,
                "a list stands only behind `in` and as the value of a column",
                "write `x in [\"a\", \"b\"]`, or `count(rows, col=[\"a\", \"b\"])`",
            )),
            TokenKind::Sign(_) => {
                self.next -= 1;
                Err(self.expected("a value"))
            }
        }
    }

    fn word(&mut self, word: &str, span: Range<usize>) -> Result<Expr, Problem> {
        if self.take_sign("(").is_some() {
            return self.deeper(|parser| parser.function(word, span));
        }
        match word {
            "true" | "false" => Ok(Expr::new(Kind::Boolean(word == "true"), span)),
            "and" | "or" | "not" | "in" | "is" => {
                self.next -= 1;
                Err(self.expected("a value"))
            }
            "none" => Err(Problem::new(span, "nothing is compared with `none`", "write `x is none`")),
            _ => Ok(Expr::new(Kind::Name(word.to_owned()), span)),
        }
    }

    fn function(&mut self, name: &str, span: Range<usize>) -> Result<Expr, Problem> {
        let kind = match name {
            "count" => {
                let rows = Box::new(self.sum()?);
                Kind::Count { rows, filters: self.filters()? }
            }
            "sum" => {
                let rows = Box::new(self.sum()?);
                let column = self.column_text()?;
                Kind::Sum { rows, column, filters: self.filters()? }
            }
            "pick" => return self.pick(span.start),
            "contains" => self.two_arguments(Kind::Contains)?,
            "days" => self.two_arguments(Kind::Days)?,
            "weekday" => Kind::Weekday(Box::new(self.sum()?)),
            _ => {
                let cure = match super::super::nearest::nearest(name, FUNCTIONS) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the functions are {}", FUNCTIONS.join(", ")),
                };
                return Err(Problem::new(span, format!("there is no function `{name}`"), cure));
            }
        };
        let end = self.need_sign(")")?.end;
        Ok(Expr::new(kind, span.start..end))
    }

    fn two_arguments(&mut self, kind: fn(Box<Expr>, Box<Expr>) -> Kind) -> Result<Kind, Problem> {
        let first = self.sum()?;
        self.need_sign(",")?;
        let second = self.sum()?;
        Ok(kind(Box::new(first), Box::new(second)))
    }

    fn pick(&mut self, start: usize) -> Result<Expr, Problem> {
        let rows = Box::new(self.sum()?);
        let filters = self.filters()?;
        let close = self.need_sign(")")?;
        if self.take_sign(".").is_none() {
            let cure = "write the column behind it: `pick(rows, id=\"like\").current`";
            return Err(Problem::new(start..close.end, "`pick` gives a row, not a value", cure));
        }
        match self.peek() {
            Some(Token { kind: TokenKind::Word(column), span }) => {
                self.next += 1;
                Ok(Expr::new(Kind::Pick { rows, filters, column: column.clone() }, start..span.end))
            }
            _ => Err(self.expected("a column")),
        }
    }

    fn column_text(&mut self) -> Result<String, Problem> {
        self.need_sign(",")?;
        match self.peek() {
            Some(Token { kind: TokenKind::Text(column), .. }) => {
                self.next += 1;
                Ok(column.clone())
            }
            _ => Err(self.expected("a column in quotes, such as \"amount\",")),
        }
    }

    fn filters(&mut self) -> Result<Vec<Filter>, Problem> {
        let mut filters = Vec::new();
        while self.take_sign(",").is_some() {
            let Some(Token { kind: TokenKind::Word(column), span }) = self.peek() else {
                return Err(self.expected("`column=value`"));
            };
            self.next += 1;
            if let Some(at) = self.take_sign("==") {
                return Err(Problem::new(at, "a column takes one `=`", format!("write `{column}=…`")));
            }
            self.need_sign("=")?;
            let value = self.value_or_list()?;
            filters.push(Filter { column: column.clone(), span: span.clone(), value });
        }
        Ok(filters)
    }

    fn value_or_list(&mut self) -> Result<Expr, Problem> {
        let Some(open) = self.take_sign("[") else { return self.sum() };
        let mut items = vec![self.sum()?];
        while self.take_sign(",").is_some() {
            items.push(self.sum()?);
        }
        let end = self.need_sign("]")?.end;
        Ok(Expr::new(Kind::List(items), open.start..end))
    }
}

fn joined(kind: impl FnOnce(Box<Expr>, Box<Expr>) -> Kind, left: Expr, right: Expr) -> Expr {
    let span = left.span.start..right.span.end;
    Expr::new(kind(Box::new(left), Box::new(right)), span)
}

/// The text in `format("…")`, when this is that filter.
pub(super) fn parse_format(text: &str) -> Option<String> {
    let tokens = lex(text).ok()?;
    match tokens.iter().map(|token| &token.kind).collect::<Vec<_>>().as_slice() {
        [TokenKind::Word(name), TokenKind::Sign("("), TokenKind::Text(format), TokenKind::Sign(")")]
            if name == "format" =>
        {
            Some(format.clone())
        }
        _ => None,
    }
}
