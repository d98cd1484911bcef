//! A town: NPCs by name, their days, nights and questions.

use std::{
    collections::{BTreeMap, VecDeque},
    num::NonZeroUsize,
    sync::Arc,
    time::{Duration, Instant},
};

use nightfold_ecs::{
    Asleep, ConsolidationFailed, FellAsleep, GameClock, MindMaintained, NewMemory, NightBudgets, NightConfig,
    NightConsolidated, NightJudge, NightPool, NpcDirectory, NpcMind, NpcTags, RecallAnswered, RecallFilter,
    RecallQuestion, SleepPhase, SleepPorts, SleepQueue, SleepTiming, TokensLeft, WokeUp,
    bevy_ecs::{entity::Entity, message::Message, message::Messages, world::World},
    install,
    memory::{Embedder, GameTime, NpcId},
    remember,
};
use nightfold_embed::{CachedEmbedder, VectorCache};
use nightfold_store::SqliteStore;
use serde::Serialize;

use crate::{
    EmbedderChoice, HostModel, StorePlace, TownError, TownEvent, TownModels, TownOptions,
    host_embedder::HostEmbedder,
};

/// A town of NPCs that sleep, remember and are asked.
pub struct Town {
    pub(crate) world: World,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) place: StorePlace,
    /// The embedder that asks the host, if the host computes the vectors.
    pub(crate) host: Option<Arc<CachedEmbedder<HostEmbedder>>>,
    pub(crate) events: VecDeque<TownEvent>,
    max_events: usize,
    /// Number of the last question.
    tickets: u64,
    /// NPC of each question without an answer.
    pub(crate) asked: BTreeMap<u64, NpcId>,
}

/// Counts of a town.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TownStatus {
    /// Moment of the last tick.
    pub now: GameTime,
    /// Number of NPCs.
    pub npcs: usize,
    /// Number of sleeping NPCs that wait for their night.
    pub waiting: usize,
    /// Number of nights under way.
    pub under_way: usize,
    /// Number of questions without an answer.
    pub questions: usize,
    /// Number of unread events.
    pub events: usize,
    /// Tokens left for language models.
    pub tokens: u64,
}

impl Town {
    /// Opens a town. Reads the model's files, which takes a moment, and fetches nothing.
    ///
    /// # Errors
    /// [`TownError`] if an option is out of its range, a file of the model is missing, or the store cannot be opened.
    pub fn open(options: TownOptions) -> Result<Self, TownError> {
        match options.embedder.clone() {
            EmbedderChoice::Minilm => {
                let models = TownModels::open(&options)?;
                Self::with_models(options, &models)
            }
            EmbedderChoice::Host(model) => Self::asking_host(options, model),
        }
    }

    /// Opens a town with models that several towns share.
    ///
    /// # Errors
    /// As [`Town::open`].
    pub fn with_models(options: TownOptions, models: &TownModels) -> Result<Self, TownError> {
        if options.embedder != EmbedderChoice::Minilm {
            return Err(TownError::refused(
                "options",
                "this town computes its vectors itself: leave embedder out",
            ));
        }
        Self::of(options, models.clone(), None)
    }

    fn asking_host(options: TownOptions, model: HostModel) -> Result<Self, TownError> {
        in_range("embedder.host.dimensions", model.dimensions, 2..=8_192)?;
        if options.threads == 0 {
            return Err(TownError::refused(
                "options",
                "with threads 0 the host computes nights in its steps, and a step cannot wait for vectors of the host: \
                 give it a thread, or leave embedder out",
            ));
        }
        if options.timing != SleepTiming::AsReady {
            return Err(TownError::refused(
                "options",
                "in lockstep a tick waits for what is due, and cannot wait for vectors of the host: leave timing or embedder out",
            ));
        }
        let made_by = model.model.to_string();
        let cache = VectorCache::in_memory(options.config.embed.cache as u64)?;
        let host = Arc::new(CachedEmbedder::new(HostEmbedder::new(model), Some(cache), &made_by));
        Self::of(options, TownModels { embedder: host.clone(), judge: None }, Some(host))
    }

    fn of(
        options: TownOptions,
        models: TownModels,
        host: Option<Arc<CachedEmbedder<HostEmbedder>>>,
    ) -> Result<Self, TownError> {
        let TownOptions {
            store: place,
            config,
            threads,
            timing,
            budgets,
            maintenance,
            tokens,
            now,
            max_events,
            ..
        } = options;
        in_range("threads", threads, 0..=64)?;
        in_range("max_events", max_events, 1..=10_000_000)?;
        let config = config.check()?;
        let judge = models.judge(&config)?;
        let store = Arc::new(match &place {
            StorePlace::Memory => SqliteStore::in_memory()?,
            StorePlace::File(path) => SqliteStore::open(path)?,
        });
        let pool = match NonZeroUsize::new(threads) {
            Some(threads) => NightPool::new(threads)?,
            None => NightPool::without_threads(),
        };
        let batch_of_steps = || NightBudgets { batch: 1, ..NightBudgets::default() };
        let usual = || if threads == 0 { batch_of_steps() } else { NightBudgets::default() };
        let mut world = World::new();
        let ports =
            SleepPorts { config: Arc::new(config), store: store.clone(), embedder: models.embedder, pool };
        install(&mut world, ports);
        world.insert_resource(NightJudge(judge));
        world.insert_resource(budgets.unwrap_or_else(usual));
        world.insert_resource(timing);
        world.insert_resource(maintenance);
        world.insert_resource(TokensLeft(tokens));
        world.insert_resource(GameClock { now });
        Ok(Self {
            world,
            store,
            place,
            host,
            events: VecDeque::new(),
            max_events,
            tickets: 0,
            asked: BTreeMap::new(),
        })
    }

    /// Adds an NPC: spawned or streamed in. A [recalling](nightfold_ecs::NpcMind::recalling) one can be asked by day. Tags choose
    /// its profile of the configuration.
    ///
    /// # Errors
    /// [`TownError`] if an NPC of this name is in the town.
    pub fn spawn(&mut self, npc: NpcId, recalls: bool, tags: Option<Vec<String>>) -> Result<(), TownError> {
        if self.find(&npc).is_ok() {
            let message = format!("an NPC {npc} is in the town already; a name belongs to one NPC");
            return Err(TownError::refused("npc_exists", message));
        }
        let mind = NpcMind::new(npc);
        let mut entity = self.world.spawn(if recalls { mind.recalling() } else { mind });
        if let Some(tags) = tags {
            entity.insert(NpcTags(tags));
        }
        Ok(())
    }

    /// Removes an NPC with the memories of its day; let it sleep first to keep them. A night under way is finished.
    ///
    /// # Errors
    /// [`TownError`] if there is no such NPC.
    pub fn despawn(&mut self, npc: &NpcId) -> Result<(), TownError> {
        let entity = self.find(npc)?;
        self.world.despawn(entity);
        Ok(())
    }

    /// Adds a memory to an NPC's day.
    ///
    /// # Errors
    /// [`TownError`] if there is no such NPC, or the memory exceeds a bound.
    pub fn live(&mut self, npc: &NpcId, memory: NewMemory) -> Result<(), TownError> {
        self.find(npc)?;
        Ok(remember(&mut self.world, npc, memory)?)
    }

    /// Puts an NPC to bed, or changes the length of its sleep. `since` is now if absent; `quality` is 0 to 1.
    ///
    /// # Errors
    /// [`TownError`] if there is no such NPC, or the sleep is impossible.
    pub fn sleep(
        &mut self,
        npc: &NpcId,
        since: Option<GameTime>,
        until: GameTime,
        quality: f64,
    ) -> Result<(), TownError> {
        let entity = self.find(npc)?;
        let since = since.unwrap_or_else(|| self.now());
        if until < since {
            let message = format!("the sleep would end ({until}) before it begins ({since})");
            return Err(TownError::refused("sleep", message));
        }
        let asleep = Asleep::new(since, until).with_quality(quality)?;
        let mut npc = self.world.entity_mut(entity);
        if npc.get::<Asleep>().is_some_and(|before| before.until <= since) {
            // The sleep before has ended, and no tick has come since: this is another one.
            npc.remove::<Asleep>();
        }
        npc.insert(asleep);
        Ok(())
    }

    /// Wakes an NPC; nothing happens to one that is awake.
    ///
    /// # Errors
    /// [`TownError`] if there is no such NPC.
    pub fn wake(&mut self, npc: &NpcId) -> Result<(), TownError> {
        let entity = self.find(npc)?;
        self.world.entity_mut(entity).remove::<Asleep>();
        Ok(())
    }

    /// Asks an NPC. Returns the ticket that comes back with [`TownEvent::Answered`], and with it, if `context` is a number of tokens, a
    /// text for a prompt of at most so many.
    ///
    /// # Errors
    /// [`TownError`] if there is no such NPC, it cannot be asked, or the question is too long.
    pub fn ask(
        &mut self,
        npc: &NpcId,
        question: String,
        filter: RecallFilter,
        context: Option<usize>,
    ) -> Result<u64, TownError> {
        let entity = self.find(npc)?;
        if !self.world.get::<NpcMind>(entity).is_some_and(NpcMind::recalls) {
            let message = format!("{npc} cannot be asked: spawn it with \"recalls\": true");
            return Err(TownError::refused("not_recalling", message));
        }
        let (bytes, most) = (question.len(), self.world.resource::<NightConfig>().0.input.max_text_bytes);
        if bytes > most {
            let allowed = format!("at most {most} are allowed (input.max_text_bytes)");
            let message = format!("the question is {bytes} bytes long; {allowed}");
            return Err(TownError::refused("question_too_long", message));
        }
        self.tickets += 1;
        self.asked.insert(self.tickets, npc.clone());
        let question = RecallQuestion { filter, context, ..RecallQuestion::new(entity, question) };
        let question = question.with_ticket(self.tickets);
        self.world.write_message(question);
        Ok(self.tickets)
    }

    /// Runs a tick at a moment of game time, and returns the number of events to be read. In lockstep a tick may wait for a night.
    ///
    /// # Errors
    /// [`TownError`] if game time would go back, or nobody reads the events.
    pub fn tick(&mut self, now: GameTime) -> Result<usize, TownError> {
        if now < self.now() {
            let before = self.now();
            let message =
                format!("game time would go back from {before} to {now}; load a saved town instead");
            return Err(TownError::refused("time_goes_back", message));
        }
        if self.events.len() >= self.max_events {
            let unread = format!("{} events are unread (max_events)", self.max_events);
            let message = format!("{unread}; read them before the next tick");
            return Err(TownError::refused("events_unread", message));
        }
        self.world.resource_mut::<GameClock>().now = now;
        self.world.run_schedule(SleepPhase);
        self.take_events();
        Ok(self.events.len())
    }

    /// Computes nights and answers for about this long, in a town without threads; returns true if more work waits. What has begun is
    /// finished: the night of one NPC, some 5 ms for each of its memories. Does nothing in a town with threads.
    pub fn step(&mut self, budget: Duration) -> bool {
        let begun = Instant::now();
        self.world.resource::<NightPool>().step(|| begun.elapsed() < budget)
    }

    /// Removes and returns the next event.
    pub fn next_event(&mut self) -> Option<TownEvent> {
        self.events.pop_front()
    }

    /// Hands over the vectors of a batch of texts, row after row; their length does not matter.
    ///
    /// # Errors
    /// [`TownError`] if no such batch waits for vectors, or the vectors do not fit it.
    pub fn give_vectors(&mut self, batch: u64, numbers: &[f32]) -> Result<(), TownError> {
        self.asked_host()?.inner().give(batch, numbers)
    }

    fn asked_host(&self) -> Result<&CachedEmbedder<HostEmbedder>, TownError> {
        self.host.as_deref().ok_or_else(|| {
            TownError::refused(
                "vectors",
                "vectors are wanted from hosts that bring their own model (embedder.host), and this town has minilm",
            )
        })
    }

    /// Hands over the vectors of a batch of texts, one row for each.
    pub(crate) fn give_rows(&mut self, batch: u64, rows: &[Vec<f32>]) -> Result<(), TownError> {
        let host = self.asked_host()?;
        let dimensions = host.dimensions();
        if let Some(row) = rows.iter().find(|row| row.len() != dimensions) {
            let host = format!("the host's have {dimensions} (embedder.host.dimensions)");
            let message = format!("a vector has {} numbers; {host}", row.len());
            return Err(TownError::refused("vectors", message));
        }
        host.inner().give(batch, &rows.concat())
    }

    /// Returns counts of the town.
    pub fn status(&self) -> TownStatus {
        let queue = self.world.resource::<SleepQueue>();
        TownStatus {
            now: self.now(),
            npcs: self.world.resource::<NpcDirectory>().len(),
            waiting: queue.waiting(),
            under_way: queue.under_way(),
            questions: self.asked.len(),
            events: self.events.len(),
            tokens: self.world.resource::<TokensLeft>().0,
        }
    }

    /// Takes what the sleep phase told in a tick, in a fixed order.
    fn take_events(&mut self) {
        for (batch, texts) in self.host.iter().flat_map(|host| host.inner().take_untold()) {
            self.events.push_back(TownEvent::VectorsWanted { batch, texts });
        }
        self.take_told();
    }

    /// Takes the messages of the sleep phase, in a fixed order.
    pub(crate) fn take_told(&mut self) {
        for FellAsleep { entity } in drain(&mut self.world) {
            if let Some(mind) = self.world.get::<NpcMind>(entity) {
                self.events.push_back(TownEvent::FellAsleep { npc: mind.npc().clone() });
            }
        }
        self.events
            .extend(drain(&mut self.world).map(|told: NightConsolidated| TownEvent::consolidated(&told)));
        self.events.extend(drain(&mut self.world).map(|told: ConsolidationFailed| TownEvent::failed(told)));
        self.events.extend(drain(&mut self.world).map(|told: MindMaintained| TownEvent::maintained(told)));
        for told in drain::<RecallAnswered>(&mut self.world) {
            if let Some(npc) = self.asked.remove(&told.ticket) {
                self.events.push_back(TownEvent::answered(npc, told));
            }
        }
        self.events.extend(drain(&mut self.world).map(|told: WokeUp| TownEvent::woke(told)));
    }

    fn find(&self, npc: &NpcId) -> Result<Entity, TownError> {
        let entity = self.world.resource::<NpcDirectory>().get(npc);
        entity.ok_or_else(|| {
            TownError::refused("unknown_npc", format!("no NPC {npc} is in the town; spawn it first"))
        })
    }

    pub(crate) fn now(&self) -> GameTime {
        self.world.resource::<GameClock>().now
    }
}

impl Drop for Town {
    fn drop(&mut self) {
        // A thread of the pool that waits for the host would never end.
        if let Some(host) = &self.host {
            host.inner().give_up(true);
        }
    }
}

/// Removes and returns the messages of a kind.
pub(crate) fn drain<M: Message>(world: &mut World) -> std::vec::IntoIter<M> {
    let mut messages = world.resource_mut::<Messages<M>>();
    messages.drain().collect::<Vec<M>>().into_iter()
}

pub(crate) fn in_range(
    key: &'static str,
    value: usize,
    range: std::ops::RangeInclusive<usize>,
) -> Result<(), TownError> {
    if range.contains(&value) {
        return Ok(());
    }
    let message = format!("{key} is {value}; allowed are {} to {}", range.start(), range.end());
    Err(TownError::refused("options", message))
}
