//! One mail to one server over one fresh connection, step by step, so that it is known how far a mail came: what fails
//! before the mail itself may be tried again freely, what fails after it may not.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail as MailFrom, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::timeout;

use super::mail::Mail;
use super::mailer::Delivery;
use super::smtp_fault::{self, Stage};
use crate::files::model::{Smtp, SmtpTls};

/// Longest wait for one answer of a server (RFC 5321 allows minutes, for the mail itself ten).
const LIMIT: Duration = Duration::from_secs(60);

/// The mail is taken by then; nobody waits long for the farewell.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

/// A mail server with the login, if it has one.
#[derive(Debug)]
pub struct SmtpServer {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) tls: SmtpTls,
    pub(super) limit: Duration,
    login: Option<(String, SecretString)>,
}

impl SmtpServer {
    /// The server of these settings; `password` is their secret, resolved.
    pub fn new(settings: &Smtp, password: Option<SecretString>) -> Self {
        let user = settings.login.as_ref().map(|(user, _)| user.clone());
        SmtpServer {
            host: settings.host.clone(),
            port: settings.port,
            tls: settings.tls,
            limit: LIMIT,
            login: user.zip(password),
        }
    }

    /// The same with another limit for one answer.
    pub fn with_limit(self, limit: Duration) -> Self {
        SmtpServer { limit, ..self }
    }

    pub(super) async fn send(&self, mail: &Mail) -> Delivery {
        if self.tls == SmtpTls::None && self.login.is_some() && !is_loopback(&self.host) {
            return smtp_fault::clear_text_password(self);
        }
        let mut connection = match self.stage(Stage::Connect, self.connect()).await {
            Ok(connection) => connection,
            Err(delivery) => return delivery,
        };
        let delivery = match self.transmit(&mut connection, mail).await {
            Ok(()) => Delivery::Sent,
            Err(delivery) => delivery,
        };
        if matches!(delivery, Delivery::Sent | Delivery::Refused { .. }) {
            // Whatever comes of it: the answer to the mail has been given.
            let _ = timeout(QUIT_LIMIT, connection.quit()).await;
        }
        delivery
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, SmtpError> {
        let server = (self.host.as_str(), self.port);
        let tls = match self.tls {
            SmtpTls::Implicit => Some(TlsParameters::new_rustls(self.host.clone())?),
            SmtpTls::StartTls | SmtpTls::None => None,
        };
        AsyncSmtpConnection::connect_tokio1(server, Some(self.limit), &ClientId::default(), tls, None).await
    }

    /// Everything between greeting and farewell.
    async fn transmit(&self, connection: &mut AsyncSmtpConnection, mail: &Mail) -> Result<(), Delivery> {
        if self.tls == SmtpTls::StartTls {
            self.encrypt(connection).await?;
        }
        if let Some((user, password)) = &self.login {
            let credentials = Credentials::new(user.clone(), password.expose_secret().to_owned());
            let mechanisms = [Mechanism::Plain, Mechanism::Login];
            self.stage(Stage::Login, connection.auth(&mechanisms, &credentials)).await?;
        }
        self.address(connection, mail).await?;
        self.stage(Stage::Data, connection.command(Data)).await?;
        match timeout(self.limit, connection.message(&mail.bytes)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) if error.status().is_some() => Err(smtp_fault::fault(self, Stage::Message, &error)),
            Ok(Err(error)) => Err(smtp_fault::no_answer_to_the_mail(self, &smtp_fault::plain(&error))),
            Err(_) => Err(smtp_fault::no_answer_to_the_mail(self, &format!("no answer within {:?}", self.limit))),
        }
    }

    /// STARTTLS, or nothing: there is no going on in clear text.
    async fn encrypt(&self, connection: &mut AsyncSmtpConnection) -> Result<(), Delivery> {
        if !connection.can_starttls() {
            return Err(smtp_fault::no_starttls(self));
        }
        let upgrade = async {
            let parameters = TlsParameters::new_rustls(self.host.clone())?;
            connection.starttls(parameters, &ClientId::default()).await
        };
        self.stage(Stage::StartTls, upgrade).await
    }

    async fn address(&self, connection: &mut AsyncSmtpConnection, mail: &Mail) -> Result<(), Delivery> {
        let address = |text: &str| text.parse::<Address>().map_err(|_| smtp_fault::not_an_address(text));
        let (sender, recipient) = (address(&mail.sender)?, address(&mail.recipient)?);
        let mut parameters = Vec::new();
        if !(mail.sender.is_ascii() && mail.recipient.is_ascii()) {
            if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                return Err(smtp_fault::no_international_addresses(self, mail));
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        self.stage(Stage::Sender, connection.command(MailFrom::new(Some(sender), parameters))).await?;
        self.stage(Stage::Recipient, connection.command(Rcpt::new(recipient, vec![]))).await?;
        Ok(())
    }

    /// One exchange before the mail itself, in its limit: lettre has none for answers.
    async fn stage<T>(
        &self,
        stage: Stage,
        exchange: impl Future<Output = Result<T, SmtpError>>,
    ) -> Result<T, Delivery> {
        match timeout(self.limit, exchange).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(smtp_fault::fault(self, stage, &error)),
            Err(_) => Err(smtp_fault::silence(self, stage)),
        }
    }
}

impl fmt::Display for SmtpServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.host, self.port)
    }
}

/// True for this machine itself, to which a password may go without TLS.
fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
