//! From text to words.

use std::ops::Range;

use rust_decimal::Decimal;

use super::Problem;

/// One word of a condition, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// A name, a keyword or a function: `period.start`, `and`, `count`.
    Word(String),
    Text(String),
    Number(Decimal),
    /// An operator or a bracket.
    Sign(&'static str),
}

/// Longer than any condition that a person can read.
const LONGEST: usize = 4_000;

/// Longer signs first, so that `<=` is not read as `<` and `=`.
const SIGNS: [&str; 16] = ["==", "!=", "<=", ">=", "<", ">", "=", "(", ")", "[", "]", ",", "+", "-", ".", "|"];

/// Splits a text into its words.
pub(super) fn lex(text: &str) -> Result<Vec<Token>, Problem> {
    if text.len() > LONGEST {
        let message = format!("this condition is {} bytes long", text.len());
        return Err(Problem::new(0..0, message, format!("write at most {LONGEST}; say more with `read`")));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let token = next_token(text, at, first)?;
        at = token.span.end;
        tokens.push(token);
    }
    Ok(tokens)
}

fn next_token(text: &str, at: usize, first: char) -> Result<Token, Problem> {
    match first {
        '"' | '\'' => quoted(text, at, first),
        '0'..='9' => number(text, at),
        'a'..='z' | 'A'..='Z' | '_' => Ok(word(text, at)),
        _ => match SIGNS.into_iter().find(|sign| text[at..].starts_with(sign)) {
            Some("|") => Err(no_filter(at)),
            Some(sign) => Ok(Token { kind: TokenKind::Sign(sign), span: at..at + sign.len() }),
            None => Err(stranger(text, at, first)),
        },
    }
}

fn no_filter(at: usize) -> Problem {
    Problem::new(
        at..at + 1,
        "conditions have no filters: nothing turns a read that failed into an answer",
        "leave `| …` out; a value that may be absent is read with `optional: true` and compared, `x is none`",
    )
}

fn stranger(text: &str, at: usize, found: char) -> Problem {
    let span = at..at + found.len_utf8();
    if text[at..].starts_with("{{") {
        return Problem::new(at..at + 2, "a condition has no braces", "write the name alone: `signed`");
    }
    let cure = match found {
        '!' => "write `not`, or `!=` between two values".to_owned(),
        '&' => "write `and`".to_owned(),
        '“' | '”' | '‘' | '’' | '「' | '」' => "write texts in plain quotes: \"签到\"".to_owned(),
        '（' | '）' | '，' | '：' | '＝' | '＜' | '＞' | '＋' | '－' | '０'..='９' => {
            "write signs and digits in their plain (half-width) form".to_owned()
        }
        '*' | '/' | '%' => "conditions only add and subtract".to_owned(),
        _ => "a text stands in quotes: \"签到\"; names are made of a-z, 0-9 and _".to_owned(),
    };
    Problem::new(span, format!("`{found}` means nothing in a condition"), cure)
}

fn quoted(text: &str, at: usize, quote: char) -> Result<Token, Problem> {
    let mut value = String::new();
    let mut escaped = false;
    for (offset, found) in text[at + 1..].char_indices() {
        match found {
            _ if escaped => {
                value.push(found);
                escaped = false;
            }
            '\\' => escaped = true,
            _ if found == quote => {
                return Ok(Token { kind: TokenKind::Text(value), span: at..at + 1 + offset + 1 });
            }
            _ => value.push(found),
        }
    }
    Err(Problem::new(at..text.len(), "this text does not end", format!("close it with {quote}")))
}

fn number(text: &str, at: usize) -> Result<Token, Problem> {
    let length = text[at..].find(|found: char| !found.is_ascii_digit() && found != '.').unwrap_or(text.len() - at);
    let written = &text[at..at + length];
    let span = at..at + length;
    match written.parse() {
        Ok(value) if !written.ends_with('.') => Ok(Token { kind: TokenKind::Number(value), span }),
        _ => Err(Problem::new(span, format!("`{written}` is not a number"), "write digits, such as 15 or 1.5")),
    }
}

fn word(text: &str, at: usize) -> Token {
    let rest = &text[at..];
    let inside = |found: char| found.is_ascii_alphanumeric() || found == '_';
    let mut length = rest.find(|found| !inside(found)).unwrap_or(rest.len());
    // `account.vars.x` is one name; `pick(…).col` is not, its dot follows a bracket.
    while let Some(tail) = rest[length..].strip_prefix('.') {
        let next = tail.find(|found| !inside(found)).unwrap_or(tail.len());
        if next == 0 {
            break;
        }
        length += 1 + next;
    }
    Token { kind: TokenKind::Word(rest[..length].to_owned()), span: at..at + length }
}
