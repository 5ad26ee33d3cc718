//! The forms in which a secret may turn up in a text: as it is, escaped, percent-encoded, in base64, as numbers. Pure.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64::Engine;
use base64::alphabet;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::values::parse::{collapse, normal};

/// What `encodeURIComponent` leaves alone.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// What a form leaves alone; there a blank is `+`.
const FORM: &AsciiSet = &NON_ALPHANUMERIC.remove(b'*').remove(b'-').remove(b'.').remove(b'_').remove(b' ');

/// What a URL leaves alone in its path and query.
const URL: &AsciiSet = &percent_encoding::CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'#').add(b'`');

/// Shorter variants (other case, other blanks, single lines) are ordinary words too often.
const SHORTEST_VARIANT: usize = 8;

/// One text to look for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Form {
    pub(super) bytes: Vec<u8>,
    /// In base64 the neighbouring letters hold some bits of the secret too.
    pub(super) base64: bool,
}

/// Every form of a secret, none twice.
pub(super) fn forms(secret: &str) -> BTreeSet<Form> {
    let mut plain = BTreeSet::new();
    let mut base64 = base64_pieces(secret);
    base64.extend(base64_pieces(&json(secret)));
    for variant in variants(secret) {
        plain.extend(escaped(&variant));
        plain.extend(percent_encoded(&variant));
        plain.insert(variant);
    }
    plain.extend(numbers(secret));
    let mut forms: BTreeSet<Form> =
        plain.into_iter().map(|text| Form { bytes: text.into_bytes(), base64: false }).collect();
    forms.extend(wide(secret).map(|bytes| Form { bytes, base64: false }));
    forms.extend(base64.into_iter().map(|text| Form { bytes: text.into_bytes(), base64: true }));
    forms
}

/// The secret, and what pages and our own readers make of it: blanks collapsed, another case, line by line.
pub(super) fn variants(secret: &str) -> BTreeSet<String> {
    let lines = secret.lines().map(str::to_owned);
    let read = [collapse(secret), normal(secret), secret.trim().to_owned()];
    let cases = [secret.to_uppercase(), secret.to_lowercase()];
    let others = lines.chain(read).chain(cases).filter(|text| text.chars().count() >= SHORTEST_VARIANT);
    others.chain([secret.to_owned()]).collect()
}

/// Its bytes as digits: hexadecimal in either case, and as a list, as debug output of bytes has it.
fn numbers(secret: &str) -> [String; 3] {
    let lower: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let listed: Vec<String> = secret.bytes().map(|byte| byte.to_string()).collect();
    [lower.to_uppercase(), lower, listed.join(", ")]
}

/// Two bytes a letter, as some programs keep texts.
fn wide(secret: &str) -> [Vec<u8>; 2] {
    [u16::to_le_bytes, u16::to_be_bytes].map(|bytes| secret.encode_utf16().flat_map(bytes).collect())
}

/// As inside a JSON string, once and twice over, with and without letters beyond ASCII; as Rust's debug output; as HTML.
fn escaped(secret: &str) -> Vec<String> {
    let json = json(secret);
    let ascii = [false, true].map(|upper| ascii_json(&json, upper));
    let slashes = json.replace('/', "\\/");
    let twice = self::json(&json);
    let debug = secret.escape_debug().to_string();
    let mut all = vec![slashes, twice, debug];
    all.extend(ascii.iter().map(|text| text.replace('/', "\\/")));
    all.extend(ascii);
    all.push(json);
    all.extend(html(secret));
    all
}

fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// JSON text with `\u` for every letter beyond ASCII.
fn ascii_json(json: &str, upper: bool) -> String {
    let mut out = String::new();
    for character in json.chars() {
        if character.is_ascii() {
            out.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = if upper { write!(out, "\\u{unit:04X}") } else { write!(out, "\\u{unit:04x}") };
        }
    }
    out
}

/// With the marks of HTML as names or numbers, as the usual libraries and browsers write them.
fn html(secret: &str) -> [String; 3] {
    let browser = secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let attribute = browser.replace('"', "&quot;");
    let numbered = attribute.replace('\'', "&#x27;").replace('/', "&#x2f;");
    let decimal = attribute.replace('\'', "&#39;");
    [attribute, numbered, decimal]
}

/// Percent-encoded by the usual rules, with digits in either case.
fn percent_encoded(secret: &str) -> Vec<String> {
    let form = utf8_percent_encode(secret, FORM).to_string().replace(' ', "+");
    let rules = [COMPONENT, NON_ALPHANUMERIC, URL].map(|rule| utf8_percent_encode(secret, rule).to_string());
    let upper: Vec<String> = rules.into_iter().chain([form]).collect();
    let lower: Vec<String> = upper.iter().map(|text| lower_digits(text)).collect();
    upper.into_iter().chain(lower).collect()
}

/// `%C3` as `%c3`, everything else untouched.
fn lower_digits(text: &str) -> String {
    let mut digits = 0;
    text.chars()
        .map(|character| {
            let is_digit = digits > 0;
            digits = if character == '%' { 2 } else { digits.max(1) - 1 };
            if is_digit { character.to_ascii_lowercase() } else { character }
        })
        .collect()
}

/// The letters of base64 that depend on the secret alone, for each of the three places at which it may begin, in both
/// alphabets. Pieces too short to tell are left out.
fn base64_pieces(secret: &str) -> BTreeSet<String> {
    const SHORTEST_PIECE: usize = 4;
    let config = GeneralPurposeConfig::new().with_encode_padding(false);
    let mut pieces = BTreeSet::new();
    for alphabet in [&alphabet::STANDARD, &alphabet::URL_SAFE] {
        let engine = GeneralPurpose::new(alphabet, config);
        for before in 0..3usize {
            let bytes: Vec<u8> = std::iter::repeat_n(0, before).chain(secret.bytes()).collect();
            let encoded = engine.encode(&bytes);
            // The first letters hold bits of what stands before, the last one bits of what follows.
            let first = (before * 8).div_ceil(6);
            let last = bytes.len() * 8 / 6;
            if last >= first + SHORTEST_PIECE {
                pieces.insert(encoded[first..last].to_owned());
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(secret: &str, text: &str) -> bool {
        let holds = |form: &Form| text.as_bytes().windows(form.bytes.len()).any(|window| window == form.bytes);
        forms(secret).iter().any(holds)
    }

    #[test]
    fn escaped_and_encoded_forms_are_known() {
        let secret = "pä\"s/s wörd&<密";
        for text in [
            r#"{"p":"pä\"s/s wörd&<密"}"#,
            r#""p\u00e4\"s\/s w\u00f6rd&<\u5bc6""#,
            r#"\"p\": \"pä\\\"s/s wörd&<密\""#,
            "p%C3%A4%22s%2Fs%20w%C3%B6rd%26%3C%E5%AF%86",
            "p%c3%a4%22s%2fs+w%c3%b6rd%26%3c%e5%af%86",
            "pä&quot;s&#x2f;s wörd&amp;&lt;密",
        ] {
            assert!(has(secret, text), "{text}");
        }
        assert!(has(secret, &format!("{secret:?}")));
    }

    #[test]
    fn what_readers_and_pages_make_of_it_is_known() {
        let secret = " Correct  Horse\u{a0}密 码\nbattery staple";
        for text in ["Correct Horse 密 码 battery staple", "Correct Horse 密码 battery staple", "battery staple"] {
            assert!(has(secret, text), "{text}");
        }
        assert!(has("Hunter22", "HUNTER22") && has("Hunter22", "hunter22"));
        assert!(!has("Pass", "a password"), "short ones are words in another case");
        assert!(has("hunter22", "68756e7465723232") && has("hunter密", "68756E746572E5AF86"));
        assert!(has("hunter22", &format!("{:?}", "hunter22".as_bytes())));
        assert!(has("hunter22", "h\0u\0n\0t\0e\0r\x002\x002\0"));
    }

    #[test]
    fn base64_is_found_wherever_the_secret_begins() {
        let engine = base64::engine::general_purpose::STANDARD;
        for before in ["", "\0", "\0a", "\0user\0", "user:"] {
            for after in ["", "x", "xy"] {
                let text = engine.encode(format!("{before}hunter22{after}"));
                assert!(has("hunter22", &text), "{text}");
            }
        }
    }

    #[test]
    fn only_digits_behind_a_percent_sign_change_case() {
        assert_eq!(lower_digits("A%C3%A4B%2FC"), "A%c3%a4B%2fC");
    }
}
