//! Systems of a tick, one file for each set of [`SleepSystems`](crate::SleepSystems).
#![expect(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "systems take what bevy hands them, each thing by itself"
)]

mod collect;
mod commit;
mod consolidate;
mod fall_asleep;
mod observe;
mod wake;

pub(crate) use self::{
    collect::collect,
    commit::{answer, commit},
    consolidate::{ask, consolidate},
    fall_asleep::{fall_asleep, notice_woken, remember},
    observe::{on_asleep, on_asleep_despawn, on_asleep_discard, on_asleep_remove, on_mind, on_mind_discard},
    wake::wake,
};

use std::sync::Arc;

use bevy_ecs::{prelude::*, system::SystemParam};

use crate::{
    GameClock, LongTermStore, NightConfig, NightJudge, NightLanguage, SleepTiming, TextEmbedder, ports::Ports,
};

/// Ports as the world holds them now.
#[derive(SystemParam)]
pub(crate) struct WorldPorts<'w> {
    config: Res<'w, NightConfig>,
    embedder: Res<'w, TextEmbedder>,
    store: Res<'w, LongTermStore>,
    language: Res<'w, NightLanguage>,
    judge: Res<'w, NightJudge>,
    clock: Res<'w, GameClock>,
    timing: Res<'w, SleepTiming>,
}

impl WorldPorts<'_> {
    fn current(&self) -> Ports {
        Ports {
            config: Arc::clone(&self.config.0),
            embedder: Arc::clone(&self.embedder.0),
            store: Arc::clone(&self.store.0),
            language: self.language.0.clone(),
            judge: self.judge.0.clone(),
        }
    }
}
