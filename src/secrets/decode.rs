//! Escaped texts made plain again, each byte with the place where it stood: an escape may be written in so many ways that
//! the forms of a secret cannot all be listed. Pure.

/// A text as one reader would take it: the text itself, or what stands behind its escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layer {
    pub(super) bytes: Vec<u8>,
    /// Where each byte began in the text as it was written; one more at the end.
    places: Vec<usize>,
}

/// What an escape stands for.
enum Plain {
    Nothing,
    Byte(u8),
    Char(char),
}

/// Looks at what begins with a mark of escapes: how long the escape is, and what it stands for.
type Escape = fn(&[u8]) -> Option<(usize, Plain)>;

/// Escapes inside escapes are followed so far. What is looked for has forms of its own, which makes one more.
const DEPTH: usize = 2;

/// Each kind of escape: a mark without which a text has none of this kind, all its marks, and how it is read.
const ESCAPES: [(u8, &[u8], Escape); 5] = [
    (b'%', b"%", percent),
    (b'+', b"%+", form),
    (b'\\', b"\\", backslash),
    (b'&', b"&", entity),
    (b'=', b"=", quoted_printable),
];

/// Shows the text, and then all that it may be for its readers, one after the other: long texts have many layers.
pub(super) fn each_layer(text: &[u8], mut look: impl FnMut(&Layer)) {
    let written = Layer { bytes: text.to_vec(), places: (0..=text.len()).collect() };
    below(&written, DEPTH, &mut look);
}

fn below(layer: &Layer, depth: usize, look: &mut impl FnMut(&Layer)) {
    look(layer);
    for (needed, marks, escape) in ESCAPES {
        if depth > 0
            && layer.bytes.contains(&needed)
            && let Some(plainer) = layer.without(marks, escape)
        {
            below(&plainer, depth - 1, look);
        }
    }
}

impl Layer {
    /// The part of the text as it was written that these bytes stand for.
    pub(super) fn written(&self, bytes: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.places[bytes.start]..self.places[bytes.end]
    }

    /// Without escapes of one kind; none where there is none.
    fn without(&self, marks: &[u8], escape: Escape) -> Option<Layer> {
        let mut plainer = Layer { bytes: Vec::with_capacity(self.bytes.len()), places: Vec::new() };
        let mut at = 0;
        let mut any = false;
        while at < self.bytes.len() {
            let rest = &self.bytes[at..];
            let found = if marks.contains(&rest[0]) { escape(rest) } else { None };
            any |= found.is_some();
            let (length, plain) = found.unwrap_or((1, Plain::Byte(rest[0])));
            plainer.push(&plain, self.places[at]);
            at += length;
        }
        plainer.places.push(self.places[at]);
        any.then_some(plainer)
    }

    fn push(&mut self, plain: &Plain, place: usize) {
        match plain {
            Plain::Nothing => {}
            Plain::Byte(byte) => self.bytes.push(*byte),
            Plain::Char(char) => self.bytes.extend(char.encode_utf8(&mut [0; 4]).bytes()),
        }
        self.places.resize(self.bytes.len(), place);
    }
}

/// `%C3`, as in addresses.
fn percent(text: &[u8]) -> Option<(usize, Plain)> {
    Some((3, Plain::Byte(hex(text.get(1..3)?)? as u8)))
}

/// The same in forms, where a blank is `+`.
fn form(text: &[u8]) -> Option<(usize, Plain)> {
    if text.starts_with(b"+") { Some((1, Plain::Byte(b' '))) } else { percent(text) }
}

/// `\"`, `\n`, `\x0a`, `\u5bc6`, `\u{5bc6}`: JSON, JavaScript, Rust.
fn backslash(text: &[u8]) -> Option<(usize, Plain)> {
    let byte = |byte| Some((2, Plain::Byte(byte)));
    match *text.get(1)? {
        b'n' => byte(b'\n'),
        b'r' => byte(b'\r'),
        b't' => byte(b'\t'),
        b'b' => byte(8),
        b'f' => byte(12),
        b'0' => byte(0),
        b'x' => Some((4, Plain::Byte(hex(text.get(2..4)?)? as u8))),
        b'u' if text.get(2) == Some(&b'{') => {
            let digits = text.get(3..)?.iter().take(7).position(|byte| *byte == b'}')?;
            Some((digits + 4, Plain::Char(char::from_u32(hex(&text[3..3 + digits])?)?)))
        }
        b'u' => unit(text),
        same if same.is_ascii_punctuation() => byte(same),
        _ => None,
    }
}

/// One `\u`, or the two that make a letter beyond the first 65,536.
fn unit(text: &[u8]) -> Option<(usize, Plain)> {
    let first = hex(text.get(2..6)?)?;
    if let Some(letter) = char::from_u32(first) {
        return Some((6, Plain::Char(letter)));
    }
    let second = text.get(6..12).filter(|next| next.starts_with(b"\\u")).and_then(|next| hex(&next[2..]))?;
    let both = char::decode_utf16([first as u16, second as u16]).next()?.ok()?;
    Some((12, Plain::Char(both)))
}

/// `&amp;`, `&#38;`, `&#x26;`: HTML.
fn entity(text: &[u8]) -> Option<(usize, Plain)> {
    let end = text.iter().take(12).position(|byte| *byte == b';')?;
    let letter = match &text[1..end] {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        b"nbsp" => '\u{a0}',
        [b'#', b'x' | b'X', digits @ ..] => char::from_u32(hex(digits)?)?,
        [b'#', digits @ ..] => char::from_u32(std::str::from_utf8(digits).ok()?.parse().ok()?)?,
        _ => return None,
    };
    Some((end + 1, Plain::Char(letter)))
}

/// `=C3`, and the line ends that only keep lines short: mails.
fn quoted_printable(text: &[u8]) -> Option<(usize, Plain)> {
    if text.starts_with(b"=\r\n") {
        return Some((3, Plain::Nothing));
    }
    if text.starts_with(b"=\n") {
        return Some((2, Plain::Nothing));
    }
    percent(text)
}

fn hex(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 6 {
        return None;
    }
    digits.iter().try_fold(0, |all, digit| Some(all * 16 + char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn layers(text: &[u8]) -> Vec<Layer> {
        let mut layers = Vec::new();
        each_layer(text, |layer| layers.push(layer.clone()));
        layers
    }

    fn says(text: &str, plain: &str) -> bool {
        layers(text.as_bytes()).iter().any(|layer| layer.bytes == plain.as_bytes())
    }

    #[test]
    fn escapes_are_made_plain_however_they_are_written() {
        for text in [
            "a%22%E5%AF%86 b",
            "%61\"%e5%af%86+b",
            r#"a\"\u5BC6 b"#,
            r#"\x61\"\xe5\xaf\x86 b"#,
            "a&quot;&#23494; b",
            "&#x61;&#34;&#x5bC6;&#32;b",
            "a=22=E5=\r\n=AF=86=20b",
            "a%2522%25E5%25AF%2586 b",
            r"a%5C%22%5Cu5bc6 b",
            r#"a\\\"\\u5bc6 b"#,
        ] {
            assert!(says(text, "a\"密 b"), "{text}");
        }
        assert!(says(r"\ud83d\udd11\u{1f511}", "🔑🔑"));
    }

    #[test]
    fn a_byte_remembers_where_it_stood() {
        let all = layers("x%E5%AF%86y".as_bytes());
        let plain = all.iter().find(|layer| layer.bytes == "x密y".as_bytes()).unwrap();
        assert_eq!((plain.written(1..4), plain.written(0..5)), (1..10, 0..11));
        let all = layers(r"x\u5bc6y".as_bytes());
        let plain = all.iter().find(|layer| layer.bytes == "x密y".as_bytes()).unwrap();
        assert_eq!(plain.written(1..4), 1..7);
    }

    proptest! {
        #[test]
        fn any_text_has_layers_whose_places_are_in_it(text in "[%\\\\&=u{}x#;0-9a-f+\r\n密]{0,40}") {
            for layer in layers(text.as_bytes()) {
                prop_assert_eq!(layer.places.len(), layer.bytes.len() + 1);
                prop_assert!(layer.places.is_sorted());
                prop_assert_eq!(layer.written(0..layer.bytes.len()).end, text.len());
            }
        }
    }
}
