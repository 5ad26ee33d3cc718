//! Who may come in: programs by the token, a person's browser by a cookie that it gets through a link of one use.
//!
//! The token never leaves the machine's files and never reaches a browser. The cookie is made from it, so that it outlives a
//! restart of the daemon, and ends with the token: to put everybody out, remove the file and start again.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use ring::rand::{SecureRandom, SystemRandom};
use ring::{digest, hmac};
use secrecy::{ExposeSecret, SecretString};

use crate::clock::Instant;
use crate::ledger::Holder;
use crate::secrets::Redactor;

/// How long a browser stays in.
pub(super) const STAYS: TimeDelta = TimeDelta::days(30);

/// How long a link waits to be used.
const LINK_LASTS: TimeDelta = TimeDelta::minutes(10);

/// What keeps strangers out.
#[derive(Debug)]
pub(super) struct Door {
    folder: PathBuf,
    token: SecretString,
    /// Learns the cookies that are given out.
    redactor: Redactor,
}

/// The daemon's address in the data folder, for as long as this lives.
pub(super) struct Told(PathBuf);

/// Why there is no link.
#[derive(Debug, thiserror::Error)]
pub enum NoLink {
    /// Nobody would answer it.
    #[error("no daemon serves the data folder {0}: start `sunup serve`, then open again")]
    NoDaemon(PathBuf),
    /// The data folder does not let itself be written.
    #[error("no link could be left in {path}: {error}")]
    File {
        /// Where.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
}

impl Door {
    /// The door of this data folder; its token is made when there is none.
    pub fn of(data: &Path, redactor: &Redactor) -> Result<Self> {
        let folder = folder(data);
        private(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        let path = folder.join("token");
        let token = match fs::read_to_string(&path) {
            Ok(token) => {
                refuse_readable(&path)?;
                token.trim().to_owned()
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => make_token(&folder, &path)?,
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
        };
        if token.len() < 43 {
            bail!("{} holds no whole token: remove it, and the next start makes a new one", path.display());
        }
        let token = SecretString::from(token);
        redactor.add(&token);
        Ok(Door { folder, token, redactor: redactor.clone() })
    }

    /// Tells `sunup open` where this daemon listens.
    pub fn tell_address(&self, address: SocketAddr) -> Result<Told> {
        let path = self.folder.join("address");
        let text = format!("{address}\n{}\n", Holder::this().mark());
        replace(&self.folder, &path, &text).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Told(path))
    }

    /// True for the token itself.
    pub fn is_token(&self, text: &str) -> bool {
        // By their tags, which takes as long for a near miss as for a far one.
        let key = self.key("token");
        hmac::verify(&key, text.as_bytes(), hmac::sign(&key, self.token.expose_secret().as_bytes()).as_ref()).is_ok()
    }

    /// A cookie that lets in from now on.
    pub fn cookie(&self, now: Instant) -> String {
        let until = (now + STAYS).timestamp().to_string();
        let seal = URL_SAFE_NO_PAD.encode(hmac::sign(&self.key("cookie"), until.as_bytes()));
        self.redactor.add(&SecretString::from(seal.as_str()));
        format!("{until}.{seal}")
    }

    /// True for a cookie that was made here and still lets in.
    pub fn is_cookie(&self, text: &str, now: Instant) -> bool {
        let Some((until, seal)) = text.split_once('.') else { return false };
        let Ok(seal) = URL_SAFE_NO_PAD.decode(seal) else { return false };
        let sealed = hmac::verify(&self.key("cookie"), until.as_bytes(), &seal).is_ok();
        sealed && until.parse::<i64>().is_ok_and(|until| now.timestamp() < until)
    }

    /// True for a link that was made, was not used before, and has not waited too long. It is used up by asking.
    pub fn use_up(&self, nonce: &str, now: Instant) -> bool {
        let link = self.folder.join("links").join(name_of(nonce));
        let until = fs::read_to_string(&link).ok().and_then(|text| text.trim().parse::<Instant>().ok());
        // Of two who come at once, one removes it.
        fs::remove_file(&link).is_ok() && until.is_some_and(|until| now < until)
    }

    fn key(&self, what: &str) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, format!("{what} {}", self.token.expose_secret()).as_bytes())
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Leaves a link of one use to the page of the daemon that serves this data folder. Only who may read that folder can.
pub fn make_link(data: &Path, now: Instant) -> Result<String, NoLink> {
    let folder = folder(data);
    let Some(address) = address(&folder) else { return Err(NoLink::NoDaemon(data.to_path_buf())) };
    let links = folder.join("links");
    let leave = || {
        let nonce = random()?;
        private(&links)?;
        sweep(&links, now)?;
        // Its file is named by its digest: who sees the folder's list still has no link.
        let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(links.join(name_of(&nonce)))?;
        file.write_all((now + LINK_LASTS).to_rfc3339().as_bytes())?;
        Ok(format!("http://{address}/open/{nonce}"))
    };
    leave().map_err(|error| NoLink::File { path: links.clone(), error })
}

/// Where the daemon listens, if it lives.
fn address(folder: &Path) -> Option<SocketAddr> {
    let text = fs::read_to_string(folder.join("address")).ok()?;
    let (address, mark) = text.trim_end().split_once('\n')?;
    let holder = Holder::of_mark(mark)?;
    (!holder.is_dead()).then(|| address.parse().ok())?
}

fn sweep(links: &Path, now: Instant) -> std::io::Result<()> {
    for link in fs::read_dir(links)? {
        let path = link?.path();
        let until = fs::read_to_string(&path).ok().and_then(|text| text.parse::<Instant>().ok());
        if until.is_none_or(|until| until <= now) {
            let _ = fs::remove_file(path);
        }
    }
    Ok(())
}

fn folder(data: &Path) -> PathBuf {
    data.join("serve")
}

fn private(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn make_token(folder: &Path, path: &Path) -> Result<String> {
    let make = || {
        let token = random()?;
        replace(folder, path, &token)?;
        Ok(token)
    };
    make().map_err(|error: std::io::Error| anyhow!("{} cannot be written: {error}", path.display()))
}

/// Writes a file whole or not at all; only its owner reads it.
fn replace(folder: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn refuse_readable(path: &Path) -> Result<()> {
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 != 0 {
        bail!("{} can be read by others: chmod 600 it, or remove it and start again for a new one", path.display());
    }
    Ok(())
}

/// 32 random bytes, as a text that may stand in an address.
fn random() -> std::io::Result<String> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).map_err(|_| std::io::Error::other("the system gives no random bytes"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn name_of(nonce: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, nonce.as_bytes()))
}
