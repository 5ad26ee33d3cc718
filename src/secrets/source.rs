//! Reading one secret from where it is kept. Errors name the place, never the secret.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path};
use std::time::Duration;

use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use secrecy::SecretString;

use crate::program::{Environment, Programs, Trouble};

/// No secret is longer; what is longer is another file.
const LONGEST: u64 = 64 * 1024;

const BY_HAND: &str = "run it by hand to see what it says";

/// A secret cannot be had: where it should be, what is wrong there, what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no secret from {place}: {problem}; {cure}")]
pub struct SecretError {
    /// Where it should be, such as ``environment variable `SUNUP_PASSWORD` ``.
    pub place: String,
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub cure: String,
}

fn fault(place: &str, problem: impl Into<String>, cure: impl Into<String>) -> SecretError {
    SecretError { place: place.to_owned(), problem: problem.into(), cure: cure.into() }
}

/// `{ env }`.
pub(super) fn from_env(environment: &Environment, name: &str) -> Result<SecretString, SecretError> {
    let place = format!("environment variable `{name}`");
    let Some(value) = environment.get(OsString::from(name).as_os_str()) else {
        return Err(fault(&place, "it is not set", format!("set it: export {name}=…")));
    };
    text(&place, value.to_string_lossy().into_owned().into_bytes(), value.to_str().is_some())
}

/// `{ file }`: readable by its owner only, who is this user or root.
pub(super) fn from_file(path: &Path) -> Result<SecretString, SecretError> {
    let place = format!("file `{}`", path.display());
    let (mut file, meta) = open(&place, path)?;
    if meta.uid() != geteuid().as_raw() && meta.uid() != 0 {
        return Err(fault(&place, format!("it belongs to user {}", meta.uid()), "make it your own: chown"));
    }
    if meta.mode() & 0o077 != 0 {
        let problem = format!("others may read it (mode {:04o})", meta.mode() & 0o7777);
        return Err(fault(&place, problem, format!("chmod 600 {}", path.display())));
    }
    read(&place, &mut file)
}

/// `{ credential }`: a file that systemd put into the folder of this service, and guards.
pub(super) fn from_credential(environment: &Environment, name: &str) -> Result<SecretString, SecretError> {
    let place = format!("systemd credential `{name}`");
    let Some(folder) = environment.get(OsString::from("CREDENTIALS_DIRECTORY").as_os_str()) else {
        let cure = format!("run as a systemd service with LoadCredential={name}:…, or keep the secret elsewhere");
        return Err(fault(&place, "$CREDENTIALS_DIRECTORY is not set", cure));
    };
    let mut parts = Path::new(name).components();
    if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
        return Err(fault(&place, "the name is no file name", "write the name alone, without folders"));
    }
    let (mut file, _) = open(&place, &Path::new(folder).join(name))?;
    read(&place, &mut file)
}

/// `{ command }`: the first line that it prints.
pub(super) async fn from_command(
    programs: &Programs,
    command: &[String],
    limit: Duration,
) -> Result<SecretString, SecretError> {
    // Arguments may be telling; the program's name is enough to find the line.
    let place = command.first().map_or("a command".to_owned(), |program| format!("command `{program}`"));
    let ended = programs.run(command, LONGEST + 1, limit).await.map_err(|trouble| {
        let cure = match &trouble {
            Trouble::Empty => "write the program and its arguments as a list",
            Trouble::NotStarted(_) => "check its name and PATH",
            Trouble::Slow(_) => "it must not ask anything",
            Trouble::Unreadable(_) => BY_HAND,
        };
        fault(&place, trouble.to_string(), cure)
    })?;
    if ended.code != Some(0) {
        return Err(fault(&place, "it ended with an error", BY_HAND));
    }
    let line = ended.printed.split(|byte| *byte == b'\n').next().unwrap_or_default();
    text(&place, line.to_vec(), true)
}

/// Opens a regular file, without waiting for the other end of a pipe.
fn open(place: &str, path: &Path) -> Result<(std::fs::File, std::fs::Metadata), SecretError> {
    let unreadable =
        |error: std::io::Error| fault(place, format!("it cannot be read ({error})"), "check path and owner");
    let mut options = std::fs::OpenOptions::new();
    let file = options.read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path).map_err(unreadable)?;
    let meta = file.metadata().map_err(unreadable)?;
    if !meta.is_file() {
        return Err(fault(place, "it is no regular file", "name the file that holds the secret"));
    }
    Ok((file, meta))
}

fn read(place: &str, file: &mut std::fs::File) -> Result<SecretString, SecretError> {
    let mut bytes = Vec::new();
    file.take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| fault(place, format!("it cannot be read ({error})"), "check path and owner"))?;
    text(place, bytes, true)
}

/// The bytes as a secret, without the one newline that editors and `echo` put behind it.
fn text(place: &str, bytes: Vec<u8>, is_text: bool) -> Result<SecretString, SecretError> {
    let secret = String::from_utf8(bytes).ok().filter(|_| is_text);
    let Some(mut secret) = secret else {
        return Err(fault(place, "it is not UTF-8 text", "store the secret as plain text"));
    };
    if secret.ends_with('\n') {
        secret.pop();
        if secret.ends_with('\r') {
            secret.pop();
        }
    }
    if secret.len() as u64 >= LONGEST {
        return Err(fault(place, "it is too long for a secret", "name the file that holds the secret alone"));
    }
    if secret.is_empty() {
        return Err(fault(place, "it is empty", "put the secret there"));
    }
    Ok(SecretString::from(secret))
}
