//! Firefox by geckodriver: the driver process, the session, the steps, the typed readers, the challenge rules.

pub mod challenge;
mod command;
pub mod driver;
mod page;
mod session;
pub mod visit;
mod wire;

pub use command::{Action, Browser, Command, Context, Element, Refusal, Response, Tab};
pub use session::{Firefox, StartOptions};
