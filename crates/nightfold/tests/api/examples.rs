//! Conclusions that memories bear out are stored, and their opposites are not, by a model that is honest when it is asked
//! about a sentence alone: an example of each kind of reflection, played with recorded answers, and many more.

use crate::support::{Toy, config, memory, npc, sleeping, verdict};
use nightfold::{
    Sleep, days_by_night,
    memory::{
        Answer, Change, GameTime, Importance, Kind, LanguageError, LanguageModel, Memory, MemoryId,
        NightPlan, ReflectionKind, Reply, Request, Stance, TaskKind, config::ClusterAlgorithm,
    },
};
use nightfold_language::recorded::{Recorded, Recorder};
use nightfold_store::SqliteStore;
use serde_json::Value;

struct Example {
    npc: &'static str,
    kind: ReflectionKind,
    days: [&'static [&'static str]; 2],
    conclusion: &'static str,
    opposite: &'static str,
}

const EXAMPLES: [Example; 5] = [
    Example {
        npc: "Ada",
        kind: ReflectionKind::Pattern,
        days: [
            &[
                "I spent the morning at the forge with Harn the blacksmith.",
                "I watched Harn the blacksmith shoe a mare.",
            ],
            &["I helped Harn the blacksmith with the bellows.", "I ate my supper with Harn at the forge."],
        ],
        conclusion: "I have been spending a lot of time with Harn the blacksmith lately.",
        opposite: "I have spent hardly any time with Harn the blacksmith lately.",
    },
    Example {
        npc: "Bea",
        kind: ReflectionKind::Causal,
        days: [
            &[
                "I went to the market late and the flour cost 6 pence.",
                "I was late at the market and the eggs were dear.",
            ],
            &[
                "I went to the market early and the flour cost 3 pence.",
                "I was early at the market and the eggs were cheap.",
            ],
        ],
        conclusion: "When I go to the market early, the flour and the eggs are cheaper.",
        opposite: "When I go to the market early, the flour and the eggs are dearer.",
    },
    Example {
        npc: "Cid",
        kind: ReflectionKind::Social,
        days: [
            &["Odo the baker served me without a word.", "I helped Odo the baker carry his flour."],
            &["Odo the baker smiled at me and gave me a roll.", "Odo the baker asked how my mother was."],
        ],
        conclusion: "Odo the baker is friendlier to me since I helped him.",
        opposite: "Odo the baker is colder to me since I helped him.",
    },
    Example {
        npc: "Dag",
        kind: ReflectionKind::Oneself,
        days: [
            &[
                "I slept four hours and dragged myself through the day.",
                "I slept eight hours and woke up energised.",
            ],
            &[
                "I slept eight hours and felt energised all morning.",
                "I carried sacks until noon after eight hours of sleep.",
            ],
        ],
        conclusion: "I feel energised when I get eight hours of sleep.",
        opposite: "I feel weary whenever I sleep eight hours.",
    },
    Example {
        npc: "Eli",
        kind: ReflectionKind::Connection,
        days: [
            &[
                "The river was low and the miller ground no corn for Odo the baker.",
                "The miller sent Odo the baker away without flour.",
            ],
            &["Odo the baker had no flour from the miller.", "Odo the baker closed his shop before noon."],
        ],
        conclusion: "I think Odo the baker closed his shop because the miller ground no corn.",
        opposite: "I think Odo the baker opened his shop because the miller ground no corn.",
    },
];

/// Draws a conclusion from each day that has a past, and finds the true ones borne out.
struct Writer(fn(&Example) -> &'static str);

impl LanguageModel for Writer {
    fn name(&self) -> &'static str {
        "writer"
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let task = request.task;
        let example = EXAMPLES.iter().find(|example| example.npc == task.me).expect("an example");
        let answers = match task.kind {
            TaskKind::Support => {
                let (said, cited) = task.sources.split_last().expect("what was said");
                assert!(cited.len() > 2, "it is held against the past, too: {cited:?}");
                let holds = said.text == example.conclusion;
                vec![verdict(if holds { Stance::Same } else { Stance::Contradiction })]
            }
            TaskKind::Reflections { .. } if !task.past.is_empty() => {
                let earlier = task.citable_past().map(|past| &past.id);
                let cites: Vec<MemoryId> =
                    task.sources.iter().map(|s| &s.id).chain(earlier).cloned().collect();
                let text = (self.0)(example).to_owned();
                vec![Answer { text, kind: Some(example.kind), cites, confidence: None }]
            }
            _ => Vec::new(),
        };
        Ok(Reply { answers, tokens: task.tokens })
    }
}

fn lived() -> Vec<Memory> {
    let memory = |of: &Example, day: i64, n: i64, text: &str| {
        let at = GameTime::from_seconds(86_400 * day + 3_600 * (8 + n)).unwrap();
        Memory::new(npc(of.npc), MemoryId::new(format!("d{day}-m{n}")).unwrap(), at, Kind::Event, text)
            .with(|memory| memory.importance = Some(Importance::new(6).unwrap()))
    };
    let of_example = |example: &'static Example| {
        (0..).zip(example.days).flat_map(move |(day, texts)| {
            (0..).zip(texts).map(move |(n, text)| memory(example, day, n, text)).collect::<Vec<_>>()
        })
    };
    EXAMPLES.iter().flat_map(of_example).collect()
}

fn plan(model: &dyn LanguageModel) -> NightPlan {
    plan_of(lived(), model)
}

fn plan_of(lived: Vec<Memory>, model: &dyn LanguageModel) -> NightPlan {
    let config = config(|c| {
        // A day is one theme, of which everything is kept.
        c.cluster.algorithm = ClusterAlgorithm::Single;
        (c.themes.proximity, c.budget.storage) = (-1.0, 1.0);
        (c.triage.similar, c.triage.similar_over_budget) = (1.0, 1.0);
        (c.reconcile.rival_similarity, c.reconcile.min_similarity) = (0.0, 1.0);
    });
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    let sleep = Sleep { language: Some(model), ..sleeping(&config, &toy, &store) };
    sleep.plan(days_by_night(lived, None, &config)).unwrap().plan
}

#[test]
fn examples_of_every_kind_come_through_and_their_opposites_do_not() {
    let folder = tempfile::tempdir().unwrap();
    for (says, stands) in [(as_conclusion as fn(&Example) -> &'static str, true), (as_opposite, false)] {
        let said = folder.path().join(format!("{stands}.jsonl"));
        let live = plan(&Recorder::open(Writer(says), &said).unwrap());
        let replayed = plan(&Recorded::open(&said, None).unwrap());
        assert_eq!(live.nights, replayed.nights);
        for example in &EXAMPLES {
            let nights = replayed.nights.iter().filter(|night| night.npc.as_str() == example.npc);
            let mut drawn = nights.flat_map(|n| &n.changes).filter(|c| c.verb() == "reflect");
            let found = drawn.find(|change| change.entry().is_some_and(|entry| entry.text == says(example)));
            assert_eq!(found.is_some(), stands, "{}", says(example));
            let sources = found.map_or(&[][..], Change::sources);
            assert_eq!(sources.iter().any(|id| id.as_str().starts_with("d0")), stands, "{sources:?}");
        }
        let faults = replayed.report.language.unwrap().faults;
        assert_eq!(faults.contains_key("contradicted"), !stands, "{faults:?}");
    }
}

fn as_conclusion(example: &Example) -> &'static str {
    example.conclusion
}

fn as_opposite(example: &Example) -> &'static str {
    example.opposite
}

/// Conclusions with the memories that they rest on, and their opposites: sources, `true`, `opposite`.
const PLANTED: &str = include_str!("planted.jsonl");

/// Draws one side of each line from the day of the NPC that is named by its number.
struct Planter<'a> {
    lines: &'a [Value],
    side: &'static str,
}

impl LanguageModel for Planter<'_> {
    fn name(&self) -> &'static str {
        "planter"
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let task = request.task;
        let line =
            &self.lines[task.me.strip_prefix("npc-").and_then(|n| n.parse::<usize>().ok()).expect("a line")];
        let answers = match task.kind {
            TaskKind::Support => {
                let said = task.sources.last().expect("what was said");
                vec![verdict(if line["true"] == said.text { Stance::Same } else { Stance::Unrelated })]
            }
            TaskKind::Reflections { .. } => {
                let text = line[self.side].as_str().expect("a text").to_owned();
                let cites = task.sources.iter().map(|source| source.id.clone()).collect();
                vec![Answer { text, kind: None, cites, confidence: None }]
            }
            _ => Vec::new(),
        };
        Ok(Reply { answers, tokens: task.tokens })
    }
}

#[test]
fn no_check_by_rules_refuses_what_memories_bear_out() {
    let lines: Vec<Value> = PLANTED.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let lived = || {
        let of_line = |(n, line): (usize, &Value)| {
            let texts = line["sources"].as_array().expect("memories").clone();
            let memory = move |(m, text): (i64, Value)| {
                let text = text.as_str().expect("a text").to_owned();
                memory(&format!("npc-{n}"), 0, m, &text, 6).with(|m| m.kind = Kind::Event)
            };
            (0..).zip(texts).map(memory).collect::<Vec<_>>()
        };
        lines.iter().enumerate().flat_map(of_line).collect::<Vec<Memory>>()
    };
    for (side, expected) in [("true", 38..=40), ("opposite", 0..=0)] {
        let plan = plan_of(lived(), &Planter { lines: &lines, side });
        let entries = plan.nights.iter().flat_map(|night| &night.changes).filter(|c| c.verb() == "reflect");
        let texts: Vec<&str> = entries.filter_map(Change::entry).map(|entry| entry.text.as_str()).collect();
        let (stored, refused): (Vec<&str>, Vec<&str>) =
            lines.iter().filter_map(|line| line[side].as_str()).partition(|text| texts.contains(text));
        assert!(expected.contains(&stored.len()), "{side}: {stored:#?} stored, {refused:#?} refused");
    }
}
