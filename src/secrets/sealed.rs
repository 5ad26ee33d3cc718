//! Files that nobody reads without the key: AES-256-GCM, under a key of 32 random bytes that lies elsewhere.
//!
//! ```text
//! SUNUPSEA ‖ version ‖ which key ‖ nonce (12 bytes) ‖ ciphertext and tag
//! ```
//!
//! What comes before the nonce, and what the file is about, are authenticated with the content: a file that was copied from
//! another account, or changed by one bit, does not open.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};

use super::Resolver;

const MAGIC: &[u8; 8] = b"SUNUPSEA";
const VERSION: u8 = 1;
/// Magic, version, and which key.
const HEAD: usize = MAGIC.len() + 2;
const KEY: usize = 32;
/// No sealed file is longer.
const LONGEST: u64 = 4 * 1024 * 1024;

/// The systemd credential that holds the key.
const CREDENTIAL: &str = "sunup-sessions";
/// The file in the data folder that holds it where there is no such credential.
const KEY_FILE: &str = "session.key";

/// Which key a file is sealed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    File = 1,
    Credential = 2,
}

/// Seals and opens files of one data folder.
#[derive(Debug, Clone)]
pub struct Sealer {
    key_file: PathBuf,
    credential: Option<PathBuf>,
}

/// Why a sealed file was not opened.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// It, or a key, may be read or changed by others, or belongs to somebody else; or it cannot be read at all.
    #[error("{0}")]
    Refused(String),
    /// It is not what was sealed under this name: damaged, of another account, or sealed with another key.
    #[error("{0}")]
    Foreign(String),
}

impl Sealer {
    /// For the files of this data folder; a systemd credential is looked for where the resolver's environment says.
    pub fn of(data: &Path, resolver: &Resolver) -> Self {
        let folder = resolver.variable(&OsString::from("CREDENTIALS_DIRECTORY"));
        let credential = folder.map(|folder| Path::new(&folder).join(CREDENTIAL)).filter(|file| file.exists());
        Sealer { key_file: data.join(KEY_FILE), credential }
    }

    /// Writes a sealed file whole, or leaves the one that is there.
    pub fn seal(&self, file: &Path, about: &str, content: &[u8]) -> Result<(), NotOpened> {
        let which = if self.credential.is_some() { Which::Credential } else { Which::File };
        let key = self.key(which, true)?;
        let mut head = Vec::from(&MAGIC[..]);
        head.extend([VERSION, which as u8]);
        let mut nonce = [0; NONCE_LEN];
        random(&mut nonce)?;
        let mut sealed = content.to_vec();
        let aad = Aad::from([&head[..], about.as_bytes()].concat());
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed)
            .map_err(|_| NotOpened::Refused("the content is too long to be sealed".to_owned()))?;
        let whole = [&head[..], &nonce, &sealed].concat();
        write_whole(file, &whole).map_err(|error| refused(file, &format!("it cannot be written ({error})")))
    }

    /// What was sealed there; none where nothing is.
    pub fn open(&self, file: &Path, about: &str) -> Result<Option<Vec<u8>>, NotOpened> {
        let Some(whole) = read_own(file, LONGEST)? else { return Ok(None) };
        let foreign = |why: &str| NotOpened::Foreign(format!("{}: {why}", file.display()));
        if whole.len() < HEAD + NONCE_LEN || !whole.starts_with(MAGIC) {
            return Err(foreign("it is no sealed file"));
        }
        let (head, rest) = whole.split_at(HEAD);
        let (nonce, sealed) = rest.split_at(NONCE_LEN);
        let which = match head[MAGIC.len()..] {
            [VERSION, 1] => Which::File,
            [VERSION, 2] => Which::Credential,
            _ => return Err(foreign("another version of Sunup has sealed it")),
        };
        let key = self.key(which, false)?;
        let aad = Aad::from([head, about.as_bytes()].concat());
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| foreign("it is cut off"))?;
        let mut content = sealed.to_vec();
        let opened = key.open_in_place(nonce, aad, &mut content);
        let opened = opened.map_err(|_| foreign("it is damaged, of another account, or sealed with another key"))?;
        Ok(Some(opened.to_vec()))
    }

    fn key(&self, which: Which, make: bool) -> Result<LessSafeKey, NotOpened> {
        let bytes = match (which, &self.credential) {
            (Which::Credential, Some(file)) => fs::read(file).map_err(|error| refused(file, &error.to_string()))?,
            (Which::Credential, None) => {
                let why = format!("it was sealed with the systemd credential `{CREDENTIAL}`, which is not here");
                return Err(NotOpened::Refused(why));
            }
            (Which::File, _) => self.key_of_file(make)?,
        };
        let key = UnboundKey::new(&AES_256_GCM, &bytes).map_err(|_| {
            let place = self.credential.as_ref().filter(|_| which == Which::Credential).unwrap_or(&self.key_file);
            refused(place, &format!("a key has {KEY} bytes, and this one {}: `head -c 32 /dev/urandom`", bytes.len()))
        })?;
        Ok(LessSafeKey::new(key))
    }

    fn key_of_file(&self, make: bool) -> Result<Vec<u8>, NotOpened> {
        if let Some(key) = read_own(&self.key_file, KEY as u64 + 1)? {
            return Ok(key);
        }
        if !make {
            let why = format!("the key {} is gone", self.key_file.display());
            return Err(NotOpened::Foreign(why));
        }
        let mut key = [0; KEY];
        random(&mut key)?;
        // Whoever was quicker has made it: then that one holds.
        let made = write_once(&self.key_file, &key);
        made.map_err(|error| refused(&self.key_file, &format!("it cannot be written ({error})")))?;
        read_own(&self.key_file, KEY as u64 + 1)?.ok_or_else(|| refused(&self.key_file, "it is gone"))
    }
}

fn refused(file: &Path, why: &str) -> NotOpened {
    NotOpened::Refused(format!("{}: {why}", file.display()))
}

fn random(bytes: &mut [u8]) -> Result<(), NotOpened> {
    let none = |_| NotOpened::Refused("the system gives no random numbers".to_owned());
    SystemRandom::new().fill(bytes).map_err(none)
}

/// A file of ours that nobody else may read or write; none where there is none.
fn read_own(file: &Path, longest: u64) -> Result<Option<Vec<u8>>, NotOpened> {
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOFOLLOW;
    let opened = match OpenOptions::new().read(true).custom_flags(flags.bits()).open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(file, &format!("it cannot be read ({error})"))),
    };
    let meta = opened.metadata().map_err(|error| refused(file, &error.to_string()))?;
    if !meta.is_file() {
        return Err(refused(file, "it is no regular file"));
    }
    if meta.uid() != geteuid().as_raw() {
        return Err(refused(file, &format!("it belongs to user {}; make it your own: chown", meta.uid())));
    }
    if meta.mode() & 0o077 != 0 {
        let cure = format!("others may read it (mode {:04o}); chmod 600 {}", meta.mode() & 0o7777, file.display());
        return Err(refused(file, &cure));
    }
    let mut content = Vec::new();
    opened.take(longest).read_to_end(&mut content).map_err(|error| refused(file, &error.to_string()))?;
    Ok(Some(content))
}

/// Beside it first, then in its place: a crash leaves the old one or the new one.
fn write_whole(file: &Path, content: &[u8]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut beside = tempfile::Builder::new().prefix(".part-").tempfile_in(folder)?;
    beside.write_all(content)?;
    beside.as_file().sync_all()?;
    beside.persist(file).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

fn write_once(file: &Path, content: &[u8]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut beside = tempfile::Builder::new().prefix(".part-").tempfile_in(folder)?;
    beside.write_all(content)?;
    beside.as_file().sync_all()?;
    match beside.persist_noclobber(file) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => return Err(error.error),
        _ => {}
    }
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::secrets::Redactor;

    struct Place {
        folder: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Self {
            Place { folder: tempfile::tempdir().unwrap() }
        }

        fn file(&self) -> PathBuf {
            self.folder.path().join("sessions/community/main.sealed")
        }

        fn sealer(&self) -> Sealer {
            Sealer::of(self.folder.path(), &Resolver::new(".", [], Redactor::new()))
        }

        fn with_credential(&self, bytes: usize) -> Sealer {
            let folder = self.folder.path().join("credentials");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(CREDENTIAL), vec![7; bytes]).unwrap();
            let variable = (OsString::from("CREDENTIALS_DIRECTORY"), folder.into_os_string());
            Sealer::of(self.folder.path(), &Resolver::new(".", [variable], Redactor::new()))
        }
    }

    const ABOUT: &str = "community/main";

    #[test]
    fn what_is_sealed_is_read_by_nobody_but_its_owner_with_the_key() {
        let place = Place::new();
        assert_eq!(place.sealer().open(&place.file(), ABOUT).unwrap(), None, "nothing yet");
        place.sealer().seal(&place.file(), ABOUT, b"sid=s3cret").unwrap();
        let whole = fs::read(place.file()).unwrap();
        assert!(!whole.windows(6).any(|piece| piece == b"s3cret"));
        for file in [place.file(), place.folder.path().join(KEY_FILE)] {
            assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600, "{}", file.display());
        }
        assert_eq!(place.sealer().open(&place.file(), ABOUT).unwrap().unwrap(), b"sid=s3cret");
        place.sealer().seal(&place.file(), ABOUT, b"sid=s3cret").unwrap();
        assert_ne!(
            fs::read(place.file()).unwrap()[HEAD..HEAD + NONCE_LEN],
            whole[HEAD..HEAD + NONCE_LEN],
            "one nonce twice"
        );
        let left = fs::read_dir(place.file().parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "no part of a file stays");
    }

    #[test]
    fn a_file_that_was_changed_or_is_another_accounts_does_not_open() {
        let place = Place::new();
        place.sealer().seal(&place.file(), ABOUT, b"sid=s3cret").unwrap();
        let foreign = |about: &str| matches!(place.sealer().open(&place.file(), about), Err(NotOpened::Foreign(_)));
        assert!(foreign("community/mum"), "it was copied from another account");
        let whole = fs::read(place.file()).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(place.file(), &changed).unwrap();
            assert!(place.sealer().open(&place.file(), ABOUT).is_err(), "byte {at}");
            fs::write(place.file(), &whole[..at]).unwrap();
            assert!(foreign(ABOUT), "cut off at {at}");
        }
        fs::write(place.file(), &whole).unwrap();
        fs::remove_file(place.folder.path().join(KEY_FILE)).unwrap();
        assert!(foreign(ABOUT), "the key is gone");
        place.sealer().seal(&place.file(), ABOUT, b"new").unwrap();
        fs::write(place.file(), &whole).unwrap();
        assert!(foreign(ABOUT), "it is another key");
    }

    #[test]
    fn what_others_may_read_is_refused_with_the_cure_and_stays_where_it_is() {
        let place = Place::new();
        place.sealer().seal(&place.file(), ABOUT, b"sid=s3cret").unwrap();
        for file in [place.file(), place.folder.path().join(KEY_FILE)] {
            for mode in [0o640, 0o604, 0o620] {
                fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
                let Err(NotOpened::Refused(why)) = place.sealer().open(&place.file(), ABOUT) else {
                    panic!("{mode:o}")
                };
                assert!(why.contains(&format!("chmod 600 {}", file.display())), "{why}");
            }
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        }
        fs::set_permissions(place.folder.path().join(KEY_FILE), fs::Permissions::from_mode(0o644)).unwrap();
        assert!(
            place.sealer().seal(&place.file(), ABOUT, b"more").is_err(),
            "nothing is sealed with a key that others know"
        );
        fs::set_permissions(place.folder.path().join(KEY_FILE), fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(place.sealer().open(&place.file(), ABOUT).unwrap().unwrap(), b"sid=s3cret");
        let (file, elsewhere) = (place.file(), place.folder.path().join("elsewhere"));
        fs::rename(&file, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
        assert!(matches!(place.sealer().open(&file, ABOUT), Err(NotOpened::Refused(_))), "a link leads anywhere");
    }

    #[test]
    fn the_systemd_credential_goes_first_and_each_opens_what_it_can() {
        let place = Place::new();
        place.sealer().seal(&place.file(), ABOUT, b"by hand").unwrap();
        let service = place.with_credential(32);
        assert_eq!(service.open(&place.file(), ABOUT).unwrap().unwrap(), b"by hand", "sealed outside of the service");
        service.seal(&place.file(), ABOUT, b"by the service").unwrap();
        assert_eq!(service.open(&place.file(), ABOUT).unwrap().unwrap(), b"by the service");
        let Err(NotOpened::Refused(why)) = place.sealer().open(&place.file(), ABOUT) else { panic!("without its key") };
        assert!(why.contains("sunup-sessions"), "{why}");
        let Err(NotOpened::Refused(why)) = place.with_credential(31).open(&place.file(), ABOUT) else { panic!("31") };
        assert!(why.contains("32 bytes"), "{why}");
    }
}
