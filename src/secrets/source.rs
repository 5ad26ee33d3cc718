//! Reading one secret from where it is kept. Errors name the place, never the secret.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path};
use std::process::Stdio;
use std::time::Duration;

use nix::fcntl::OFlag;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, geteuid};
use secrecy::SecretString;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};

/// No secret is longer; what is longer is another file.
const LONGEST: u64 = 64 * 1024;

/// What a program that prints a secret may see of the environment: enough for `pass` and its like to find their store
/// and agent, no secret of ours.
const PASSED_ON: [&str; 9] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "GNUPGHOME",
    "PASSWORD_STORE_DIR",
    "SSH_AUTH_SOCK",
];

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

/// The environment as it was when the process started.
pub(super) type Environment = BTreeMap<OsString, OsString>;

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

/// `{ command }`: the first line that it prints. No shell, a clean environment, a time limit for it and all it started.
pub(super) async fn from_command(
    environment: &Environment,
    folder: &Path,
    command: &[String],
    limit: Duration,
) -> Result<SecretString, SecretError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(fault("a command", "it is empty", "write the program and its arguments as a list"));
    };
    // Arguments may be telling; the program's name is enough to find the line.
    let place = format!("command `{program}`");
    let by_hand = "run it by hand to see what it says";
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(PASSED_ON.iter().filter_map(|name| Some((name, environment.get(OsString::from(name).as_os_str())?))))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| fault(&place, format!("it cannot be started ({error})"), "check its name and PATH"))?;
    let group = child.id();
    let outcome = tokio::time::timeout(limit, output(&mut child)).await;
    end_group(group);
    let (printed, success) = match outcome {
        Err(_) => return Err(fault(&place, format!("it did not end within {limit:?}"), "it must not ask anything")),
        Ok(Err(error)) => return Err(fault(&place, format!("its output cannot be read ({error})"), by_hand)),
        Ok(Ok(outcome)) => outcome,
    };
    if !success {
        return Err(fault(&place, "it ended with an error", by_hand));
    }
    let line = printed.split(|byte| *byte == b'\n').next().unwrap_or_default();
    text(&place, line.to_vec(), true)
}

/// What it printed, and whether it ended well.
async fn output(child: &mut Child) -> std::io::Result<(Vec<u8>, bool)> {
    let mut printed = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(LONGEST + 1).read_to_end(&mut printed).await?;
    }
    Ok((printed, child.wait().await?.success()))
}

/// Ends whatever is left of the command, which may have started others.
fn end_group(group: Option<u32>) {
    if let Some(group) = group.and_then(|id| i32::try_from(id).ok()) {
        // Nothing is left in the usual case, which is an error here.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
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
