//! What a mail server's refusal or silence means, and what usually mends it.

use std::error::Error as _;
use std::fmt;

use lettre::transport::smtp::Error as SmtpError;

use super::clean::clean;
use super::mail::Mail;
use super::mailer::Delivery;
use super::smtp::SmtpServer;
use crate::files::model::SmtpTls;

/// How far a mail came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Connect,
    StartTls,
    Login,
    Sender,
    Recipient,
    Data,
    Message,
}

impl fmt::Display for Stage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Stage::Connect => "connecting",
            Stage::StartTls => "starting TLS",
            Stage::Login => "signing in",
            Stage::Sender => "naming the sender (MAIL FROM)",
            Stage::Recipient => "naming the recipient (RCPT TO)",
            Stage::Data => "announcing the mail (DATA)",
            Stage::Message => "sending the mail itself",
        })
    }
}

/// An answer that is not yes, or a connection that broke before the mail itself.
pub(super) fn fault(server: &SmtpServer, stage: Stage, error: &SmtpError) -> Delivery {
    if let Some(code) = error.status() {
        let text = plain(error);
        return Delivery::Refused {
            permanent: error.is_permanent(),
            reason: format!("{server} answered {code} when {stage}: {text}"),
            hint: answer_hint(server, stage, u16::from(code), &text).map(str::to_owned),
        };
    }
    let reason = format!("{server} failed when {stage}: {}", plain(error));
    if error.is_client() {
        // Nothing was sent that a second try could change, such as a login method that the server does not have.
        let hint =
            (stage == Stage::Login).then(|| "the server offers no login that is supported (PLAIN, LOGIN)".to_owned());
        return Delivery::Refused { permanent: true, reason, hint };
    }
    Delivery::Unreachable { reason, hint: connection_hint(server, stage, error).map(str::to_owned) }
}

/// No answer in time, before the mail itself.
pub(super) fn silence(server: &SmtpServer, stage: Stage) -> Delivery {
    let waits_for_tls = stage == Stage::Connect && server.tls != SmtpTls::Implicit;
    Delivery::Unreachable {
        reason: format!("{server} did not answer within {:?} when {stage}", server.limit),
        hint: waits_for_tls.then(|| {
            "perhaps the server waits for TLS from the first byte, as on port 465: then write `tls: implicit`"
                .to_owned()
        }),
    }
}

/// The mail was sent, and nothing was heard of it.
pub(super) fn no_answer_to_the_mail(server: &SmtpServer, what: &str) -> Delivery {
    Delivery::Uncertain { reason: format!("{server} has the mail, but did not say that it took it: {what}") }
}

/// Refused before connecting: a password would cross the network in clear text.
pub(super) fn clear_text_password(server: &SmtpServer) -> Delivery {
    refused(
        format!("with `tls: none` the password would go to {server} in clear text; nothing was sent"),
        "write `tls: implicit` (port 465) or `tls: starttls` (port 587)",
    )
}

/// Refused: TLS was asked for, and the server has none.
pub(super) fn no_starttls(server: &SmtpServer) -> Delivery {
    refused(
        format!("{server} does not offer STARTTLS; nothing was sent, no password either"),
        "use the provider's submission port (587 with `tls: starttls`, 465 with `tls: implicit`)",
    )
}

/// Refused: an address that this server cannot carry.
pub(super) fn no_international_addresses(server: &SmtpServer, mail: &Mail) -> Delivery {
    refused(
        format!("{server} cannot carry the addresses {} and {} (no SMTPUTF8)", mail.sender, mail.recipient),
        "use addresses of plain ASCII letters; names may be in any script",
    )
}

/// Refused: what stands in the outbox is no address.
pub(super) fn not_an_address(text: &str) -> Delivery {
    refused(format!("`{}` is not a mail address", clean(text, 80)), "check `report.to` and `report.from`")
}

fn refused(reason: String, hint: &str) -> Delivery {
    Delivery::Refused { permanent: true, reason, hint: Some(hint.to_owned()) }
}

/// The text of an error on one line, without the library's own preface where there is a cause.
pub(super) fn plain(error: &SmtpError) -> String {
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    clean(&text, 300)
}

/// What an answer's code usually means at this stage.
fn answer_hint(server: &SmtpServer, stage: Stage, code: u16, text: &str) -> Option<&'static str> {
    let says = |piece: &str| text.to_ascii_lowercase().contains(piece);
    Some(match (stage, code) {
        (Stage::Login, 535 | 534 | 530) if says("5.7.139") || says("basic authentication is disabled") => {
            "the provider has switched off sign-in by password for mail programs; allow it in the account, or use \
             another provider"
        }
        (Stage::Login, 535 | 534) => {
            "check user name and password; many providers want an app password (authorization code, 授权码) here, and \
             SMTP switched on in the mailbox settings"
        }
        (Stage::Sender, 501 | 550 | 553 | 554) => {
            "most providers want `report.from` to be the very address of `report.smtp.username`"
        }
        (Stage::Sender | Stage::Recipient, 530) => "the server wants a login: `report.smtp.username` and `password`",
        (Stage::Recipient, 550..=554) => "check the address in `report.to`",
        (_, 552) => "the mail is too big for this server, or the mailbox is full",
        (_, 421 | 450..=452) => "the server asks to come back in some minutes",
        (Stage::Connect, _) if server.tls != SmtpTls::Implicit => "check host, port and `tls`",
        _ => return None,
    })
}

/// What usually lies behind a connection that could not be made.
fn connection_hint(server: &SmtpServer, stage: Stage, error: &SmtpError) -> Option<&'static str> {
    match tls_error(error) {
        Some(rustls::Error::InvalidCertificate(_)) => Some(
            "its certificate is not trusted for this name: check `host`; a private authority is named by SSL_CERT_FILE",
        ),
        Some(rustls::Error::InvalidMessage(_)) if server.tls == SmtpTls::Implicit => {
            Some("the server speaks no TLS from the first byte, as on port 587: then write `tls: starttls`")
        }
        _ if stage == Stage::Connect && server.tls != SmtpTls::Implicit => {
            Some("check host and port; a port for TLS from the first byte, as 465, wants `tls: implicit`")
        }
        _ if stage == Stage::Connect => Some("check host and port, and that this machine is online"),
        _ => None,
    }
}

/// The TLS error below an error, if that is what it is about.
fn tls_error(error: &SmtpError) -> Option<&rustls::Error> {
    let mut source = error.source();
    while let Some(cause) = source {
        let inner = cause.downcast_ref::<std::io::Error>().and_then(|io| io.get_ref());
        if let Some(found) = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            return Some(found);
        }
        source = cause.source();
    }
    None
}
