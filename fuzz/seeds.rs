//! Makes what fuzzing begins with from `tests/format/`: whole files and their edits, conditions, and a dictionary of every
//! word in them. Only the standard library: `scripts/fuzz` compiles it by itself.

use std::collections::BTreeSet;
use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(format), Some(fuzz)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: seeds tests/format fuzz");
        std::process::exit(2);
    };
    let folders = seeds_of_folders(&format)?;
    let edits = seeds_of_edits(&format)?;
    let texts: Vec<&Vec<u8>> = folders.iter().chain(&edits).collect();
    write_all(&fuzz.join("corpus/loader"), texts.iter().map(|text| text.as_slice()))?;
    let whole: String = texts.iter().map(|text| String::from_utf8_lossy(text).into_owned() + "\n").collect();
    let conditions = conditions(&whole);
    write_all(&fuzz.join("corpus/condition"), conditions.iter().map(|text| text.as_bytes()))?;
    fs::create_dir_all(fuzz.join("corpus/fold"))?;
    fs::create_dir_all(fuzz.join("dictionaries"))?;
    fs::write(fuzz.join("dictionaries/loader.dict"), dictionary(&whole))
}

/// A task, its site and the settings, in the order in which the target takes them apart.
fn joined(task: &str, site: &str, settings: &str) -> Vec<u8> {
    [task, site, settings].map(str::as_bytes).join(&0xff)
}

/// Every sample site, with each of its tasks.
fn seeds_of_folders(format: &Path) -> Result<Vec<Vec<u8>>> {
    let settings = fs::read_to_string(format.join("sunup.yaml"))?;
    let mut seeds = Vec::new();
    for folder in fs::read_dir(format.join("tasks"))? {
        let folder = folder?.path();
        let site = fs::read_to_string(folder.join("site.yaml"))?;
        seeds.push(joined("", &site, &settings));
        for task in fs::read_dir(&folder)? {
            let task = task?.path();
            if task.extension().is_some_and(|ending| ending == "yaml") && !task.ends_with("site.yaml") {
                seeds.push(joined(&fs::read_to_string(task)?, &site, &settings));
            }
        }
    }
    Ok(seeds)
}

/// Every edit of the lists: name, file, old text, `-----`, new text, and `=====` between them.
fn seeds_of_edits(format: &Path) -> Result<Vec<Vec<u8>>> {
    let task = fs::read_to_string(format.join("tasks/community/checkin.yaml"))?;
    let site = fs::read_to_string(format.join("tasks/community/site.yaml"))?;
    let settings = "format: 1\ntimezone: Asia/Shanghai\n";
    let mut seeds = Vec::new();
    for list in ["good.txt", "wrong.txt", "more-wrong.txt", "not-yet.txt"] {
        for case in fs::read_to_string(format.join(list))?.trim_end().split("\n=====\n") {
            let Some((head, new)) = case.split_once("\n-----\n") else { continue };
            let mut lines = head.splitn(3, '\n').skip(1);
            let (Some(file), Some(old)) = (lines.next(), lines.next()) else { continue };
            let edit = |text: &str| text.replacen(old, new.trim_end_matches('\n'), 1);
            seeds.push(match file {
                "task" => joined(&edit(&task), &site, settings),
                "site" => joined(&task, &edit(&site), settings),
                _ => joined(&task, &site, &edit(settings)),
            });
        }
    }
    Ok(seeds)
}

/// What stands behind the keys that take a condition, and what stands in braces.
fn conditions(text: &str) -> BTreeSet<String> {
    let keys = ["done: ", "todo: ", "when: ", "expect: ", "have: ", "want: ", "skip: ", "later: ", "notice: "];
    let behind = text.lines().filter_map(|line| {
        let key = keys.iter().find(|key| line.contains(*key))?;
        line.split_once(key).map(|(_, condition)| condition.trim())
    });
    let braced = text.split("{{").skip(1).filter_map(|rest| rest.split("}}").next().map(str::trim));
    behind.chain(braced).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// Every word of the files, keys with their colon.
fn dictionary(text: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_.-:".contains(letter);
    let words: BTreeSet<&str> =
        text.split(|letter| !is_part(letter)).filter(|word| (2..40).contains(&word.len())).collect();
    let marks = ["  - ", "{ ", " }", "\\x0A  ", "\\x0A    ", ": |\\x0A", "{{ ", " }}", "\\xff", "\\\"", "&a ", "*a", "!!", "? "];
    words.into_iter().chain(marks).map(|word| format!("\"{word}\"\n")).collect()
}

fn write_all<'a>(folder: &Path, texts: impl Iterator<Item = &'a [u8]>) -> Result<()> {
    fs::create_dir_all(folder)?;
    for (number, text) in texts.enumerate() {
        fs::write(folder.join(format!("seed-{number:04}")), text)?;
    }
    Ok(())
}
