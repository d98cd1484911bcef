//! Measures a town as every binding does: `pace COMMANDS.jsonl NPCS QUESTIONS OPTIONS` does the commands, lets the town sleep until so many
//! nights are told, and asks the NPC "Asked" one question after the other. `bindings/conformance/README.md` says how to run it.

use std::{
    env,
    error::Error,
    fs,
    io::Write as _,
    thread,
    time::{Duration, Instant},
};

use nightfold_town::Town;

const FRAME: Duration = Duration::from_millis(1);

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [commands, npcs, questions, options] = args.as_slice() else {
        return Err("usage: pace COMMANDS.jsonl NPCS QUESTIONS OPTIONS".into());
    };
    let (npcs, questions): (usize, usize) = (npcs.parse()?, questions.parse()?);
    let mut town = Town::open(serde_json::from_str(options)?)?;
    let begun = Instant::now();
    for command in fs::read_to_string(commands)?.lines() {
        town.do_json(command)?;
    }
    let mut now = 100_000;
    let mut slept = 0;
    while slept < npcs {
        now += 1;
        town.do_json(&format!("{{\"do\":\"tick\",\"now\":{now}}}"))?;
        while let Some(event) = town.next_event() {
            slept += usize::from(serde_json::to_string(&event)?.starts_with("{\"event\":\"consolidated\""));
        }
        thread::sleep(FRAME);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let mut waits = Vec::new();
    for number in 0..questions {
        let asked = Instant::now();
        town.do_json(&format!(
            "{{\"do\":\"ask\",\"npc\":\"Asked\",\"question\":\"What about number {number}?\"}}"
        ))?;
        'answered: loop {
            now += 1;
            town.do_json(&format!("{{\"do\":\"tick\",\"now\":{now}}}"))?;
            while let Some(event) = town.next_event() {
                if serde_json::to_string(&event)?.starts_with("{\"event\":\"answered\"") {
                    break 'answered;
                }
            }
            thread::sleep(FRAME / 4);
        }
        waits.push(asked.elapsed().as_secs_f64() * 1e3);
    }
    waits.sort_by(f64::total_cmp);
    let at = |share: f64| waits.get((waits.len() as f64 * share) as usize).copied().unwrap_or_default();
    let (rate, median, late) = (npcs as f64 / seconds, at(0.5), at(0.99));
    writeln!(
        std::io::stdout(),
        "{rate:.2} nights a second, answers {median:.1} ms in the median, {late:.1} ms at p99"
    )?;
    Ok(())
}
