//! One mail for one recipient, as the bytes that are stored before they are sent. Pure.

use std::time::SystemTime;

use chrono::{DateTime, NaiveDate, Utc};
use lettre::Address;
use lettre::message::header::{ContentDisposition, ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart, SinglePart};

use super::clean::clean;
use super::render::Rendered;

/// A mail, ready to be sent as often as it takes: the same bytes under the same Message-ID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// With its angle brackets.
    pub message_id: String,
    /// The sender's address.
    pub sender: String,
    /// The recipient's address.
    pub recipient: String,
    /// The whole mail (RFC 5322), in ASCII.
    pub bytes: Vec<u8>,
    /// The page in it, for the copy that a dry run leaves.
    pub html: String,
}

/// The mail cannot be composed: an address is wrong.
#[derive(Debug, thiserror::Error)]
pub enum ComposeError {
    /// The text is not `name <address>` nor an address.
    #[error("`{text}` in {key} is not a mail address; write `name@example.org` or `\"名字 <name@example.org>\"`")]
    Address {
        /// `report.from` or `report.to`.
        key: &'static str,
        /// What stands there.
        text: String,
    },
    /// The mail library refuses the mail.
    #[error("the mail cannot be composed: {0}")]
    Message(#[from] lettre::error::Error),
}

/// The Message-ID of a report to a recipient: the same in every attempt to send it, so that a second copy is recognised.
pub fn message_id(date: NaiveDate, number: u32, from: &str, to: &str) -> Result<String, ComposeError> {
    let from = mailbox("report.from", from)?;
    let to = mailbox("report.to", to)?;
    let recipient = fingerprint(to.email.as_ref());
    Ok(format!("<sunup.{date}.{number}.{recipient:016x}@{}>", from.email.domain()))
}

/// The Message-ID of a notice to a recipient; what it is about, and when it was made, tell two of them apart.
pub fn notice_id(
    kind: &str,
    about: &[String],
    made_at: DateTime<Utc>,
    from: &str,
    to: &str,
) -> Result<String, ComposeError> {
    let from = mailbox("report.from", from)?;
    let to = mailbox("report.to", to)?;
    let what = fingerprint(&format!("{} {}", to.email, about.join("\n")));
    Ok(format!("<sunup.{kind}.{}.{what:016x}@{}>", made_at.format("%Y%m%dT%H%M%S%3f"), from.email.domain()))
}

/// A picture that goes with a mail, shown below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailPicture {
    /// Its file name.
    pub name: String,
    /// PNG.
    pub bytes: Vec<u8>,
}

/// Composes the mail: text and page as alternatives, the sender's name as it is written, and the pictures that the text names.
pub fn compose(
    rendered: &Rendered,
    from: &str,
    to: &str,
    message_id: &str,
    date: DateTime<Utc>,
    pictures: &[MailPicture],
) -> Result<Mail, ComposeError> {
    let from = mailbox("report.from", from)?;
    let to = mailbox("report.to", to)?;
    let (sender, recipient) = (from.email.to_string(), to.email.to_string());
    // `=_` appears in neither of the encodings that the parts are sent in.
    let boundary = format!("=_sunup_{:016x}", fingerprint(message_id));
    let parts = MultiPart::alternative()
        .boundary(boundary)
        .singlepart(SinglePart::plain(rendered.text.clone()))
        .singlepart(SinglePart::html(rendered.html.clone()));
    let parts = with_pictures(parts, pictures, message_id);
    let message = Message::builder()
        .from(from)
        .to(to)
        .subject(clean(&rendered.subject, usize::MAX))
        .date(SystemTime::from(date))
        .message_id(Some(message_id.to_owned()))
        // No out-of-office answers, please (RFC 3834).
        .raw_header(HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned()))
        .multipart(parts)?;
    Ok(Mail {
        message_id: message_id.to_owned(),
        sender,
        recipient,
        bytes: message.formatted(),
        html: rendered.html.clone(),
    })
}

fn with_pictures(parts: MultiPart, pictures: &[MailPicture], message_id: &str) -> MultiPart {
    if pictures.is_empty() {
        return parts;
    }
    let boundary = format!("=_sunup_pictures_{:016x}", fingerprint(message_id));
    let mixed = MultiPart::mixed().boundary(boundary).multipart(parts);
    pictures.iter().fold(mixed, |mixed, picture| {
        let part = SinglePart::builder()
            .header(ContentType::parse("image/png").unwrap_or(ContentType::TEXT_PLAIN))
            .header(ContentDisposition::inline_with_name(&picture.name))
            .body(picture.bytes.clone());
        mixed.singlepart(part)
    })
}

/// Reads `address`, `name <address>` or `"name" <address>`; nothing may stand behind it.
fn mailbox(key: &'static str, text: &str) -> Result<Mailbox, ComposeError> {
    let wrong = || ComposeError::Address { key, text: clean(text, 80) };
    let (name, address) = match text.trim().strip_suffix('>') {
        Some(rest) => rest.rsplit_once('<').ok_or_else(wrong)?,
        None => ("", text.trim()),
    };
    let (user, domain) = address.rsplit_once('@').ok_or_else(wrong)?;
    // Servers know an international domain by its ASCII form only.
    let domain = url::Host::parse(domain).map_err(|_| wrong())?.to_string();
    let address = Address::new(user, domain).map_err(|_| wrong())?;
    let name = clean(name.trim().trim_matches('"'), 80);
    Ok(Mailbox::new((!name.is_empty()).then_some(name), address))
}

/// FNV-1a: short, and the same in every release; std's hasher promises neither.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mail_parser::{MessageParser, MimeHeaders};

    const FROM: &str = "晨报 <sunup@example.org>";

    fn rendered() -> Rendered {
        Rendered {
            subject: "晨报 11-30：4 项完成，+60 积分".into(),
            text: format!("第一行\n{}\n", "很长的一行 ".repeat(600)),
            html: "<p>第一行</p>".into(),
        }
    }

    fn date() -> DateTime<Utc> {
        "2026-11-29T22:21:00Z".parse().unwrap()
    }

    fn compose_to(to: &str) -> Mail {
        compose(&rendered(), FROM, to, "<sunup.2026-11-30.1.abc@example.org>", date(), &[]).unwrap()
    }

    #[test]
    fn a_picture_is_shown_below_the_text() {
        let picture = MailPicture { name: "20261130-captcha.png".into(), bytes: (0..=255).collect() };
        let to = "me@example.org";
        let mail = compose(&rendered(), FROM, to, "<a@b.example>", date(), std::slice::from_ref(&picture)).unwrap();
        let again = compose(&rendered(), FROM, to, "<a@b.example>", date(), std::slice::from_ref(&picture)).unwrap();
        assert_eq!(mail, again, "the same bytes");
        let parsed = MessageParser::default().parse(&mail.bytes).unwrap();
        assert_eq!(parsed.body_html(0).unwrap().trim_end(), rendered().html);
        let part = parsed.attachment(0).unwrap();
        assert_eq!((part.attachment_name(), part.contents()), (Some(&*picture.name), &*picture.bytes));
        assert_eq!(part.content_disposition().map(|how| how.ctype()), Some("inline"));
        assert!(mail.bytes.is_ascii() && mail.bytes.split(|byte| *byte == b'\n').all(|line| line.len() < 200));
    }

    #[test]
    fn another_parser_reads_the_same() {
        let mail = compose_to("me@example.org");
        let parsed = MessageParser::default().parse(&mail.bytes).unwrap();
        assert_eq!(parsed.subject(), Some("晨报 11-30：4 项完成，+60 积分"));
        let from = parsed.from().unwrap().first().unwrap();
        assert_eq!((from.name(), from.address()), (Some("晨报"), Some("sunup@example.org")));
        assert_eq!(parsed.message_id(), Some("sunup.2026-11-30.1.abc@example.org"));
        assert_eq!(parsed.date().unwrap().to_timestamp(), date().timestamp());
        assert_eq!(parsed.header("Auto-Submitted").unwrap().as_text(), Some("auto-generated"));
        assert_eq!(parsed.body_text(0).unwrap().replace("\r\n", "\n"), rendered().text);
        assert_eq!(parsed.body_html(0).unwrap().trim_end(), rendered().html);
        assert!(parsed.root_part().content_type().unwrap().subtype() == Some("alternative"));
    }

    #[test]
    fn every_line_is_short_and_ascii() {
        let mail = compose_to("me@example.org");
        assert!(mail.bytes.is_ascii());
        assert!(mail.bytes.split(|byte| *byte == b'\n').all(|line| line.len() < 200));
    }

    #[test]
    fn the_same_report_gives_the_same_bytes() {
        assert_eq!(compose_to("me@example.org"), compose_to("me@example.org"));
    }

    #[test]
    fn a_message_id_belongs_to_date_number_and_recipient() {
        let id = |number, to| message_id(date().date_naive(), number, FROM, to).unwrap();
        let first = id(1, "me@example.org");
        assert!(first.starts_with("<sunup.2026-11-29.1.") && first.ends_with("@example.org>"), "{first}");
        assert_eq!(first, id(1, "Me <me@example.org>"));
        assert_ne!(first, id(2, "me@example.org"));
        assert_ne!(first, id(1, "mum@example.org"));
    }

    #[test]
    fn header_lines_cannot_be_forged() {
        let hostile = Rendered { subject: "a\r\nBcc: spy@example.org".into(), ..rendered() };
        let mail = compose(&hostile, "x\r\nBcc: spy@example.org <a@b.example>", "me@example.org", "<a@b>", date(), &[])
            .unwrap();
        let parsed = MessageParser::default().parse(&mail.bytes).unwrap();
        assert!(parsed.bcc().is_none() && parsed.subject() == Some("a Bcc: spy@example.org"));
    }

    #[test]
    fn names_and_international_domains() {
        let name = |text: &str| mailbox("report.from", text).map(|found| (found.name, found.email.to_string()));
        assert_eq!(name("\"晨报, 早\" <a@b.example>").unwrap(), (Some("晨报, 早".into()), "a@b.example".into()));
        assert_eq!(name("a@例子.example").unwrap(), (None, "a@xn--fsqu00a.example".into()));
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_key() {
        for text in
            ["", "me", "a@b.example, c@d.example", "a@b.example>", "晨报 <a@b.example> x", "<@b.example>", "a@b c"]
        {
            let error = mailbox("report.to", text).unwrap_err().to_string();
            assert!(error.contains("report.to"), "{error}");
        }
    }
}
