//! A living town behind text: the sleep phase of [`nightfold_ecs`] with commands and events as JSON, for engines and servers
//! that are not written in Rust. The C library, the HTTP server and the Python wheel are made of it.
//!
//! A [`Town`] holds NPCs by name. The host tells it what they live through, when they sleep and what they are asked; it calls
//! [`Town::tick`] once a frame and reads what happened with [`Town::next_event`]. Nothing is called back, and no tick waits for
//! a night (but in lockstep).
//!
//! ```
//! use nightfold_town::Town;
//! # use nightfold_town::testing::Letters;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let models = nightfold_town::TownModels::of_embedder(std::sync::Arc::new(Letters::new()));
//! # let mut town = Town::with_models(serde_json::from_str("{}")?, &models)?;
//! // let mut town = Town::open(serde_json::from_str(r#"{"store":{"file":"town.db"}}"#)?)?;
//! town.do_json(r#"{"do":"spawn","npc":"Mara","recalls":true}"#)?;
//! town.do_json(r#"{"do":"live","npc":"Mara","memory":{"at":10,"kind":"chat","text":"Joss owes Tom 14 silver","importance":7}}"#)?;
//! town.do_json(r#"{"do":"sleep","npc":"Mara","since":20,"until":30000}"#)?;
//! for second in 20.. {
//!     town.do_json(&format!(r#"{{"do":"tick","now":{second}}}"#))?;
//!     if town.next_event().is_some_and(|event| event.name() == "consolidated") {
//!         break;
//!     }
//! #   std::thread::sleep(std::time::Duration::from_millis(1));
//! }
//! # Ok(())
//! # }
//! ```

mod command;
mod error;
mod event;
mod host_embedder;
mod models;
mod options;
mod saved;
pub mod testing;
mod tools;
mod town;

pub use command::{FailedNight, TownCommand, TownReply};
pub use error::{TownError, with_causes};
pub use event::TownEvent;
pub use models::TownModels;
pub use options::{EmbedderChoice, HostModel, StorePlace, TownOptions};
pub use saved::{SAVED_TOWN_FORMAT, SavedTown};
pub use town::{Town, TownStatus};
