//! Counts of the sleep phase as bevy's diagnostics.

use bevy_app::{App, Last, Plugin};
use bevy_diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic};
use bevy_ecs::prelude::*;

use crate::{NpcDirectory, SleepQueue, TokensLeft};

/// Plugin that measures the sleep phase at the end of each frame, for overlays and logs.
#[derive(Debug, Clone, Copy, Default)]
pub struct SleepDiagnosticsPlugin;

impl SleepDiagnosticsPlugin {
    /// Number of NPCs with a mind.
    pub const NPCS: DiagnosticPath = DiagnosticPath::const_new("nightfold/npcs");
    /// Number of sleeping NPCs that wait for their night.
    pub const WAITING: DiagnosticPath = DiagnosticPath::const_new("nightfold/waiting");
    /// Number of nights under way.
    pub const UNDER_WAY: DiagnosticPath = DiagnosticPath::const_new("nightfold/under_way");
    /// Number of tokens left for a language model.
    pub const TOKENS_LEFT: DiagnosticPath = DiagnosticPath::const_new("nightfold/tokens_left");
}

impl Plugin for SleepDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        for path in [Self::NPCS, Self::WAITING, Self::UNDER_WAY, Self::TOKENS_LEFT] {
            app.register_diagnostic(Diagnostic::new(path));
        }
        app.add_systems(Last, measure);
    }
}

fn measure(
    queue: Option<Res<SleepQueue>>,
    npcs: Option<Res<NpcDirectory>>,
    tokens: Option<Res<TokensLeft>>,
    mut diagnostics: Diagnostics<'_, '_>,
) {
    let (Some(queue), Some(npcs), Some(tokens)) = (queue, npcs, tokens) else { return };
    diagnostics.add_measurement(&SleepDiagnosticsPlugin::NPCS, || npcs.len() as f64);
    diagnostics.add_measurement(&SleepDiagnosticsPlugin::WAITING, || queue.waiting() as f64);
    diagnostics.add_measurement(&SleepDiagnosticsPlugin::UNDER_WAY, || queue.under_way() as f64);
    diagnostics.add_measurement(&SleepDiagnosticsPlugin::TOKENS_LEFT, || tokens.0 as f64);
}
