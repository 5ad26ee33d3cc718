//! Resolves the secret sources of the settings, and makes every secret known to the redactor at once.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};

use super::Redactor;
use super::source::{SecretError, from_command, from_credential, from_env, from_file};
use crate::files::model::{SecretSource, TextSource};
use crate::program::{Environment, Programs};

/// A program that prints a secret must end within this time.
const COMMAND_LIMIT: Duration = Duration::from_secs(10);

/// Gets secrets from where they are kept.
#[derive(Clone)]
pub struct Resolver {
    root: PathBuf,
    environment: Environment,
    redactor: Redactor,
    command_limit: Duration,
}

impl Resolver {
    /// Relative paths start at `root`; `environment` is usually `std::env::vars_os()`. Every secret that is resolved is
    /// added to `redactor`.
    pub fn new(
        root: impl Into<PathBuf>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        redactor: Redactor,
    ) -> Self {
        Resolver {
            root: root.into(),
            environment: environment.into_iter().collect(),
            redactor,
            command_limit: COMMAND_LIMIT,
        }
    }

    /// The secret of this source.
    pub async fn secret(&self, source: &SecretSource) -> Result<SecretString, SecretError> {
        let secret = match source {
            SecretSource::Env(name) => from_env(&self.environment, name),
            SecretSource::File(path) => from_file(&self.root.join(path)),
            SecretSource::Command(command) => from_command(&self.programs(), command, self.command_limit).await,
            SecretSource::Credential(name) => from_credential(&self.environment, name),
        }?;
        self.redactor.add(&secret);
        Ok(secret)
    }

    /// A variable of the environment.
    pub(super) fn variable(&self, name: &OsStr) -> Option<OsString> {
        self.environment.get(name).map(|value| value.to_owned())
    }

    /// Runs programs as those that print secrets are run.
    pub fn programs(&self) -> Programs {
        Programs::new(&self.root, &self.environment)
    }

    /// The text of this source, such as a user name. What comes from a secret source is treated as a secret in logs and
    /// reports.
    pub async fn text(&self, source: &TextSource) -> Result<String, SecretError> {
        match source {
            TextSource::Plain(text) => Ok(text.clone()),
            TextSource::Secret(source) => Ok(self.secret(source).await?.expose_secret().to_owned()),
        }
    }
}

/// Without the environment, which holds secrets.
impl fmt::Debug for Resolver {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Resolver").field("root", &self.root).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;

    fn resolver(root: &Path, environment: &[(&str, &str)]) -> Resolver {
        let environment = environment.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let path = std::env::var_os("PATH").map(|path| (OsString::from("PATH"), path));
        Resolver::new(root, environment.chain(path), Redactor::new())
    }

    async fn exposed(resolver: &Resolver, source: SecretSource) -> Result<String, String> {
        let secret = resolver.secret(&source).await.map_err(|error| error.to_string())?;
        Ok(secret.expose_secret().to_owned())
    }

    fn write(folder: &Path, name: &str, content: &[u8], mode: u32) -> SecretSource {
        let path = folder.join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        SecretSource::File(name.into())
    }

    fn command(words: &[&str]) -> SecretSource {
        SecretSource::Command(words.iter().map(ToString::to_string).collect())
    }

    #[tokio::test]
    async fn from_the_environment() {
        let resolver = resolver(Path::new("."), &[("SUNUP_PW", "hunter22"), ("EMPTY", "")]);
        assert_eq!(exposed(&resolver, SecretSource::Env("SUNUP_PW".into())).await.unwrap(), "hunter22");
        let error = exposed(&resolver, SecretSource::Env("NOT_THERE".into())).await.unwrap_err();
        assert_eq!(error, "no secret from environment variable `NOT_THERE`: it is not set; set it: export NOT_THERE=…");
        assert!(exposed(&resolver, SecretSource::Env("EMPTY".into())).await.unwrap_err().contains("it is empty"));
    }

    #[tokio::test]
    async fn from_a_file_one_newline_is_not_part_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let resolver = resolver(folder.path(), &[]);
        for (content, secret) in [
            ("hunter22", "hunter22"),
            ("hunter22\n", "hunter22"),
            ("hunter22\r\n", "hunter22"),
            (" a b \n\n", " a b \n"),
        ] {
            let source = write(folder.path(), "pw", content.as_bytes(), 0o600);
            assert_eq!(exposed(&resolver, source).await.unwrap(), secret);
        }
    }

    #[tokio::test]
    async fn a_file_that_others_may_read_is_refused_with_the_cure() {
        let folder = tempfile::tempdir().unwrap();
        let resolver = resolver(folder.path(), &[]);
        for mode in [0o640, 0o604, 0o644, 0o620] {
            let error = exposed(&resolver, write(folder.path(), "pw", b"hunter22", mode)).await.unwrap_err();
            assert!(error.contains(&format!("(mode {mode:04o})")) && error.contains("chmod 600 "), "{error}");
            assert!(!error.contains("hunter22"));
        }
        assert!(exposed(&resolver, write(folder.path(), "pw", b"hunter22", 0o400)).await.is_ok());
    }

    #[tokio::test]
    async fn what_is_no_secret_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let resolver = resolver(folder.path(), &[]);
        nix::unistd::mkfifo(&folder.path().join("pipe"), nix::sys::stat::Mode::S_IRUSR).unwrap();
        for (source, problem) in [
            (SecretSource::File("missing".into()), "cannot be read"),
            (SecretSource::File(".".into()), "no regular file"),
            (SecretSource::File("pipe".into()), "no regular file"),
            (write(folder.path(), "bytes", b"\xff\xfe", 0o600), "not UTF-8"),
            (write(folder.path(), "empty", b"\n", 0o600), "it is empty"),
            (write(folder.path(), "big", &[b'x'; 70_000], 0o600), "too long"),
        ] {
            let error = exposed(&resolver, source).await.unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[tokio::test]
    async fn from_a_command_without_a_shell_and_in_a_clean_environment() {
        let folder = tempfile::tempdir().unwrap();
        let resolver = resolver(folder.path(), &[("SUNUP_PW", "hunter22")]);
        assert_eq!(exposed(&resolver, command(&["printf", "first\nsecond\n"])).await.unwrap(), "first");
        assert_eq!(exposed(&resolver, command(&["echo", "$HOME; ls"])).await.unwrap(), "$HOME; ls");
        let error = exposed(&resolver, command(&["printenv", "SUNUP_PW"])).await.unwrap_err();
        assert!(error.contains("it ended with an error"), "{error}");
        assert!(exposed(&resolver, command(&["no-such-program"])).await.unwrap_err().contains("cannot be started"));
        assert!(exposed(&resolver, command(&[])).await.unwrap_err().contains("it is empty"));
    }

    #[tokio::test]
    async fn a_command_that_does_not_end_is_ended_with_all_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let mut resolver = resolver(folder.path(), &[]);
        resolver.command_limit = Duration::from_millis(300);
        // Whoever still lives holds the pipe open, so that its end is the end of them all.
        let alive = folder.path().join("alive");
        nix::unistd::mkfifo(&alive, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let ended = tokio::task::spawn_blocking(|| std::fs::read(alive));
        let script = "exec 3>alive; sleep 20 & echo hunter22; wait";
        let error = exposed(&resolver, command(&["sh", "-c", script])).await.unwrap_err();
        assert!(error.contains("did not end within") && !error.contains("hunter22"), "{error}");
        tokio::time::timeout(Duration::from_secs(10), ended).await.expect("its child is still alive").unwrap().unwrap();
    }

    #[tokio::test]
    async fn from_a_systemd_credential() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "mail", b"hunter22\n", 0o440);
        let there = resolver(Path::new("."), &[("CREDENTIALS_DIRECTORY", folder.path().to_str().unwrap())]);
        assert_eq!(exposed(&there, SecretSource::Credential("mail".into())).await.unwrap(), "hunter22");
        for name in ["../mail", "/etc/hostname", "a/b", "", ".."] {
            let error = exposed(&there, SecretSource::Credential(name.into())).await.unwrap_err();
            assert!(error.contains("no file name"), "{name}: {error}");
        }
        let nowhere = resolver(Path::new("."), &[]);
        let error = exposed(&nowhere, SecretSource::Credential("mail".into())).await.unwrap_err();
        assert!(error.contains("LoadCredential=mail"), "{error}");
    }

    #[tokio::test]
    async fn what_is_resolved_is_redacted_from_then_on() {
        let resolver = resolver(Path::new("."), &[("SUNUP_PW", "hunter22"), ("SUNUP_USER", "lin@example.org")]);
        resolver.secret(&SecretSource::Env("SUNUP_PW".into())).await.unwrap();
        let user = TextSource::Secret(SecretSource::Env("SUNUP_USER".into()));
        assert_eq!(resolver.text(&user).await.unwrap(), "lin@example.org");
        assert_eq!(resolver.text(&TextSource::Plain("plain-name".into())).await.unwrap(), "plain-name");
        assert_eq!(resolver.redactor.redact("hunter22 lin@example.org plain-name"), "••• ••• plain-name");
        assert!(!format!("{resolver:?}").contains("hunter22"));
    }
}
