//! Commands that a person is told to type: whole ones, which can be copied out of a mail into any terminal.

use std::env;
use std::path::{Path, PathBuf};

use crate::files::model::Project;
use crate::run::FailureKind;

/// Where somebody types a command, files and data are found only where they lie in the usual places of that person: elsewhere
/// the command names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commands {
    rest: String,
}

impl Commands {
    /// Commands about these files and this data folder.
    pub fn of(project: &Project, data: &Path) -> Self {
        let config = usual("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("sunup/sunup.yaml"));
        let state = usual("XDG_STATE_HOME", ".local/state").map(|folder| folder.join("sunup"));
        Commands { rest: rest(&[("--config", &project.file, config), ("--data", data, state)]) }
    }

    /// `sunup tickets close 3`.
    pub fn close(&self, ticket: i64) -> String {
        format!("sunup tickets close {ticket}{}", self.rest)
    }

    /// `sunup sign-in community alice`.
    pub fn sign_in(&self, site: &str, account: &str) -> String {
        format!("sunup sign-in {site} {account}{}", self.rest)
    }
}

/// True where a person signs in, or passes the check, in the account's own browser, and that is all that is needed.
pub(super) fn sign_in_helps(kind: FailureKind) -> bool {
    use FailureKind::*;
    ends_with_sign_in(kind) || kind == Interstitial
}

/// Kinds of tickets that are over once the person has signed in: they stood in the way of just that.
pub(super) fn ends_with_sign_in(kind: FailureKind) -> bool {
    use FailureKind::*;
    matches!(
        kind,
        Login | Captcha | OneTimeCode | QrLogin | Identity | Consent | Terms | PasswordChange | CredentialsRejected
    )
}

fn usual(variable: &str, home: &str) -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set(variable).or_else(|| set("HOME").map(|folder| folder.join(home)))
}

fn rest(named: &[(&str, &Path, Option<PathBuf>)]) -> String {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let elsewhere = named.iter().filter(|(_, path, usual)| usual.as_deref().map(whole) != Some(whole(path)));
    elsewhere.map(|(option, path, _)| format!(" {option} {}", quoted(&whole(path).display().to_string()))).collect()
}

/// As a shell takes it for one word.
fn quoted(text: &str) -> String {
    let plain = |sign: char| sign.is_alphanumeric() || "/._-+:@%,=".contains(sign);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_elsewhere_is_named() {
        let usual = || Some(PathBuf::from("/home/lin/.config/sunup/sunup.yaml"));
        let told = |path: &str| rest(&[("--config", Path::new(path), usual())]);
        assert_eq!(told("/home/lin/.config/sunup/sunup.yaml"), "");
        assert_eq!(told("/srv/sunup.yaml"), " --config /srv/sunup.yaml");
        assert_eq!(told("/srv/Lin's files/sunup.yaml"), r" --config '/srv/Lin'\''s files/sunup.yaml'");
        assert_eq!(rest(&[("--data", Path::new("/srv/data"), None)]), " --data /srv/data");
    }
}
