//! A town as a node of Godot 4. A labelled sample: it was not run in an editor.

use godot::prelude::*;
use nightfold_town::{Town, TownError};

struct NightfoldExtension;

// SAFETY: the macro's contract; nothing of it is overridden.
#[gdextension]
unsafe impl ExtensionLibrary for NightfoldExtension {}

/// A town of NPCs that live, sleep and are asked. Moments are seconds of game time.
#[derive(GodotClass)]
#[class(base = Node)]
struct NightfoldTown {
    /// Options as JSON.
    #[export]
    options: GString,
    /// Seconds of game time for each second of play.
    #[export]
    pace: f64,
    /// Seconds of game time.
    #[export]
    now: f64,
    town: Option<Town>,
    base: Base<Node>,
}

#[godot_api]
impl INode for NightfoldTown {
    fn init(base: Base<Node>) -> Self {
        Self { options: "{}".into(), pace: 60.0, now: 0.0, town: None, base }
    }

    fn ready(&mut self) {
        let opened = serde_json::from_str(&self.options.to_string()).map_err(TownError::from).and_then(Town::open);
        match opened {
            Ok(town) => self.town = Some(town),
            Err(error) => godot_error!("Nightfold: {}", error.message()),
        }
    }

    fn process(&mut self, delta: f64) {
        self.now += delta * self.pace;
        let tick = format!("{{\"do\":\"tick\",\"now\":{}}}", self.now as i64);
        let Some(town) = &mut self.town else { return };
        if let Err(error) = town.do_json(&tick) {
            return godot_error!("Nightfold: {}", error.message());
        }
        let events: Vec<String> =
            std::iter::from_fn(|| town.next_event()).filter_map(|event| serde_json::to_string(&event).ok()).collect();
        for event in events {
            self.signals().told().emit(&GString::from(&event));
        }
    }
}

#[godot_api]
impl NightfoldTown {
    /// Something happened, as JSON.
    #[signal]
    fn told(event: GString);

    /// Carries a command out that is written as JSON. Returns the reply, or `{"error": {"code": …, "message": …}}`.
    #[func]
    fn carry_out(&mut self, command: GString) -> GString {
        let refused = |code: &str, message: &str| {
            serde_json::json!({"error": {"code": code, "message": message}}).to_string()
        };
        let reply = match &mut self.town {
            Some(town) => town.do_json(&command.to_string()).unwrap_or_else(|e| refused(e.code(), &e.message())),
            None => refused("no_town", "the town could not be opened"),
        };
        GString::from(&reply)
    }
}
