//! Edits of the sample files that must be refused, with file, line, column and the cure.
//!
//! `wrong.txt` and `more-wrong.txt` say what to replace, and with what; the snapshots say what the user is told.

use std::fs;

use super::super::FaultKind;
use super::{Scratch, samples};

/// One edit: its name, the file, the text to replace, the text to put there.
pub(super) struct Case {
    pub name: String,
    file: String,
    old: String,
    new: String,
}

impl Case {
    /// Makes the edit.
    pub fn apply(&self, scratch: &Scratch) {
        let file = match self.file.as_str() {
            "task" => "tasks/community/checkin.yaml",
            "site" => "tasks/community/site.yaml",
            file => file,
        };
        let text = scratch.read(file);
        assert!(text.contains(&self.old), "{}: nothing to replace", self.name);
        scratch.write(file, text.replacen(&self.old, &self.new, 1));
    }
}

/// The cases of a file: name, file, old text, `-----`, new text, and `=====` between them.
pub(super) fn cases(text: &str) -> Vec<Case> {
    let case = |text: &str| {
        let (head, new) = text.split_once("\n-----\n").unwrap();
        let mut lines = head.splitn(3, '\n');
        let mut next = || lines.next().unwrap().to_owned();
        Case { name: next(), file: next(), old: next(), new: new.trim_end_matches('\n').to_owned() }
    };
    text.trim_end().split("\n=====\n").map(case).collect()
}

/// What each case tells the user. Every one is refused as wrong.
fn told(file: &str) -> String {
    let text = fs::read_to_string(samples().join(file)).unwrap();
    let mut told = String::new();
    for case in cases(&text) {
        let scratch = Scratch::new();
        case.apply(&scratch);
        let faults = scratch.load().expect_err(&case.name);
        assert!(faults.iter().any(|fault| fault.kind == FaultKind::Wrong), "{}", case.name);
        told.push_str(&format!("# {}\n", case.name));
        faults.iter().for_each(|fault| told.push_str(&format!("{}\n", super::line(fault))));
    }
    told
}

#[test]
fn wrong_files() {
    insta::assert_snapshot!(told("wrong.txt"));
}

#[test]
fn more_wrong_files() {
    insta::assert_snapshot!(told("more-wrong.txt"));
}

/// Good grammar that cannot run yet: one fault each, which names it.
#[test]
fn not_supported_yet() {
    let text = fs::read_to_string(samples().join("not-yet.txt")).unwrap();
    let mut told = String::new();
    for case in cases(&text) {
        let scratch = Scratch::new();
        case.apply(&scratch);
        let faults = scratch.load().expect_err(&case.name);
        for fault in &faults {
            assert_eq!(fault.kind, FaultKind::NotSupportedYet, "{}: {}", case.name, super::line(fault));
            told.push_str(&format!("{} {}\n", fault.place, fault.message));
        }
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_fault_is_shown_with_its_line_and_its_cure() {
    let scratch = Scratch::new();
    let text = scratch.read("tasks/community/checkin.yaml").replace("title=", "titel=");
    scratch.write("tasks/community/checkin.yaml", text);
    let faults = scratch.load().unwrap_err();
    insta::assert_snapshot!("as_text", faults.render(false));
    let json = serde_json::to_string(&faults).unwrap();
    insta::assert_snapshot!("as_json", json);
    assert!(faults.render(true).contains('\u{1b}'));
}

#[test]
fn one_broken_file_does_not_hide_the_faults_of_others() {
    let scratch = Scratch::new();
    scratch.write("sunup.yaml", "format: 2\ntimezone: [\n");
    scratch.write("tasks/community/other.yaml", "name: 另一个\nact: person\n");
    scratch.write("tasks/second/site.yaml", "name: 二\n");
    insta::assert_snapshot!(scratch.faults().join("\n"));
}
