//! `nightfold sleep`: plan the night of every NPC, show it, and write it when told to.

use std::{
    io::{BufRead, IsTerminal},
    path::Path,
    time::Instant,
};

use nightfold::{
    Sleep, Slept, days, days_by_night,
    memory::{MemoryStore, NightPlan},
};
use nightfold_store::InMemoryStore;

use crate::{
    args::{Common, Sleep as SleepArgs},
    config,
    error::{CliError, Exit, failures, message},
    input::{VectorRule, memories},
    models::{embedder, use_threads},
    output,
    progress::NightsBar,
    show::{run_totals, summary_line},
    store,
    terminal::Terminal,
};

/// Runs of more nights than this are shown a line each; `-v` shows them whole.
const SHOWN_WHOLE: usize = 12;

pub(crate) fn run(args: &SleepArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = config::load(common)?;
    use_threads(common)?;
    let started = Instant::now();
    // The input is read before the model is fetched or the store made: a slip in it costs nothing then.
    let models = crate::models::models(common);
    let vectors = VectorRule {
        given: args.vector_model.as_deref(),
        model: models.model_id(),
        dimensions: nightfold_embed::DIMENSIONS,
    };
    let mut memories = memories(&args.inputs, &config.input, args.on_bad_line, &vectors)?;
    if !args.npc.is_empty() {
        memories.retain(|m| args.npc.contains(&m.npc));
        if memories.is_empty() {
            return Err(message(Exit::Usage, "the input holds no memory of the NPCs asked for"));
        }
    }
    let split = if args.by_day { days_by_night } else { days };
    let days = split(memories, args.until, &config);
    let read_seconds = started.elapsed().as_secs_f64();

    let store = open(args)?;
    let embedder = embedder(common, &config)?;
    let nights = days.values().map(Vec::len).sum();
    let bar = NightsBar::new(nights);
    let sleep =
        Sleep { config: &config, embedder: &embedder, store: store.as_ref(), language: None, observer: &bar };
    let slept = if args.apply { sleep.apply(days) } else { sleep.plan(days) };
    bar.finish();
    let mut slept = slept?;
    slept.seconds.insert("read", read_seconds);
    slept.seconds.insert("total", started.elapsed().as_secs_f64());

    if let Some(path) = &args.plan {
        save(&slept.plan, path)?;
    }
    if args.json {
        output::json(&with_seconds(&slept))?;
    } else {
        output::text(&render(&slept, store.as_ref(), verbose)?)?;
        conclude(args, &slept)?;
    }
    failures(&slept.failures, slept.plan.nights.len())
}

/// The store to plan against, which is written only with `--apply`.
fn open(args: &SleepArgs) -> Result<Box<dyn MemoryStore>, CliError> {
    Ok(match &args.store {
        Some(path) if args.apply => Box::new(store::create(path)?),
        Some(path) if path.exists() => Box::new(store::read_only(path)?),
        _ => Box::new(InMemoryStore::new()),
    })
}

fn save(plan: &NightPlan, path: &Path) -> Result<(), CliError> {
    output::file(path, |out| {
        serde_json::to_writer(&mut *out, plan)?;
        out.write_all(b"\n")
    })
}

fn with_seconds(slept: &Slept) -> NightPlan {
    let mut plan = slept.plan.clone();
    let rounded = |s: f64| (s * 1e3).round() / 1e3;
    plan.report.seconds = slept.seconds.iter().map(|(step, s)| ((*step).to_owned(), rounded(*s))).collect();
    plan
}

fn render(slept: &Slept, store: &dyn MemoryStore, verbose: bool) -> Result<String, CliError> {
    let terminal = Terminal::stdout();
    let nights = &slept.plan.nights;
    let mut out = String::new();
    if verbose || nights.len() <= SHOWN_WHOLE {
        for night in nights {
            let mut known = store::by_id(store, &night.npc)?;
            // Entries of the same run's earlier nights, which the store does not have in a dry run.
            for earlier in nights.iter().filter(|n| n.npc == night.npc && n.at < night.at) {
                crate::commands::show::remember(&mut known, earlier);
            }
            out.push_str(&crate::show::night(night, &known, terminal, verbose));
        }
    } else {
        nights.iter().for_each(|night| out.push_str(&summary_line(night)));
        out.push_str("  -v shows every change; --npc NAME only one NPC's\n\n");
    }
    out.push_str(&run_totals(&slept.plan.report));
    Ok(out)
}

/// Says what was written, or how to write it; asks when there is someone to ask.
fn conclude(args: &SleepArgs, slept: &Slept) -> Result<(), CliError> {
    let changing = slept.plan.nights.iter().filter(|n| !n.is_empty()).count();
    if changing == 0 && slept.failures.is_empty() {
        return output::text("nothing to write: all of this was slept on before\n");
    }
    if args.apply {
        return output::text(&format!("applied: {} of {changing} nights written\n", slept.written));
    }
    let Some(path) = &args.store else {
        return output::text("dry run: nothing was written; --store FILE --apply writes it\n");
    };
    let asks = std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && args.plan.is_none();
    if !asks || !slept.failures.is_empty() {
        return output::text("dry run: nothing was written; --apply writes it\n");
    }
    output::text("Apply? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    if !matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        return output::text("nothing was written\n");
    }
    let applied = nightfold::apply_plan(&store::create(path)?, &slept.plan)?;
    output::text(&format!("applied: {} of {changing} nights written\n", applied.written))?;
    failures(&applied.failures, applied.written + applied.unchanged)
}
