//! Signals: stop, and look at the files. A second one to stop ends at once.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::ledger::Holder;
use crate::runner::end_browsers_of;

/// What a signal asks of the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// SIGTERM, SIGINT.
    Stop,
    /// SIGHUP: look at the files, even if they seem to be as they were.
    Reload,
}

/// From now on signals arrive here instead of ending the process.
pub fn listen() -> io::Result<mpsc::Receiver<Call>> {
    let (sender, receiver) = mpsc::channel(8);
    let [terminate, interrupt, hang_up] =
        [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
    tokio::spawn(pass_on(sender, terminate?, interrupt?, hang_up?));
    Ok(receiver)
}

async fn pass_on(sender: mpsc::Sender<Call>, mut terminate: Signal, mut interrupt: Signal, mut hang_up: Signal) {
    let mut stopping = false;
    loop {
        let call = tokio::select! {
            _ = terminate.recv() => Call::Stop,
            _ = interrupt.recv() => Call::Stop,
            _ = hang_up.recv() => Call::Reload,
        };
        if call == Call::Stop && stopping {
            // It does not depend on whatever the rest of the program waits for.
            end_browsers_of(&Holder::this());
            std::process::exit(1);
        }
        stopping |= call == Call::Stop;
        if sender.send(call).await.is_err() {
            return;
        }
    }
}
