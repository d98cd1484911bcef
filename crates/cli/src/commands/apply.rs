//! `nightfold apply`: writes a saved plan, or the part of it that its reader selects.

use std::collections::BTreeMap;

use nightfold::{
    RunError, apply_plan,
    consolidate::review::{Choices, ReviewError, Reviewing, Wanted},
    english::Packs,
    memory::{Embedder, MemoryReader, NightPlan, NpcId, StoreError, ValidConfig, Vectors},
};

use crate::{
    args::{ApplyArgs, Common},
    config,
    error::{CliError, Exit, message},
    failures::failures,
    models::{embedder, models},
    output, plan,
    show::{count, night_title},
    store,
};

pub(crate) fn run(args: &ApplyArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let plan = plan::read(&args.plan)?;
    plan::check_vector_length(models(common, &config).model_id(), &plan, &args.plan)?;
    plan::is_fresh(&args.plan, &config.review)?;
    let plan = reviewed(plan, args, &config, common)?;
    let store = if builds_on_a_store(&plan) {
        store::existing(
            &args.write.store,
            args.write.wait,
            Some("the plan builds on nights that are in a store already; give the path of that store"),
        )?
    } else {
        store::create(&args.write.store, args.write.wait)?
    };
    let applied = apply_plan(store.as_ref(), &plan).map_err(|error| with_news(error, store.as_ref()))?;
    let mut line = format!("applied: {} written", count(applied.written, "night", "nights"));
    if applied.unchanged > 0 {
        line = format!("{line}, {} there already or empty", applied.unchanged);
    }
    output::text(&format!("{line}\n"))?;
    failures(
        &applied.failures,
        applied.written + applied.unchanged,
        "plan again: `nightfold sleep … --store FILE --plan PLAN`",
    )
}

/// Returns the plan with the reader's selection and edits.
fn reviewed(
    plan: NightPlan,
    args: &ApplyArgs,
    config: &ValidConfig,
    common: &Common,
) -> Result<NightPlan, CliError> {
    let wanted = match (args.only.as_slice(), args.except.as_slice()) {
        ([], []) => Wanted::All,
        ([], except) => Wanted::Except(except.to_vec()),
        (only, _) => Wanted::Only(only.to_vec()),
    };
    let npcs = args.npc.iter().cloned().collect();
    let texts = args.edit.iter().map(|edit| (edit.id.clone(), edit.text.clone())).collect();
    let choices = Choices { npcs, wanted, texts };
    if choices == Choices::default() {
        return Ok(plan);
    }
    let model = plan.nights.iter().find(|n| !n.is_empty()).map(|n| n.model.clone());
    let reviewing = Reviewing::begin(plan, &choices, config, &Packs)?;
    let texts = reviewing.texts_to_embed();
    let vectors = if texts.is_empty() {
        Vectors::with_capacity(1, 0)
    } else {
        let embedder = embedder(common, config, texts.len())?;
        if let Some(model) = model.filter(|model| model != embedder.model()) {
            let given = embedder.model();
            let both = format!(
                "the plan holds vectors of {model}, and what is changed would be embedded by {given}"
            );
            return Err(message(Exit::Model, both).hint("apply it as it is, or plan it again"));
        }
        embedder.embed(&texts)?.vectors
    };
    Ok(reviewing.finish(&vectors)?)
}

impl From<ReviewError> for CliError {
    fn from(error: ReviewError) -> Self {
        let hint = match &error {
            ReviewError::NoNight { .. } | ReviewError::NoChange { .. } => {
                "`nightfold show PLAN -v` shows the NPCs of a plan and the ids of its changes"
            }
            ReviewError::Ambiguous { .. } => "say whose with --npc NAME",
            ReviewError::NeededByLaterNight { .. } => {
                "apply the nights one by one: plan the first, apply what you want of it, and plan the next"
            }
            ReviewError::Text { .. } => {
                "a text says what its sources say: their names, numbers and denials, and no others; an insight speaks as the \
                 NPC itself"
            }
            _ => "`nightfold show PLAN -v` shows what can be changed",
        };
        Self::new(Exit::Usage, error).hint(hint)
    }
}

/// Adds to the refusal of a stale plan the nights that were written since it was made.
fn with_news(error: RunError, store: &dyn MemoryReader) -> CliError {
    let RunError::Store(StoreError::Stale { npc, planned, .. }) = &error else { return error.into() };
    let Ok(nights) = store.nights(Some(npc)) else { return error.into() };
    let since = nights.iter().position(|n| n.version == *planned).map_or(0, |i| i + 1);
    let known = *planned == 0 || since > 0;
    let news: Vec<String> = nights[since..].iter().map(night_title).collect();
    let told = match (known, news.is_empty()) {
        (true, false) => format!("these were written for {npc}: {}", news.join(", ")),
        _ => format!("nights of {npc} that it builds on were taken back"),
    };
    let again = "plan again, by the command that saved the plan; nothing was written";
    CliError::from(error).hint(format!("{again}. Since it was made, {told}"))
}

/// True if some NPC's first night was planned against a store that had nights of it. Later nights build on
/// the plan's own.
fn builds_on_a_store(plan: &NightPlan) -> bool {
    let mut first: BTreeMap<&NpcId, u64> = BTreeMap::new();
    for night in &plan.nights {
        first.entry(&night.npc).or_insert(night.base_version);
    }
    first.values().any(|version| *version != 0)
}
