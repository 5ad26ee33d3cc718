//! Files that nobody wrote with good intent, or that a broken disk left behind.

use proptest::prelude::*;

use super::super::condition::{Condition, Names, Scope, Template};
use super::Scratch;

const TASK: &str = "tasks/community/checkin.yaml";

fn told(text: impl AsRef<[u8]>) -> String {
    let scratch = Scratch::new();
    scratch.write(TASK, text);
    scratch.faults().join("\n")
}

#[test]
fn bytes_that_are_no_task() {
    let files: [&[u8]; 9] = [
        &[0xff, 0xfe, 0x00, 0x41],
        b"\xef\xbb\xbfname: x\n",
        b"name: \xc7\xa9\xb5\xbd\n",
        b"name: a\0b\n",
        b"",
        b"# only a comment\n",
        b"---\nname: x\n---\nname: y\n",
        b"%YAML 1.2\n---\nname: x\n",
        b"- a\n- b\n",
    ];
    let told: Vec<_> = files.iter().map(|bytes| format!("# {}\n{}", bytes.escape_ascii(), told(bytes))).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn too_large_too_deep_and_a_bomb() {
    let brackets = format!("  done: {}signed{}", "(".repeat(1_000), ")".repeat(1_000));
    let bomb = (0..30).fold("a0: &a0 [x, x]\n".to_owned(), |text, at| {
        format!("{text}a{next}: &a{next} [*a{at}, *a{at}]\n", next = at + 1)
    });
    assert!(told(bomb).contains("anchors are not used here"));
    let told = [
        told("# x\n".repeat(300_000)),
        told(format!("name: {}", "[".repeat(100_000))),
        told(format!("name: {}x{}", "{ a: ".repeat(200), " }".repeat(200))),
        told(format!("{}x: 1\n", "- ".repeat(100))),
        told((0..60_000).map(|at| format!("k{at}: 1\n")).collect::<String>()),
        told(Scratch::new().read(TASK).replacen("  done: signed", &brackets, 1)),
        told(Scratch::new().read(TASK).replacen("  done: signed", &format!("  done: {}signed", "not ".repeat(900)), 1)),
        told(Scratch::new().read(TASK).replacen(
            "  done: signed",
            &format!("  done: {}signed", "signed and ".repeat(500)),
            1,
        )),
    ];
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_folder_where_a_file_should_be_and_files_where_nothing_should_be() {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.root.path().join("tasks/community/folder.yaml")).unwrap();
    scratch.write("tasks/stray.yaml", "x");
    scratch.write("tasks/README.md", "x");
    scratch.write("tasks/community/notes.txt", "x");
    scratch.write("tasks/community/.hidden.yaml", "x");
    scratch.write("tasks/community/old.yml", "x");
    scratch.write("tasks/community/more/x.yaml", "x");
    scratch.write("tasks/community/Sign-In.yaml", "x");
    scratch.write("tasks/Forum 2/site.yaml", "x");
    scratch.write("tasks/empty/notes.txt", "x");
    insta::assert_snapshot!(scratch.faults().join("\n"));
}

#[test]
fn nothing_there_at_all() {
    let root = tempfile::tempdir().unwrap();
    let faults = super::load(root.path()).unwrap_err();
    let told: Vec<_> = faults.iter().map(super::line).collect();
    insta::assert_snapshot!(told.join("\n"));
    assert!(super::load(&root.path().join("nowhere/sunup.yaml")).is_err());
}

/// Every beginning of a good file is refused or loads; none makes the loader panic.
#[test]
fn a_file_cut_anywhere() {
    let scratch = Scratch::new();
    for file in [TASK, "tasks/community/site.yaml", "sunup.yaml"] {
        let whole = scratch.read(file);
        for (cut, _) in whole.char_indices().step_by(7) {
            scratch.write(file, &whole[..cut]);
            scratch.load().map_or_else(|faults| drop(faults.render(false)), drop);
        }
        scratch.write(file, &whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_loader_panic(at in 0usize..600, piece in "[\\PC\\n\\t]{0,24}") {
        let scratch = Scratch::new();
        let mut text = scratch.read(TASK);
        let at = (at..).find(|at| text.is_char_boundary((*at).min(text.len()))).unwrap().min(text.len());
        text.insert_str(at, &piece);
        scratch.write(TASK, &text);
        if let Err(faults) = scratch.load() {
            faults.iter().for_each(|fault| drop(super::line(fault)));
            faults.render(true);
        }
    }

    #[test]
    fn no_condition_panics(text in "([a-z\"'.,()=<>!|+-]|and |or |not |day|count\\(|\\PC){0,40}") {
        let names = Names::of_the_day();
        if let Ok(condition) = Condition::parse(&text, &names) {
            let _ = condition.holds(&Scope::default());
        }
        if let Ok(template) = Template::parse(&format!("{{{{{text}}}}}"), &names) {
            let _ = template.render(&Scope::default());
        }
    }
}
