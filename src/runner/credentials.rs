//! The user name and password of an account, and the fingerprint by which a rejected one is known again.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
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

    fn fingerprint_key(&self) -> Result<Vec<u8>> {
        let path = self.data.join("fingerprint.key");
        if let Ok(key) = fs::read(&path)
            && key.len() == 32
        {
            return Ok(key);
        }
        let mut key = [0u8; 32];
        rand::SecureRandom::fill(&rand::SystemRandom::new(), &mut key)
            .map_err(|_| anyhow::anyhow!("the system gives no random numbers"))?;
        fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&path)
            .and_then(|mut file| file.write_all(&key))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(key.to_vec())
    }
}
