//! Connections: so many at one time, each with a limit on how long it may think.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Connections at one time; whoever comes then waits.
const CONNECTIONS: usize = 64;

/// A request's head arrives within this, and an idle connection is let go after it.
const HEAD: Duration = Duration::from_secs(15);

/// Heads longer than this are refused.
const HEAD_BYTES: usize = 16 * 1024;

/// Answers every connection until this is dropped; what is under way then ends with it.
pub(super) async fn listen(listener: TcpListener, router: Router) -> Result<()> {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let place = room.clone().acquire_owned().await?;
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of files, mostly: the next one to leave makes room.
                tracing::warn!("a connection to the status page was not taken: {error}");
                let _ = connections.join_next().await;
                continue;
            }
        };
        while connections.try_join_next().is_some() {}
        let service = TowerToHyperService::new(router.clone());
        let mut server = http1::Builder::new();
        server.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
        connections.spawn(async move {
            // A client that breaks off is no fault of anybody.
            let _ = server.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
}
