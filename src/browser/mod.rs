//! Firefox by geckodriver: the driver process, the session, the steps, the typed readers, the challenge rules.

pub mod visit;

/// The seam for tests: one command, one answer.
#[async_trait::async_trait]
pub trait Browser: Send {}

/// An element, by its W3C reference, in its tab and frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {}
