//! `sunup dead`: tasks that ended as dead, until a person has taken note of them or ordered one to go on.

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::exit::Exit;
use super::{Common, folders, show, status};
use crate::clock::{Clock, SystemClock};
use crate::files::model::Project;
use crate::ledger::{BY_A_PERSON, Ledger};
use crate::report::Words;
use crate::runner::{DeadLetter, dead_letters, order};

/// What `dead` takes.
#[derive(Debug, Args)]
pub(super) struct DeadArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Take note: they are not told of any more
    Acknowledge {
        /// A key as `sunup dead` shows it, or `site/task` where that names one
        #[arg(required_unless_present = "all")]
        keys: Vec<String>,
        /// All of them
        #[arg(long, conflicts_with = "keys")]
        all: bool,
    },
    /// Order one to go on: it is read again, and done again only if the site says that it is to do
    Retry {
        /// A key as `sunup dead` shows it, or `site/task` where that names one
        key: String,
    },
}

/// Shows the dead letters, takes note of them, or orders one to go on.
pub(super) fn dead(common: &Common, args: &DeadArgs) -> Result<Exit> {
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    let words = Words::new(project.settings.language)?;
    let now = SystemClock::new().now();
    let Some(action) = &args.action else {
        let ledger = status::open(common)?;
        let letters = ledger.map(|ledger| dead_letters(&project, &ledger, now)).transpose()?.unwrap_or_default();
        list(common, &project, &letters, &words);
        return Ok(if letters.is_empty() { Exit::Ok } else { Exit::TaskFailed });
    };
    let data = folders::data(common).map_err(anyhow::Error::msg)?;
    let ledger = Ledger::open(&data)?;
    let letters = dead_letters(&project, &ledger, now)?;
    let wanted = match action {
        Action::Acknowledge { all: true, .. } => Ok(letters.iter().collect()),
        Action::Acknowledge { keys, .. } => keys.iter().map(|key| one_of(&letters, key)).collect(),
        Action::Retry { key } => one_of(&letters, key).map(|letter| vec![letter]),
    };
    let wanted: Vec<&DeadLetter> = match wanted {
        Ok(wanted) => wanted,
        Err(why) => {
            eprintln!("sunup: {why}; `sunup dead` lists them");
            return Ok(Exit::Usage);
        }
    };
    match action {
        Action::Acknowledge { .. } => {
            for letter in &wanted {
                ledger.acknowledge(&letter.key, BY_A_PERSON, SystemClock::new().now())?;
            }
            tell(common, "acknowledged", &wanted, &words);
        }
        Action::Retry { .. } => {
            for letter in &wanted {
                if let Err(why) = order(&project, &ledger, &letter.key, SystemClock::new().now())? {
                    eprintln!("sunup: {} cannot go on: {why}; `sunup dead acknowledge` takes note of it", letter.key);
                    return Ok(Exit::TaskFailed);
                }
            }
            tell(common, "ordered", &wanted, &words);
        }
    }
    Ok(Exit::Ok)
}

/// The letter that a person means.
fn one_of<'l>(letters: &'l [DeadLetter], named: &str) -> Result<&'l DeadLetter, String> {
    if let Some(letter) = letters.iter().find(|letter| letter.key.as_str() == named) {
        return Ok(letter);
    }
    let mut of_task = letters.iter().filter(|letter| letter.run.task == named);
    match (of_task.next(), of_task.next()) {
        (Some(letter), None) => Ok(letter),
        (None, _) => Err(format!("`{named}` is no dead letter")),
        (Some(_), Some(_)) => Err(format!("`{named}` has several dead letters: name one by its key")),
    }
}

fn list(common: &Common, project: &Project, letters: &[DeadLetter], words: &Words) {
    if common.json {
        show::json(&letters.iter().map(as_json).collect::<Vec<_>>());
        return;
    }
    if letters.is_empty() {
        show::line(&words.get("cli-dead-none"));
        return;
    }
    let header = ["cli-key", "cli-task", "cli-when", "cli-why"].map(|key| words.get(key));
    let zone = project.settings.timezone;
    let row = |letter: &DeadLetter| {
        vec![
            letter.key.to_string(),
            format!("{} {}", letter.run.site, letter.run.name),
            status::local(letter.died_at, zone),
            status::why(&letter.run, words, zone),
        ]
    };
    show::table(&header, letters.iter().map(row).collect());
    show::line(&words.get("cli-dead-what-now"));
}

fn as_json(letter: &DeadLetter) -> Value {
    json!({
        "key": letter.key.as_str(),
        "died_at": letter.died_at,
        "can_go_on": letter.over.is_none(),
        "over": letter.over,
        "run": letter.run,
    })
}

fn tell(common: &Common, what: &str, letters: &[&DeadLetter], words: &Words) {
    let keys: Vec<&str> = letters.iter().map(|letter| letter.key.as_str()).collect();
    if common.json {
        show::json(&json!({ what: keys }));
        return;
    }
    for key in keys {
        show::line(&words.with(&format!("cli-dead-{what}"), &[("key", key.into())]));
    }
}
