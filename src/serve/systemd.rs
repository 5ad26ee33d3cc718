//! What systemd is told, if it is there: `sd_notify` is one datagram to the socket that it names.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The service manager, or nobody.
#[derive(Debug, Default)]
pub struct Systemd {
    socket: Option<(UnixDatagram, SocketAddr)>,
    watchdog: Option<Duration>,
}

impl Systemd {
    /// The one that these variables name: `$NOTIFY_SOCKET`, and `$WATCHDOG_USEC`.
    pub fn named_by(variable: impl Fn(&str) -> Option<String>) -> Self {
        let address = variable("NOTIFY_SOCKET").and_then(|name| match name.strip_prefix('@') {
            Some(name) => SocketAddr::from_abstract_name(name).ok(),
            None => SocketAddr::from_pathname(name).ok(),
        });
        let socket = address.and_then(|address| Some((UnixDatagram::unbound().ok()?, address)));
        let watchdog = variable("WATCHDOG_USEC").and_then(|text| text.parse().ok()).map(Duration::from_micros);
        Systemd { socket, watchdog }
    }

    /// How often it wants to hear of us: twice within its own limit.
    pub fn wants_word_every(&self) -> Option<Duration> {
        self.watchdog.map(|limit| limit / 2)
    }

    /// The daemon has started.
    pub fn ready(&self) {
        self.tell("READY=1");
    }

    /// It has begun to end.
    pub fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    /// It does not hang.
    pub fn alive(&self) {
        self.tell("WATCHDOG=1");
    }

    /// One line for `systemctl status`.
    pub fn status(&self, line: &str) {
        self.tell(&format!("STATUS={}", line.lines().next().unwrap_or_default()));
    }

    fn tell(&self, word: &str) {
        if let Some((socket, address)) = &self.socket
            && let Err(error) = socket.send_to_addr(word.as_bytes(), address)
        {
            tracing::debug!("systemd is not reached: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systemd_hears_what_it_is_told_and_nobody_else_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        let systemd = Systemd::named_by(|name| match name {
            "NOTIFY_SOCKET" => path.to_str().map(str::to_owned),
            "WATCHDOG_USEC" => Some("120000000".to_owned()),
            _ => None,
        });
        assert_eq!(systemd.wants_word_every(), Some(Duration::from_secs(60)));
        systemd.ready();
        systemd.status("next at 06:00\nand more");
        let heard = || {
            let mut buffer = [0; 64];
            let length = socket.recv(&mut buffer).unwrap();
            String::from_utf8_lossy(&buffer[..length]).into_owned()
        };
        assert_eq!((heard(), heard()), ("READY=1".to_owned(), "STATUS=next at 06:00".to_owned()));
        drop(socket);
        systemd.alive();
        Systemd::named_by(|_| None).ready();
    }
}
