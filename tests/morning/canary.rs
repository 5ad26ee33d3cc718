//! Secrets that are hard to miss, and the hunt for them wherever the program leaves something.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use aho_corasick::AhoCorasick;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::stage::{Morning, Stage};

/// Quotes, signs that mean something in URLs, forms, HTML, JSON, YAML and mails, blanks, letters beyond ASCII; one that looks
/// encoded already, a short one and a long one.
pub const SHAPES: [&str; 6] = [
    "Kanarienvogel-\"7'&%2F<密码>+\\x",
    "Zaunkönig  {{ x }} =C3=A4 #:! é 100%",
    "U3RpZWdsaXR6LVN0aWVnbGl0eg==",
    "鹡鸰🔑\"",
    "Gimpel&amp;&#34;%22\\u0022\\\"${HOME}`ls`",
    "Bachstelze-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-\
     0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-\"Ende",
];

/// A stage whose example site knows the account by this password.
pub fn stage(password: &str) -> Stage {
    let stage = Stage::own();
    for file in ["fixtures/community/site.yaml", "fixtures/community/secrets.yaml"] {
        stage.edit(file, "password: rehearsal-only-sunrise", &format!("password: {}", in_yaml(password)));
    }
    stage
}

/// As a YAML text.
pub fn in_yaml(secret: &str) -> String {
    serde_json::to_string(secret).expect("JSON, which is YAML too")
}

/// One secret that is looked for.
pub struct Canary {
    forms: Vec<Vec<u8>>,
    search: AhoCorasick,
}

impl Canary {
    pub fn new(secret: &str) -> Self {
        let forms: Vec<Vec<u8>> = forms(secret).into_iter().collect();
        let search = AhoCorasick::new(&forms).expect("few forms");
        Canary { forms, search }
    }

    /// Fails where it is.
    pub fn is_not_in(&self, place: &str, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        if let Some(found) = self.search.find(bytes) {
            let around = &bytes[found.start().saturating_sub(200)..bytes.len().min(found.end() + 80)];
            let form = String::from_utf8_lossy(&self.forms[found.pattern().as_usize()]);
            panic!("{place} holds the secret as {form}: {}", around.escape_ascii());
        }
    }

    /// Looks through everything that a run said and left. Only the rehearsed site itself knows the password, in its `sites/`,
    /// and the browser's cache of its own program (`startupCache`, the half of a profile) holds nothing of pages.
    pub fn hunt(&self, stage: &Stage, morning: &Morning) {
        assert!(morning.outcome.stderr.contains("TRACE"), "the log was to be at its loudest");
        self.is_not_in("standard output", &morning.outcome.stdout);
        self.is_not_in("standard error", &morning.outcome.stderr);
        let seen = self.look_around(stage);
        let in_data = |name: &str| seen.iter().any(|path| path.ends_with(name));
        assert!(in_data("ledger.db") && in_data(".eml"), "nothing was looked at: {seen:?}");
    }

    /// Looks through all that was left on disk; what was looked at.
    pub fn look_around(&self, stage: &Stage) -> Vec<String> {
        let mut seen = Vec::new();
        for folder in [stage.data(), stage.place.path("tmp"), stage.place.path("home")] {
            self.look_through(&folder, &mut seen);
        }
        seen
    }

    fn look_through(&self, folder: &Path, seen: &mut Vec<String>) {
        for entry in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry")) {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if ["startupCache", "sites"].contains(&name.as_str()) {
                continue;
            }
            self.is_not_in("a file's name", &name);
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.look_through(&path, seen);
            } else if entry.file_type().is_ok_and(|kind| kind.is_file()) {
                self.look_into(&path, &fs::read(&path).expect("a file"));
                seen.push(path.display().to_string());
            }
        }
    }

    fn look_into(&self, path: &Path, bytes: &[u8]) {
        let place = path.display().to_string();
        self.is_not_in(&place, bytes);
        if place.ends_with(".eml") {
            self.is_not_in("a mail, decoded", decoded(bytes));
        }
        if let Some(packed) = bytes.strip_prefix(b"mozLz40\0") {
            self.is_not_in(&format!("{place}, unpacked"), unpacked(&packed[4..]).expect("a packed file"));
        }
    }
}

/// The parts of a mail as a reader sees them.
pub fn decoded(mail: &[u8]) -> String {
    let mail = mail_parser::MessageParser::default().parse(mail).expect("a mail");
    let text = mail.body_text(0).expect("a text part");
    let html = mail.body_html(0).expect("an HTML part");
    format!("{}\n{text}\n{html}", mail.subject().expect("a subject"))
}

/// A block of LZ4, in which Firefox packs what it keeps for a restart.
fn unpacked(mut packed: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    while let Some(token) = packed.split_off_first() {
        let literals = length(&mut packed, usize::from(token >> 4))?;
        out.extend_from_slice(packed.split_off(..literals)?);
        let Some(back) = packed.split_off(..2) else { break };
        let back = usize::from(u16::from_le_bytes([back[0], back[1]]));
        for _ in 0..length(&mut packed, usize::from(token & 15))? + 4 {
            out.push(*out.get(out.len().checked_sub(back)?)?);
        }
    }
    Some(out)
}

/// A length of LZ4: 15 says that more of it follows.
fn length(packed: &mut &[u8], first: usize) -> Option<usize> {
    let mut length = first;
    let mut goes_on = first == 15;
    while goes_on {
        let more = *packed.split_off_first()?;
        length += usize::from(more);
        goes_on = more == 255;
    }
    Some(length)
}

/// The secret as it may turn up, whole; its first letters, if there are many; and what base64 has of it at each of the three
/// places where it may begin.
fn forms(secret: &str) -> BTreeSet<Vec<u8>> {
    let json = |text: &str| {
        let quoted = serde_json::to_string(text).expect("JSON");
        quoted[1..quoted.len() - 1].to_owned()
    };
    let html = secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let percent = utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string();
    let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut texts = vec![secret.to_owned(), json(secret), json(&json(secret)), secret.escape_debug().to_string()];
    texts.extend([html.replace('"', "&quot;"), html.replace('"', "&#34;"), html]);
    texts.extend([percent.to_lowercase(), percent, form.to_lowercase(), form, hex.to_uppercase(), hex]);
    texts.push(secret.split_whitespace().collect::<Vec<_>>().join(" "));
    if secret.chars().count() > 16 {
        texts.push(secret.chars().take(10).collect());
    }
    for engine in [&STANDARD, &URL_SAFE] {
        for before in 0..3usize {
            let encoded = engine.encode([&b"xx"[..before], secret.as_bytes()].concat());
            let first = (before * 8).div_ceil(6);
            texts.push(encoded[first..(before + secret.len()) * 8 / 6].to_owned());
        }
    }
    let wide = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
    texts.into_iter().map(String::into_bytes).chain([wide]).collect()
}

#[test]
fn the_hunt_finds_what_is_there() {
    for secret in SHAPES {
        let canary = Canary::new(secret);
        let body = format!("{{\"value\":[{}]}}", in_yaml(secret));
        let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
        for planted in
            [secret.to_owned(), body, STANDARD.encode(format!("ab{secret}cd")), format!("/login?p={form}&x=1")]
        {
            let found = std::panic::catch_unwind(|| canary.is_not_in("here", &planted));
            assert!(found.is_err(), "{planted}");
        }
        canary.is_not_in("here", "nothing of the kind");
    }
    let packed = [b"\x55abcab\x03\x00".as_slice(), b"\x10z"].concat();
    assert_eq!(unpacked(&packed).as_deref(), Some(b"abcabcabcabcabz".as_slice()));
}
