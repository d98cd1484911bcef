//! The designer's desk: a local page on which turning a knob plans a night again and shows what changes.
//!
//! [`Story`] is what is looked at: days, what stood before them, a configuration, and an embedder that should remember, so
//! that a night is planned again without a model. [`knobs`] are the keys that can be turned, [`Settings`] a configuration
//! with some of them turned. [`Desk`] serves the page to this machine alone: it listens on the loopback address, wants the
//! token of its address in every request, and answers no other host's pages.

mod error;
mod knobs;
mod server;
mod settings;
mod story;

pub use error::DeskError;
pub use knobs::{Dial, Knob, knobs};
pub use server::Desk;
pub use settings::Settings;
pub use story::{Looked, Planned, Story};
