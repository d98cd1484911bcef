//! Seal of a saved plan: what is applied is what was reviewed, to the last field.
//!
//! It shows changes by mistake and by hand. It is no signature: who can write the file can seal it anew.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer, ser::Error as _};
use sha2::{Digest, Sha256};

use super::{NightPlan, NpcNight, PlanError, RunReport, digest, hex};

/// Plan of a run as it is saved: the nights of all its NPCs, sorted by NPC and then by time, and their seal.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NightPlan"))]
pub(super) struct SavedPlan<'a> {
    /// Format version, [`PLAN_FORMAT`](super::PLAN_FORMAT).
    #[cfg_attr(feature = "schema", schemars(extend("const" = super::PLAN_FORMAT)))]
    pub(super) format: u32,
    /// Nights, one for each NPC and night.
    pub(super) nights: Cow<'a, [NpcNight]>,
    /// Sums over all nights.
    pub(super) report: Cow<'a, RunReport>,
    /// SHA-256 over the fingerprints of the nights and over the report, in hex: a plan that was changed is not applied.
    pub(super) seal: String,
}

/// Seal of nights that come one after the other.
#[derive(Debug, Default)]
pub(super) struct Seal(Sha256);

impl Seal {
    /// Adds a night, given its JSON.
    pub(super) fn night(&mut self, json: &[u8]) {
        self.0.update(digest(json));
    }

    /// Ends the seal with the JSON of the report.
    pub(super) fn finish(mut self, json: &[u8]) -> String {
        self.0.update(json);
        hex(&self.0.finalize())
    }
}

impl SavedPlan<'_> {
    /// Returns the plan, checked, if it is what was saved. What it states wrongly is told first.
    pub(super) fn open(self) -> Result<NightPlan, PlanError> {
        let Self { format, nights, report, seal } = self;
        let plan = NightPlan { format, nights: nights.into_owned(), report: report.into_owned() };
        plan.check()?;
        if plan.seal()? == seal { Ok(plan) } else { Err(PlanError::Changed) }
    }
}

impl NightPlan {
    fn seal(&self) -> Result<String, PlanError> {
        let mut seal = Seal::default();
        for night in &self.nights {
            seal.night(&serde_json::to_vec(night)?);
        }
        Ok(seal.finish(&serde_json::to_vec(&self.report)?))
    }
}

impl Serialize for NightPlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SavedPlan {
            format: self.format,
            nights: Cow::Borrowed(&self.nights),
            report: Cow::Borrowed(&self.report),
            seal: self.seal().map_err(S::Error::custom)?,
        }
        .serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for NightPlan {
    fn schema_name() -> Cow<'static, str> {
        SavedPlan::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        SavedPlan::json_schema(generator)
    }
}
