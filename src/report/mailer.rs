//! Where a mail goes: to a server, or into a folder in a dry run.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::mail::Mail;
use super::smtp::SmtpServer;

/// Sends mails.
#[derive(Debug)]
pub enum Mailer {
    /// To a mail server.
    Smtp(SmtpServer),
    /// Into this folder, as `.eml` and `.html`: a dry run sends nothing.
    Files(PathBuf),
}

/// What became of one attempt to send a mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "delivery")]
pub enum Delivery {
    /// The server took it, whatever it said to QUIT; or the files are written.
    Sent,
    /// All of it was sent, and no answer came: perhaps delivered. One resend of the same bytes at the most.
    Uncertain {
        /// What happened.
        reason: String,
    },
    /// The server said no.
    Refused {
        /// It will say the same again: sending it again is no use before something is mended.
        permanent: bool,
        /// What it said, and when.
        reason: String,
        /// What usually mends it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    /// It certainly was not sent: no connection, or none that lasted until the mail itself.
    Unreachable {
        /// What happened.
        reason: String,
        /// What usually mends it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
}

impl Mailer {
    /// Makes one attempt. It always ends: every exchange with a server has a limit.
    pub async fn send(&self, mail: &Mail) -> Delivery {
        match self {
            Mailer::Smtp(server) => server.send(mail).await,
            Mailer::Files(folder) => match write_files(folder, mail).await {
                Ok(()) => Delivery::Sent,
                Err(error) => Delivery::Unreachable {
                    reason: format!("the report cannot be written to {}: {error}", folder.display()),
                    hint: Some("check that the folder can be written to and that the disk is not full".into()),
                },
            },
        }
    }

    /// The page that a dry run leaves beside this mail; none where the mail goes to a server.
    pub fn page(&self, mail: &Mail) -> Option<PathBuf> {
        match self {
            Mailer::Smtp(_) => None,
            Mailer::Files(folder) => Some(file(folder, mail, "html")),
        }
    }
}

async fn write_files(folder: &Path, mail: &Mail) -> std::io::Result<()> {
    tokio::fs::create_dir_all(folder).await?;
    tokio::fs::write(file(folder, mail, "eml"), &mail.bytes).await?;
    if mail.html.is_empty() {
        // A notice: its page is in the mail.
        return Ok(());
    }
    tokio::fs::write(file(folder, mail, "html"), &mail.html).await
}

/// Named after the Message-ID, so that a mail written twice is one file.
fn file(folder: &Path, mail: &Mail, ending: &str) -> PathBuf {
    let id = mail.message_id.trim_matches(['<', '>']);
    let local = id.split_once('@').map_or(id, |(local, _)| local);
    let safe = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    folder.join(format!("{}.{ending}", local.chars().map(safe).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail() -> Mail {
        Mail {
            message_id: "<sunup.2026-11-30.1.../x@example.org>".into(),
            sender: "a@example.org".into(),
            recipient: "b@example.org".into(),
            bytes: b"Subject: x\r\n\r\ny\r\n".to_vec(),
            html: "<p>y</p>".into(),
        }
    }

    #[tokio::test]
    async fn a_dry_run_leaves_the_mail_and_its_page() {
        let folder = tempfile::tempdir().unwrap();
        let mailer = Mailer::Files(folder.path().join("mail"));
        assert_eq!(mailer.send(&mail()).await, Delivery::Sent);
        assert_eq!(mailer.send(&mail()).await, Delivery::Sent);
        let page = mailer.page(&mail()).unwrap();
        assert_eq!(page.file_name().unwrap(), "sunup-2026-11-30-1----x.html");
        assert_eq!(std::fs::read_to_string(&page).unwrap(), "<p>y</p>");
        assert_eq!(std::fs::read(page.with_extension("eml")).unwrap(), mail().bytes);
        assert_eq!(std::fs::read_dir(folder.path().join("mail")).unwrap().count(), 2);
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_written_is_said() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let Delivery::Unreachable { reason, .. } = Mailer::Files(file.path().join("mail")).send(&mail()).await else {
            panic!("a file is no folder");
        };
        assert!(reason.contains(&*file.path().to_string_lossy()), "{reason}");
    }
}
