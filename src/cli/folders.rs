//! Where the settings and the data are.

use std::env;
use std::path::{Path, PathBuf};

use super::Common;
use super::exit::Exit;
use crate::files::model::Project;
use crate::files::{self, Faults};

/// The settings file; or what to do when there is none.
pub fn config(common: &Common) -> Result<PathBuf, String> {
    if let Some(file) = &common.config {
        let missing = || format!("there is no settings file {}: check the name after --config", file.display());
        return file.is_file().then(|| file.clone()).ok_or_else(missing);
    }
    let mut places = vec![PathBuf::from("sunup.yaml")];
    places.extend(below("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("sunup/sunup.yaml")));
    places.iter().find(|file| file.is_file()).cloned().ok_or_else(|| {
        let tried: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        format!("there is no settings file (looked for {}): name one with --config FILE", tried.join(" and "))
    })
}

/// The data folder; or what to do when the machine names none.
pub fn data(common: &Common) -> Result<PathBuf, String> {
    let systemd = || env::var_os("STATE_DIRECTORY").filter(|value| !value.is_empty()).map(PathBuf::from);
    let named = common.data.clone().or_else(systemd);
    named.or_else(|| below("XDG_STATE_HOME", ".local/state").map(|folder| folder.join("sunup"))).ok_or_else(|| {
        "there is no place for the ledger: neither --data, nor $STATE_DIRECTORY, $XDG_STATE_HOME or $HOME is set"
            .to_owned()
    })
}

fn below(variable: &str, home: &str) -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set(variable).or_else(|| set("HOME").map(|folder| folder.join(home)))
}

/// Where the last good copy of each calendar file is kept.
pub fn calendar_copies(data: &Path) -> PathBuf {
    data.join("calendars")
}

/// Reads the files, or says what is wrong with them.
pub fn project(common: &Common) -> Result<Project, Exit> {
    let file = config(common).map_err(|why| {
        eprintln!("sunup: {why}");
        Exit::Config
    })?;
    let copies = data(common).ok().map(|data| calendar_copies(&data));
    files::load_with(&file, copies.as_deref()).map_err(|faults| {
        tell(&faults, common.json);
        Exit::Config
    })
}

/// Prints faults: as JSON on stdout, or for a person on stderr.
pub fn tell(faults: &Faults, json: bool) {
    if json {
        super::show::json(&serde_json::json!({ "faults": faults }));
    } else {
        use std::io::IsTerminal;
        let colour = std::io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none();
        eprintln!("{}", faults.render(colour));
    }
}
