//! A run is told to stop by a signal; by a second one it ends at once.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use super::exit::Exit;
use crate::clock::Clock;
use crate::ledger::Holder;
use crate::report::Words;
use crate::runner::{Control, end_browsers_of};

/// A run that was told to stop, and has not ended after this, is left; its browsers are ended.
const LIMIT: Duration = Duration::from_secs(25);

/// Lets this run go on to its end, or until a signal tells it to stop. What came of it, none when it had to be left; and the exit
/// code of the signal.
pub(super) async fn stoppable<T>(
    work: impl Future<Output = T>,
    control: &Control,
    clock: &dyn Clock,
    words: &Words,
) -> io::Result<(Option<T>, Option<Exit>)> {
    let told = listen()?;
    let mut work = pin!(work);
    let exit = tokio::select! {
        biased;
        done = &mut work => return Ok((Some(done), None)),
        Ok(exit) = told => exit,
    };
    eprintln!("sunup: {}", words.get("cli-stopping"));
    control.stop();
    let done = tokio::select! {
        biased;
        done = work => Some(done),
        () = clock.sleep_real(LIMIT) => None,
    };
    if done.is_none() {
        end_browsers_of(&Holder::this());
    }
    Ok((done, Some(exit)))
}

/// From now on SIGTERM and SIGINT arrive here instead of ending the process.
fn listen() -> io::Result<oneshot::Receiver<Exit>> {
    let (sender, receiver) = oneshot::channel();
    let [terminate, interrupt] = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
    tokio::spawn(pass_on(sender, terminate?, interrupt?));
    Ok(receiver)
}

async fn pass_on(sender: oneshot::Sender<Exit>, mut terminate: Signal, mut interrupt: Signal) {
    let exit = next(&mut terminate, &mut interrupt).await;
    // A run that is over already needs no word.
    let _ = sender.send(exit);
    let exit = next(&mut terminate, &mut interrupt).await;
    // It does not depend on whatever the rest of the program waits for.
    end_browsers_of(&Holder::this());
    std::process::exit(exit as i32);
}

async fn next(terminate: &mut Signal, interrupt: &mut Signal) -> Exit {
    tokio::select! {
        _ = terminate.recv() => Exit::Terminated,
        _ = interrupt.recv() => Exit::Interrupted,
    }
}
