//! A password that is hard to miss, and the hunt for it wherever a morning leaves something.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::stage::{Morning, Stage};

/// Quotes, signs that mean something in URLs, forms, HTML and JSON, and letters beyond ASCII.
pub const PASSWORD: &str = "Kanarienvogel-\"7'&%2F<密码>+\\x";
/// As a YAML text.
const IN_YAML: &str = "\"Kanarienvogel-\\\"7'&%2F<密码>+\\\\x\"";

/// A stage whose example site knows the account by this password.
pub fn stage() -> Stage {
    let stage = Stage::own();
    for file in ["fixtures/community/site.yaml", "fixtures/community/secrets.yaml"] {
        stage.edit(file, "password: rehearsal-only-sunrise", &format!("password: {IN_YAML}"));
    }
    stage
}

/// Looks through everything that the program said and left; only the site itself and the browser's own profile may know.
pub fn hunt(stage: &Stage, morning: &Morning) {
    assert!(morning.outcome.stderr.contains("TRACE"), "the log was to be at its loudest");
    assert_none("standard output", morning.outcome.stdout.as_bytes());
    assert_none("standard error", morning.outcome.stderr.as_bytes());
    let mut looked_at = Vec::new();
    look_through(&stage.data(), &mut looked_at);
    let in_data = |name: &str| looked_at.iter().any(|path| path.ends_with(name));
    assert!(in_data("ledger.db") && in_data(".eml"), "nothing was looked at: {looked_at:?}");
}

fn look_through(folder: &Path, looked_at: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if ["profiles", "sites"].contains(&name.as_str()) {
            continue;
        }
        assert_none("a file's name", name.as_bytes());
        if path.is_dir() {
            look_through(&path, looked_at);
            continue;
        }
        let bytes = fs::read(&path).expect("a file");
        assert_none(&path.display().to_string(), &bytes);
        if name.ends_with(".eml") {
            assert_none("a mail, decoded", decoded(&bytes).as_bytes());
        }
        looked_at.push(path.display().to_string());
    }
}

/// The parts of a mail as a reader sees them.
fn decoded(mail: &[u8]) -> String {
    let mail = mail_parser::MessageParser::default().parse(mail).expect("a mail");
    let text = mail.body_text(0).expect("a text part");
    let html = mail.body_html(0).expect("an HTML part");
    format!("{}\n{text}\n{html}", mail.subject().expect("a subject"))
}

fn assert_none(place: &str, bytes: &[u8]) {
    for form in forms() {
        let found = bytes.windows(form.len()).any(|window| window == form.as_bytes());
        assert!(!found, "{place} holds the password as {form}");
    }
}

/// The password as it may turn up, whole; and its first letters, which nothing escapes, in base64 at each of the three
/// places where they may fall among the letters around them.
fn forms() -> Vec<String> {
    let json = |text: &str| serde_json::to_string(text).expect("JSON").trim_matches('"').to_owned();
    let percent = utf8_percent_encode(PASSWORD, NON_ALPHANUMERIC).to_string();
    let whole = [PASSWORD.to_owned(), json(PASSWORD), json(&json(PASSWORD)), percent];
    let in_base64 = (0..3).map(|shift| STANDARD.encode(&PASSWORD.as_bytes()[shift..shift + 9]));
    whole.into_iter().chain(in_base64).chain(["Kanarienvogel".to_owned()]).collect()
}

#[test]
fn the_hunt_finds_what_is_there() {
    let body = format!("{{\"value\":[\"{}\"]}}", serde_json::to_string(PASSWORD).expect("JSON").trim_matches('"'));
    for planted in [PASSWORD.to_owned(), body.clone(), STANDARD.encode(format!("ab{PASSWORD}")), STANDARD.encode(&body)]
    {
        assert!(std::panic::catch_unwind(|| assert_none("here", planted.as_bytes())).is_err(), "{planted}");
    }
    assert_none("here", b"nothing of the kind");
}
