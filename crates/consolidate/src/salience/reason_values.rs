//! Salience in the reasons of a plan.

use nightfold_memory::{Reason, config::SalienceConfig};

use super::Salience;

impl Salience {
    /// Returns a reason with the salience and every part of it that is not zero.
    pub(crate) fn noted_in(&self, reason: Reason) -> Reason {
        let some = [
            ("salience_rated", self.rated),
            ("salience_calibrated", self.calibrated),
            ("salience_told", self.told),
            ("salience_information", self.information),
            ("salience_learned", self.learned),
        ];
        let points = [
            ("salience_opening", self.opening),
            ("salience_emotion", self.emotion),
            ("salience_surprise", self.surprise),
            ("salience_meaning", self.meaning),
            ("salience_repetition", self.repetition),
            ("salience_actors", self.actors),
            ("salience_kind", self.kind),
            ("salience_tags", self.tags),
        ];
        let points = points.into_iter().filter(|(_, points)| points.abs() > 0.0);
        let parts = some.into_iter().filter_map(|(name, part)| Some((name, part?))).chain(points);
        let mut reason = reason.with("salience", self.total);
        for (name, part) in parts {
            reason = reason.with(name, part);
        }
        if self.emotion + self.surprise + self.meaning + self.repetition > SalienceConfig::MAX_ADDED {
            reason = reason.with("salience_added", SalienceConfig::MAX_ADDED);
        }
        if self.meanings.is_empty() {
            return reason;
        }
        let about: Vec<&str> = self.meanings.iter().map(|meaning| meaning.as_str()).collect();
        reason.with("salience_about", about.join(", ").as_str())
    }
}
