//! Holds the shape of the code: the order of the modules, the purity of the core, and what no file may have.
//!
//! `ARCHITECTURE.md` says why. The tables at the top are the rules; everything below reads the source by them.

#[path = "support/rust_source.rs"]
mod rust_source;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rust_source::{code_only, paths, without_tests};

/// Folders and files that are pure: time, answers and stored events come in as arguments, effects go out as data.
const PURE: [&str; 5] = ["values", "timing", "files", "run", "report"];

/// The few places inside pure ones that touch the world, each by its reason to be.
const TOUCHES_THE_WORLD: [(&str, &str); 5] = [
    ("files/calendars.rs", "reads the user's calendar files, and keeps copies of them"),
    ("files/file.rs", "reads the user's files"),
    ("files/folder.rs", "lists the user's folders"),
    ("report/mailer.rs", "writes the mails of a rehearsal"),
    ("report/smtp.rs", "talks to the mail server"),
];

/// What a pure module may not name, and what that is.
const EFFECTS: [(&str, &str); 21] = [
    ("std::fs", "files"),
    ("std::net", "sockets"),
    ("std::process", "processes"),
    ("std::env", "the environment"),
    ("std::thread", "threads"),
    ("Utc::now", "a clock"),
    ("Local::now", "a clock"),
    ("Instant::now", "a clock"),
    ("SystemTime::now", "a clock"),
    ("Clock", "a clock"),
    ("SystemClock", "a clock"),
    ("RehearsalClock", "a clock"),
    ("tokio", "the async runtime"),
    ("nix", "the operating system"),
    ("tempfile", "files"),
    ("rusqlite", "the database"),
    ("fantoccini", "the browser"),
    ("hyper", "sockets"),
    ("smtp::client", "the mail server"),
    ("AsyncSmtpTransport", "the mail server"),
    ("fastrand", "chance"),
];

/// The places that write something down or say it, each by what is in it, or by where it lost its secrets before: the ways
/// out of ARCHITECTURE.md. The ledger itself is the database's.
const WAYS_OUT: [(&str, &str); 12] = [
    ("browser/picture.rs", "pictures: masked, and of no page that shows a secret"),
    ("cli", "shows the ledger, which holds no secrets, and errors, redacted"),
    ("files/calendars.rs", "copies of calendar files"),
    ("fixture", "what rehearsed sites remember"),
    ("ledger", "marks, locks, copies of the ledger"),
    ("report/mailer.rs", "mails of a rehearsal, as they would be sent: redacted when they were rendered"),
    ("runner/credentials.rs", "the key of fingerprints"),
    ("secrets/sealed.rs", "sealed sessions, which nobody reads without the key, and that key"),
    ("secrets/log.rs", "the log and panics, redacted here"),
    ("serve/http/door.rs", "the token's own file, links by their digests"),
    ("secrets/source.rs", "opens files of secrets to read them"),
    ("serve/lock.rs", "who serves the data folder"),
];

/// What writes.
const WRITES: [&str; 10] = [
    "println!",
    "eprint!",
    "print!",
    "fs::write",
    "write_all",
    "File::create",
    "OpenOptions",
    "NamedTempFile",
    "stdout()",
    "stderr()",
];

/// Longer files than this have more than one purpose. Tests at the end of a file do not count.
const LINES: usize = 400;

/// Work that was put off does not get in.
const PUT_OFF: [&str; 2] = ["todo", "unimplemented"];

/// One file of `src`, without its tests.
struct SourceFile {
    /// Below `src`, such as `run/status.rs`.
    path: String,
    /// Without comments, texts and tests.
    code: String,
    /// How many lines there are, tests left out.
    lines: usize,
}

impl SourceFile {
    /// The module of `lib.rs` that this file belongs to.
    fn layer(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// True for the file itself, and for a file of the module `place`.
    fn is_in(&self, place: &str) -> bool {
        self.path == place || self.path.strip_prefix(place).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    }

    /// The names that it takes from the crate's root, by `crate::` or by climbing there with `super::`.
    fn taken_from_root(&self) -> BTreeSet<&str> {
        let depth = self.path.split('/').filter(|part| *part != "mod.rs").count();
        let from_root = paths(&self.code).into_iter().filter_map(|path| {
            let climbed = path.iter().take_while(|&&segment| segment == "super").count();
            match path.first() {
                Some(&"crate") => path.get(1).copied(),
                Some(&"super") if climbed == depth => path.get(depth).copied(),
                _ => None,
            }
        });
        from_root.collect()
    }

    /// The effects that it names.
    fn effects(&self) -> Vec<(&'static str, &'static str)> {
        let paths = paths(&self.code);
        let names = |effect: &str| {
            let wanted: Vec<&str> = effect.split("::").collect();
            paths.iter().any(|path| path.windows(wanted.len()).any(|window| window == wanted))
        };
        EFFECTS.into_iter().filter(|(effect, _)| names(effect)).collect()
    }
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file below `src`, less the files that hold only tests.
fn source_files() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    let mut only_tests = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of src") {
            let path = entry.expect("an entry of src").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let below = path.strip_prefix(&root).expect("below src").to_str().expect("a name in UTF-8").to_owned();
                let source = read(&format!("src/{below}"));
                let all = code_only(&source);
                let (code, test_modules) = without_tests(&all);
                let inside = below.trim_end_matches("mod.rs").trim_end_matches(".rs").trim_end_matches('/');
                only_tests.extend(test_modules.iter().map(|module| format!("{inside}/{module}")));
                let lines = code.lines().count();
                files.push(SourceFile { path: below, code, lines });
            }
        }
    }
    files.retain(|file| !only_tests.iter().any(|place| file.is_in(place)));
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

/// The modules of `lib.rs`, lowest first.
fn layers() -> Vec<String> {
    let code = code_only(&read("src/lib.rs"));
    let name = |line: &str| Some(line.trim().strip_prefix("pub mod ")?.strip_suffix(';')?.to_owned());
    code.lines().filter_map(name).collect()
}

/// Fails with all faults at once.
fn assert_none(faults: &[String], cure: &str) {
    assert!(faults.is_empty(), "\n{}\n\n{cure}\n", faults.join("\n"));
}

#[test]
fn modules_import_only_from_those_above_them() {
    let layers = layers();
    let place = |name: &str| layers.iter().position(|layer| layer == name);
    let mut faults = Vec::new();
    for file in source_files() {
        let Some(own) = place(file.layer()) else { continue };
        let below = file.taken_from_root().into_iter().filter(|name| place(name).is_some_and(|other| other > own));
        faults.extend(below.map(|name| format!("src/{} imports `{name}`, which stands below it in lib.rs", file.path)));
    }
    assert_none(
        &faults,
        "Move what is shared up into the module that owns the word, or hand it in as an argument. \
         Reorder lib.rs only when the new order tells the better story.",
    );
}

#[test]
fn every_file_belongs_to_a_module_of_the_list() {
    let layers = layers();
    let files = source_files();
    let stray = files.iter().filter(|file| !matches!(file.path.as_str(), "lib.rs" | "main.rs"));
    let stray = stray.filter(|file| !layers.iter().any(|layer| layer == file.layer()));
    let faults: Vec<String> = stray.map(|file| format!("src/{} is in no `pub mod` of lib.rs", file.path)).collect();
    assert_none(&faults, "Add the module to lib.rs, at its place in the order.");
}

#[test]
fn pure_modules_have_no_effects() {
    let files = source_files();
    let is_pure = |file: &&SourceFile| {
        PURE.iter().any(|place| file.is_in(place)) && !TOUCHES_THE_WORLD.iter().any(|(place, _)| file.is_in(place))
    };
    let mut faults = Vec::new();
    for file in files.iter().filter(is_pure) {
        let effects = file.effects().into_iter();
        faults.extend(effects.map(|(effect, what)| format!("src/{} uses {what} (`{effect}`)", file.path)));
    }
    assert_none(
        &faults,
        "This module is pure: take what it needs as an argument, give back what shall happen as data, and let \
         `runner` do it.",
    );
}

#[test]
fn the_rules_name_what_exists() {
    let files = source_files();
    let places = PURE.into_iter().chain(TOUCHES_THE_WORLD.into_iter().map(|(place, _)| place));
    let gone = places.filter(|place| !files.iter().any(|file| file.is_in(place)));
    let faults: Vec<String> = gone.map(|place| format!("src/{place} is not there")).collect();
    assert_none(&faults, "Correct the tables at the top of tests/layering.rs.");
}

#[test]
fn the_ways_out_are_known() {
    let files = source_files();
    let writes = |file: &&SourceFile| WRITES.iter().any(|word| file.code.contains(word));
    let writing: Vec<&SourceFile> = files.iter().filter(writes).collect();
    let unknown = writing.iter().filter(|file| !WAYS_OUT.iter().any(|(place, _)| file.is_in(place)));
    let gone = WAYS_OUT.iter().filter(|(place, _)| !writing.iter().any(|file| file.is_in(place)));
    let mut faults: Vec<String> = unknown.map(|file| format!("src/{} writes", file.path)).collect();
    faults.extend(gone.map(|(place, _)| format!("src/{place} does not write")));
    assert_none(
        &faults,
        "See to it that no secret goes that way, and name it in WAYS_OUT and under Secrets in ARCHITECTURE.md.",
    );
}

#[test]
fn files_are_short() {
    let files = source_files();
    let long = files.iter().filter(|file| file.lines > LINES);
    let faults: Vec<String> = long.map(|file| format!("src/{} has {} lines", file.path, file.lines)).collect();
    assert_none(&faults, &format!("Split it by purpose: at most {LINES} lines a file, tests not counted."));
}

#[test]
fn nothing_is_put_off() {
    let files = source_files();
    let put_off = |code: &str| PUT_OFF.into_iter().find(|word| code.contains(&format!("{word}!")));
    let faults: Vec<String> = files
        .iter()
        .filter_map(|file| put_off(&file.code).map(|word| format!("src/{} says `{word}!`", file.path)))
        .collect();
    assert_none(&faults, "Write it, or leave the whole thing out and name it under the limits in README.md.");
}

#[test]
fn the_architecture_page_names_every_module() {
    let page = read("ARCHITECTURE.md");
    let is_named = |layer: &String| ["`", "/`"].iter().any(|end| page.contains(&format!("`{layer}{end}")));
    let unnamed: Vec<String> = layers().into_iter().filter(|layer| !is_named(layer)).collect();
    let faults: Vec<String> = unnamed.iter().map(|layer| format!("`{layer}` is not named")).collect();
    assert_none(&faults, "Say in ARCHITECTURE.md what the module is for.");
}

#[test]
fn the_reader_of_the_source_is_not_fooled() {
    let source = r##"
        use a::{b, c::{self, d}}; // crate::comment
        /* crate::one /* crate::two */ crate::three */
        const T: &str = "crate::text \" std::fs"; const R: &str = r#"crate::raw " "#; const C: char = '"';
        fn f<'a>(x: &'a str) -> char { super::super::g::<u8>(x); 'x' }
        #[cfg(test)]
        mod unit { use crate::tested; fn g() {} }
        #[cfg(test)]
        mod elsewhere;
        fn h() { Vec::<u8>::new(); }
    "##;
    let all = code_only(source);
    assert_eq!(all.lines().count(), source.lines().count());
    let (code, files) = without_tests(&all);
    assert_eq!(files, ["elsewhere"]);
    let long: Vec<String> = paths(&code).iter().filter(|path| path.len() > 1).map(|path| path.join("::")).collect();
    assert_eq!(long, ["a::b", "a::c::self", "a::c::d", "super::super::g"]);
}
