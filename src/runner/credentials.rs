//! The user name and password of an account, and the fingerprint by which a rejected one is known again.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anyhow::{Context, Result};
use ring::{hmac, rand};
use secrecy::{ExposeSecret, SecretString};

use crate::files::model::{Account, Site};
use crate::run::{Failure, FailureKind};
use crate::secrets::{Redactor, Resolver, SecretError};

/// What is typed into a sign-in form.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// The user name.
    pub username: String,
    /// The password; none where a person signs in.
    pub password: Option<SecretString>,
}

/// Where credentials come from, and the folder that holds the fingerprint key.
#[derive(Debug, Clone)]
pub struct CredentialsFrom {
    /// A rehearsal's: from this folder of fixtures, never from the person's own sources.
    pub fixtures: Option<PathBuf>,
    /// The person's own sources.
    pub resolver: Resolver,
    /// Learns every secret before anything else sees it.
    pub redactor: Redactor,
    /// The data folder.
    pub data: PathBuf,
}

impl Credentials {
    /// Nobody's, where only a file name is at stake.
    pub fn nobody() -> Self {
        Credentials { username: String::new(), password: None }
    }
}

impl CredentialsFrom {
    /// The user name alone: where a person signs in, the password is the person's.
    pub async fn username_of(&self, site: &Site, account: &Account) -> Result<String, Failure> {
        if let Some(fixtures) = &self.fixtures {
            return Ok(self.of_fixture(fixtures, site, account)?.username);
        }
        let wrong = |error: SecretError| {
            let name = format!("{}@{}", site.id, account.id);
            Failure::new(FailureKind::Environment, format!("the user name of {name}: {error}"))
        };
        self.resolver.text(&account.username).await.map_err(wrong)
    }

    /// The credentials of this account.
    pub async fn of(&self, site: &Site, account: &Account) -> Result<Credentials, Failure> {
        if let Some(fixtures) = &self.fixtures {
            return self.of_fixture(fixtures, site, account);
        }
        let wrong = |error: SecretError| {
            let name = format!("{}@{}", site.id, account.id);
            Failure::new(FailureKind::Environment, format!("the login of {name}: {error}"))
        };
        let username = self.resolver.text(&account.username).await.map_err(wrong)?;
        let password = match &account.password {
            Some(source) => Some(self.resolver.secret(source).await.map_err(wrong)?),
            None => None,
        };
        Ok(Credentials { username, password })
    }

    fn of_fixture(&self, fixtures: &std::path::Path, site: &Site, account: &Account) -> Result<Credentials, Failure> {
        let missing = |why: String| {
            let name = format!("{}@{}", site.id, account.id);
            let cure = format!("write one into fixtures/{}/secrets.yaml", site.id);
            Failure::new(FailureKind::Environment, format!("no rehearsal login for {name}{why}: {cure}"))
        };
        let found = crate::fixture::secrets(fixtures, &site.id, &account.id)
            .map_err(|error| missing(format!(" ({error:#})")))?
            .ok_or_else(|| missing(String::new()))?;
        let password = SecretString::from(found.1);
        self.redactor.add(&password);
        Ok(Credentials { username: found.0, password: account.password.as_ref().map(|_| password) })
    }

    /// The fingerprint of a password: a hash under a key of its own, which lies beside the ledger (0600), not in it.
    pub fn fingerprint(&self, credentials: &Credentials) -> Result<Option<String>> {
        let Some(password) = &credentials.password else { return Ok(None) };
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.fingerprint_key()?);
        let both = format!("{}\0{}", credentials.username, password.expose_secret());
        let tag = hmac::sign(&key, both.as_bytes());
        Ok(Some(tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Made once, whole, for its owner alone: another key would forget which logins were rejected.
    fn fingerprint_key(&self) -> Result<Vec<u8>> {
        let path = self.data.join("fingerprint.key");
        let cannot = |what: &str| format!("{} cannot be {what}", path.display());
        if !path.exists() {
            let mut key = [0u8; 32];
            rand::SecureRandom::fill(&rand::SystemRandom::new(), &mut key)
                .map_err(|_| anyhow::anyhow!("the system gives no random numbers"))?;
            let mut file = tempfile::NamedTempFile::new_in(&self.data).with_context(|| cannot("written"))?;
            file.write_all(&key).and_then(|()| file.as_file().sync_all()).with_context(|| cannot("written"))?;
            // Another run may have been quicker: then its key is the one.
            match file.persist_noclobber(&path) {
                Err(lost) if lost.error.kind() != ErrorKind::AlreadyExists => {
                    Err(lost.error).with_context(|| cannot("written"))?
                }
                _ => {}
            }
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).with_context(|| cannot("kept from others"))?;
        let key = fs::read(&path).with_context(|| cannot("read"))?;
        anyhow::ensure!(
            key.len() == 32,
            "{} is damaged: put back a copy of it, or, when every login is right now, remove it",
            path.display()
        );
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(data: &std::path::Path) -> CredentialsFrom {
        let redactor = Redactor::new();
        let resolver = Resolver::new(data, [], redactor.clone());
        CredentialsFrom { fixtures: None, resolver, redactor, data: data.to_path_buf() }
    }

    fn login(username: &str, password: &str) -> Credentials {
        Credentials { username: username.to_owned(), password: Some(SecretString::from(password)) }
    }

    #[test]
    fn a_fingerprint_is_of_this_login_and_of_this_machine() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let print = |data: &std::path::Path, name: &str, password: &str| {
            from(data).fingerprint(&login(name, password)).unwrap().unwrap()
        };
        let first = print(here.path(), "lin", "hunter22");
        assert_eq!(print(here.path(), "lin", "hunter22"), first);
        for other in [
            print(here.path(), "lin", "hunter23"),
            print(here.path(), "li", "nhunter22"),
            print(here.path(), "lin2", "hunter22"),
            print(there.path(), "lin", "hunter22"),
        ] {
            assert_ne!(other, first);
        }
        assert_eq!(from(here.path()).fingerprint(&Credentials::nobody()).unwrap(), None);
    }

    #[test]
    fn the_key_is_its_owners_alone_and_a_damaged_one_is_not_replaced() {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().join("fingerprint.key");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let print = || from(data.path()).fingerprint(&login("lin", "hunter22"));
        print().unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        print().unwrap();
        assert_eq!(mode(), 0o600);
        fs::write(&path, "short").unwrap();
        assert!(print().unwrap_err().to_string().contains("is damaged"));
    }
}
