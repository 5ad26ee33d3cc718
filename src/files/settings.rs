//! `sunup.yaml`.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use super::calendars::{CalendarFolders, Calendars};
use super::fields::Fields;
use super::file::File;
use super::locator::{or_default, transpose};
use super::model::{
    BrowserSettings, Language, ReportBy, ReportSettings, Retry, Schedule, SecretSource, ServeSettings, Settings, Smtp,
    SmtpTls, TextSource,
};
use super::nearest::nearest;
use super::schedule::{default_retry, default_schedule};
use super::yaml::{Node, NodeKind};
use crate::timing::parse_duration;

const KEYS: &[&str] = &[
    "format",
    "timezone",
    "language",
    "schedule",
    "calendars",
    "retry",
    "browser",
    "report",
    "heartbeat",
    "serve",
    "limits",
    "alarms",
];

const LANGUAGES: [(&str, Language); 2] = [("zh-CN", Language::Chinese), ("en", Language::English)];

/// The longest run when nothing is said.
const RUN_LIMIT: Duration = Duration::from_secs(2 * 3_600);

/// The report's latest time when nothing is said.
const REPORT_AFTER: Duration = Duration::from_secs(30 * 60);

/// Where API and status page listen when nothing is said.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7380);

/// What sunup.yaml says: the settings, and what sites and tasks take over.
pub(super) struct Top {
    pub settings: Option<Settings>,
    pub schedule: Schedule,
    pub retry: Retry,
    pub calendars: Calendars,
}

/// Reads the tree of sunup.yaml; what is wrong stands in the file's faults.
pub(super) fn settings(file: &File, node: Option<&Node>, folders: CalendarFolders<'_>) -> Top {
    let (schedule, retry) = (default_schedule(), default_retry());
    let Some(fields) = node.and_then(|node| Fields::of(file, node, "sunup.yaml", &[KEYS])) else {
        return Top { settings: None, schedule, retry, calendars: Calendars::default() };
    };
    if let Some(format) = fields.need("format", "format: 1") {
        file.one_of(format, &[("1", ())]);
    }
    let mut settings = file.top(&fields);
    let zone = settings.as_ref().map(|settings| settings.timezone);
    let calendars = file.calendars(fields.get("calendars"), folders, zone);
    if let Some(settings) = &mut settings {
        settings.calendars = calendars.files.clone();
    }
    Top {
        settings,
        schedule: file.schedule(fields.get("schedule"), &schedule, &calendars),
        retry: file.retry(fields.get("retry"), retry),
        calendars,
    }
}

impl File {
    fn top(&self, fields: &Fields<'_>) -> Option<Settings> {
        let timezone = fields.need("timezone", "timezone: Asia/Shanghai").and_then(|node| self.zone(node));
        let language = fields.get("language").map(|node| self.one_of(node, &LANGUAGES));
        let browser = self.browser(fields.get("browser"));
        let report = fields.get("report").map(|node| self.report(node));
        let alarms_to = fields.get("alarms").map(|node| self.alarms_to(node));
        if let (Some(Some(ReportSettings { smtp: None, .. })) | None, Some(_)) = (&report, &alarms_to) {
            let cure = "write `report:` with `to`, `from` and `smtp`, or take `alarms` out";
            self.wrong(fields.key_span("alarms"), "alarms are mailed by `report.smtp`, and there is none", cure);
        }
        let heartbeat = fields.get("heartbeat").map(|node| self.heartbeat(node));
        let serve = fields.get("serve").map(|node| self.serve(node));
        let run_limit = fields.get("limits").map(|node| self.limits(node));
        Some(Settings {
            timezone: timezone?,
            language: or_default(language, Language::default())?,
            browser: browser?,
            report: transpose(report)?,
            alarms_to: transpose(alarms_to)?,
            heartbeat: transpose(heartbeat)?,
            serve: or_default(serve, ServeSettings { listen: LISTEN })?,
            run_limit: or_default(run_limit, RUN_LIMIT)?,
            calendars: Vec::new(),
        })
    }

    fn limits(&self, node: &Node) -> Option<Duration> {
        let fields = Fields::of(self, node, "map of limits", &[&["run"]])?;
        or_default(fields.get("run").map(|run| self.duration(run)), RUN_LIMIT)
    }

    fn serve(&self, node: &Node) -> Option<ServeSettings> {
        let fields = Fields::of(self, node, "map of the status page", &[&["listen"]])?;
        let listen = fields.get("listen").map(|listen| self.loopback(listen));
        Some(ServeSettings { listen: or_default(listen, LISTEN)? })
    }

    /// An address of this machine that no other machine reaches, with its port.
    fn loopback(&self, node: &Node) -> Option<SocketAddr> {
        const CURE: &str = "write \"127.0.0.1:7380\" or \"[::1]:7380\"; port 0 takes a free one";
        let text = self.words(node)?;
        let Ok(address) = text.replacen("localhost:", "127.0.0.1:", 1).parse::<SocketAddr>() else {
            self.wrong(node.span.clone(), format!("`{text}` is no IP address with a port"), CURE);
            return None;
        };
        if !address.ip().is_loopback() {
            let message =
                format!("`{text}` can be reached by other machines: the page shows what you do, and starts it");
            let cure = "write \"127.0.0.1:7380\"; to look from elsewhere, tunnel: ssh -L 7380:127.0.0.1:7380 HOST";
            self.wrong(node.span.clone(), message, cure);
            return None;
        }
        Some(address)
    }

    fn browser(&self, node: Option<&Node>) -> Option<BrowserSettings> {
        let mut settings =
            BrowserSettings { driver: "geckodriver".to_owned(), binary: None, headless: true, parallel: 1 };
        let Some(node) = node else { return Some(settings) };
        let fields = Fields::of(self, node, "browser", &[&["driver", "url", "binary", "headless", "parallel"]])?;
        fields.not_supported(&["url"]);
        let driver = fields.get("driver").map(|driver| self.driver(driver));
        let binary = fields.get("binary").map(|binary| self.words(binary).map(PathBuf::from));
        let headless = fields.get("headless").map(|headless| self.boolean(headless));
        let parallel = fields.get("parallel").map(|parallel| self.whole(parallel, 1..=64));
        settings.driver = or_default(driver, settings.driver)?;
        settings.binary = transpose(binary)?;
        settings.headless = or_default(headless, true)?;
        settings.parallel = or_default(parallel, 1)?;
        Some(settings)
    }

    fn driver(&self, node: &Node) -> Option<String> {
        let driver = self.words(node)?;
        if driver.contains("://") {
            self.not_supported(node.span.clone(), &format!("driver: {driver}"));
            return None;
        }
        if !["geckodriver", "chromedriver"].contains(&driver) && !driver.contains('/') {
            let cure = match nearest(driver, ["geckodriver", "chromedriver"]) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "write `geckodriver`, `chromedriver`, or the path of the driver program".to_owned(),
            };
            self.wrong(node.span.clone(), format!("there is no driver `{driver}`"), cure);
            return None;
        }
        Some(driver.to_owned())
    }

    fn report(&self, node: &Node) -> Option<ReportSettings> {
        let fields = Fields::of(self, node, "report", &[&["to", "from", "by", "smtp", "webhook", "templates"]])?;
        fields.not_supported(&["webhook", "templates"]);
        let to = fields.need("to", "to: [me@example.org]").and_then(|node| self.recipients(node));
        let from_node = fields.need("from", "from: \"晨报 <sunup@example.org>\"");
        let from = from_node.and_then(|node| self.mailbox(node));
        let by = fields.get("by").map(|node| self.report_by(node));
        let smtp = fields.get("smtp").map(|node| self.smtp(node));
        Some(ReportSettings {
            to: to?,
            from: from?,
            by: or_default(by, ReportBy::After(REPORT_AFTER))?,
            smtp: transpose(smtp)?,
        })
    }

    fn alarms_to(&self, node: &Node) -> Option<Vec<String>> {
        let fields = Fields::of(self, node, "map of alarms", &[&["to"]])?;
        fields.need("to", "to: [me@example.org]").and_then(|node| self.recipients(node))
    }

    fn recipients(&self, node: &Node) -> Option<Vec<String>> {
        let items = match node.kind {
            NodeKind::Scalar { .. } if !node.is_empty() => std::slice::from_ref(node),
            _ => self.list(node, "to")?,
        };
        if items.is_empty() {
            self.wrong(node.span.clone(), "nobody is named", "write one address at least: `[me@example.org]`");
            return None;
        }
        let addresses: Vec<_> = items.iter().map(|item| self.mailbox(item)).collect();
        addresses.into_iter().collect()
    }

    /// `me@example.org` or `晨报 <sunup@example.org>`.
    fn mailbox(&self, node: &Node) -> Option<String> {
        let text = self.words(node)?;
        if text.parse::<lettre::message::Mailbox>().is_err() {
            let cure = "write `me@example.org`, or a name before it in quotes: \"晨报 <sunup@example.org>\"";
            self.wrong(node.span.clone(), format!("`{text}` is not a mail address"), cure);
            return None;
        }
        Some(text.to_owned())
    }

    fn report_by(&self, node: &Node) -> Option<ReportBy> {
        let text = self.scalar(node)?;
        if text.contains(':') {
            return self.clock(node).map(ReportBy::At);
        }
        match parse_duration(text) {
            Ok(after) => Some(ReportBy::After(after)),
            Err(_) => {
                let cure = "write how long after the start, 30m, or a time of day, \"07:00\"";
                self.wrong(node.span.clone(), format!("`{text}` is neither a duration nor a time of day"), cure);
                None
            }
        }
    }

    fn smtp(&self, node: &Node) -> Option<Smtp> {
        let keys: &[&str] = &["host", "port", "tls", "username", "password"];
        let fields = Fields::of(self, node, "mail server", &[keys])?;
        let host = fields.need("host", "host: smtp.example.org").and_then(|node| self.host(node));
        let words = [("implicit", SmtpTls::Implicit), ("starttls", SmtpTls::StartTls), ("none", SmtpTls::None)];
        let tls = or_default(fields.get("tls").map(|node| self.one_of(node, &words)), SmtpTls::Implicit);
        let default_port = match tls {
            Some(SmtpTls::StartTls) => 587,
            Some(SmtpTls::None) => 25,
            _ => 465,
        };
        let port = or_default(fields.get("port").map(|node| self.whole(node, 1..=u16::MAX)), default_port);
        let login = self.login(&fields);
        Some(Smtp { host: host?, port: port?, tls: tls?, login: login? })
    }

    fn host(&self, node: &Node) -> Option<String> {
        let host = self.words(node)?;
        if host.contains(['/', '@', ' ']) {
            let cure = "write the name alone: smtp.example.org; the port has a key of its own";
            self.wrong(node.span.clone(), format!("`{host}` is not the name of a server"), cure);
            return None;
        }
        Some(host.to_owned())
    }

    fn login(&self, fields: &Fields<'_>) -> Option<Option<(String, SecretSource)>> {
        match (fields.get("username"), fields.get("password")) {
            (None, None) => Some(None),
            (Some(username), Some(password)) => {
                let username = self.text_source(username).and_then(|source| match source {
                    TextSource::Plain(name) => Some(name),
                    TextSource::Secret(_) => {
                        self.not_supported(username.span.clone(), "smtp.username from a secret source");
                        None
                    }
                });
                let password = self.secret(password);
                Some(Some((username?, password?)))
            }
            _ => {
                let key = fields.present(&["username", "password"])[0];
                let cure = "write both, or none for a server that asks for no login";
                self.wrong(fields.key_span(key), "a login has a username and a password", cure);
                None
            }
        }
    }
}
