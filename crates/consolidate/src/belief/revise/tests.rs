//! Tests of revision with given judgements: each case is revised in every order of its comparisons.

use Kind::{Chat, Event};
use StatementId::Row;
use nightfold_english::English;
use nightfold_memory::{EndedPosition, Evidence, Importance, Kind, Memory};
use serde_json::json;

use super::*;

const OPEN: &str = "The north gate is open.";
const SHUT: &str = "The north gate is shut.";

/// Entries of an NPC, a day, and the judgements on their comparisons.
#[derive(Default)]
struct Case {
    known: Vec<MemoryRecord>,
    day: Vec<DistinctMemory>,
    judged: Vec<(Comparison, Judgement)>,
}

fn id(name: &str) -> MemoryId {
    MemoryId::new(name).unwrap()
}

fn known(name: &str) -> StatementId {
    StatementId::Known(id(name))
}

impl Case {
    /// Returns a case with one entry of this hour.
    fn with_entry(name: &str, at: i64, kind: Kind, text: &str) -> Self {
        Self::default().and_entry(name, at, kind, text)
    }

    fn and_entry(mut self, name: &str, at: i64, kind: Kind, text: &str) -> Self {
        let entry = json!({"npc": "Ann", "id": name, "form": "verbatim", "kind": kind, "text": text, "at": at,
            "last_at": at, "importance": 5, "occurrences": 1, "sources": [], "state": "active", "corroborations": 0,
            "confidence": "normal", "touched_at": at, "night": "day-0"});
        self.known.push(serde_json::from_value(entry).unwrap());
        self
    }

    fn contested(mut self, a: usize, b: usize) -> Self {
        let ids = [a, b].map(|n| self.known[n].entry.id.clone());
        self.known[a].contested_with.push(ids[1].clone());
        self.known[b].contested_with.push(ids[0].clone());
        self
    }

    /// Adds a memory of this hour as the next row.
    fn and_memory(mut self, name: &str, at: i64, kind: Kind, text: &str) -> Self {
        let memory = json!({"npc": "Ann", "id": name, "at": at, "kind": kind, "text": text, "importance": 5});
        let memory: Memory = serde_json::from_value(memory).unwrap();
        self.day.push(DistinctMemory::of(&memory));
        self
    }

    fn founded(&self, against: &StatementId) -> Foundation {
        match against {
            StatementId::Known(id) => {
                foundation_of(self.known.iter().find(|m| m.entry.id == *id).unwrap(), &English)
            }
            StatementId::Row(row) => English.foundation(self.day[*row].kind, &self.day[*row].text),
        }
    }

    fn judged(mut self, row: usize, against: StatementId, stance: Stance) -> Self {
        let last = match &against {
            StatementId::Known(id) => self.known.iter().find(|m| m.entry.id == *id).unwrap().entry.last_at,
            StatementId::Row(row) => self.day[*row].last_at,
        };
        let late = last > self.day[row].last_at;
        let founded = English.foundation(self.day[row].kind, &self.day[row].text);
        let other = self.founded(&against);
        let (older, newer) = if late { (founded, other) } else { (other, founded) };
        let rivalry = Some(Rivalry { position: 0..9, assertions: 1, older, newer });
        let comparison = Comparison { row, against, cosine: 0.9, near: true, parts: None, rivalry, late };
        let judgement = Judgement { stance, evidence: Evidence::Judged, verdict: None };
        self.judged.push((comparison, judgement));
        self
    }

    fn contradicts(self, row: usize, against: StatementId) -> Self {
        self.judged(row, against, Stance::Contradiction)
    }

    fn repeats(self, row: usize, against: StatementId) -> Self {
        self.judged(row, against, Stance::Same)
    }

    /// Returns the revision, which must be the same in every order of the comparisons.
    fn revise(&self) -> Revision {
        let past: BTreeMap<&MemoryId, &MemoryRecord> = self.known.iter().map(|m| (&m.entry.id, m)).collect();
        let config = ValidConfig::default();
        let revising = Reviser { distinct: &self.day, past: &past, config: &config, pack: &English };
        let of = |order: &[usize]| {
            let judged: Vec<_> =
                order.iter().map(|&n| (&self.judged[n].0, self.judged[n].1.clone())).collect();
            revising.revise(&judged)
        };
        let orders = orders(self.judged.len());
        let expected = of(&orders[0]);
        for order in &orders {
            assert_eq!(of(order), expected, "{order:?}");
        }
        expected
    }
}

/// Returns all orders of the first `n` numbers.
fn orders(n: usize) -> Vec<Vec<usize>> {
    assert!(n <= 6, "too many orders");
    (0..n).fold(vec![Vec::new()], |orders, next| {
        let put = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, next);
                order
            })
        };
        orders.iter().flat_map(put).collect()
    })
}

fn superseded(revision: &Revision) -> Vec<(&str, StatementId)> {
    revision.superseded.iter().map(|(id, (by, _))| (id.as_str(), by.clone())).collect()
}

fn outdated(revision: &Revision) -> Vec<(usize, StatementId)> {
    revision.outdated.iter().map(|(row, (by, _))| (*row, by.clone())).collect()
}

fn contested(revision: &Revision) -> Vec<(StatementId, StatementId)> {
    revision.contested.iter().map(|c| (c.older.clone(), c.newer.clone())).collect()
}

#[test]
fn newer_statement_supersedes_an_older_entry_and_is_required() {
    let case = Case::with_entry("old", 1, Event, OPEN)
        .and_memory("new", 9, Event, SHUT)
        .contradicts(0, known("old"));
    let revision = case.revise();
    assert_eq!(superseded(&revision), [("old", Row(0))]);
    assert_eq!((outdated(&revision), contested(&revision)), (vec![], vec![]));
    assert_eq!((revision.required, revision.late), (BTreeSet::from([0]), BTreeSet::new()));
    let reason = &revision.superseded[&id("old")].1;
    assert_eq!(reason.compared(), Some(("old", "new")));
    assert_eq!((&reason.values["founded"], &reason.values["against"]), (&"lived".into(), &"lived".into()));
}

#[test]
fn closest_statement_of_a_day_supersedes_an_entry_unless_what_follows_is_less_founded() {
    let case = |second: Kind, cosine: f64| {
        let mut case = Case::with_entry("open", 0, Event, OPEN)
            .and_memory("key", 10, Event, "The key of the north gate hangs in the hall.")
            .and_memory("shut", 11, second, SHUT)
            .contradicts(0, known("open"))
            .contradicts(1, known("open"));
        case.judged[0].0.cosine = 0.5;
        case.judged[1].0.cosine = cosine;
        case.revise()
    };
    let closer = case(Event, 0.9);
    assert_eq!(superseded(&closer), [("open", Row(1))]);
    assert_eq!(closer.required, BTreeSet::from([1]));
    assert_eq!(superseded(&case(Event, 0.4)), [("open", Row(0))]);
    assert_eq!(superseded(&case(Chat, 0.9)), [("open", Row(0))]);
}

#[test]
fn later_statement_of_a_day_supersedes_and_simultaneous_one_contests() {
    let at = |hour| {
        Case::default()
            .and_memory("a", 3, Event, OPEN)
            .and_memory("b", hour, Event, SHUT)
            .contradicts(1, Row(0))
            .revise()
    };
    assert_eq!(outdated(&at(4)), [(0, Row(1))]);
    assert_eq!(contested(&at(4)), []);
    assert_eq!(outdated(&at(3)), []);
    assert_eq!(contested(&at(3)), [(Row(0), Row(1))]);
}

#[test]
fn less_well_founded_statement_contests_and_equally_founded_one_supersedes() {
    const RUMOUR: &str = "They say the north gate is shut.";
    for ((was, old), (is, new), supersedes) in [
        ((Event, OPEN), (Event, SHUT), true),
        ((Event, OPEN), (Chat, SHUT), false),
        ((Event, OPEN), (Event, RUMOUR), false),
        ((Chat, OPEN), (Event, SHUT), true),
        ((Chat, OPEN), (Chat, SHUT), true),
        ((Chat, OPEN), (Chat, RUMOUR), false),
        ((Chat, "They say the north gate is open."), (Chat, RUMOUR), true),
        ((Chat, "They say the north gate is open."), (Event, SHUT), true),
    ] {
        let case =
            Case::with_entry("old", 1, was, old).and_memory("new", 9, is, new).contradicts(0, known("old"));
        let revision = case.revise();
        let (gone, both) = (superseded(&revision), contested(&revision));
        if supersedes {
            assert_eq!((gone, both), (vec![("old", Row(0))], vec![]), "{old} / {new}");
        } else {
            assert_eq!((gone, both), (vec![], vec![(known("old"), Row(0))]), "{old} / {new}");
        }
        assert!(revision.required.contains(&0), "news is kept: {old} / {new}");
        // The same two within a day.
        let day = Case::default()
            .and_memory("a", 1, was, old)
            .and_memory("b", 9, is, new)
            .contradicts(1, Row(0))
            .revise();
        assert_eq!(outdated(&day), if supersedes { vec![(0, Row(1))] } else { vec![] }, "{old} / {new}");
        assert_eq!(contested(&day).len(), usize::from(!supersedes), "{old} / {new}");
    }
}

#[test]
fn late_statement_is_superseded_or_contests_if_better_founded() {
    let late = |was: Kind, is: Kind| {
        Case::with_entry("new", 9, was, SHUT)
            .and_memory("late", 1, is, OPEN)
            .contradicts(0, known("new"))
            .revise()
    };
    for (was, is) in [(Event, Event), (Event, Chat), (Chat, Chat)] {
        let revision = late(was, is);
        assert_eq!(outdated(&revision), [(0, known("new"))]);
        assert_eq!((superseded(&revision), contested(&revision)), (vec![], vec![]));
        assert_eq!((revision.late, revision.required), (BTreeSet::from([0]), BTreeSet::new()));
        let reason = &revision.outdated[&0].1;
        assert_eq!((reason.compared(), &reason.values["came"]), (Some(("late", "new")), &"late".into()));
    }
    let revision = late(Chat, Event);
    assert_eq!(contested(&revision), [(Row(0), known("new"))]);
    assert_eq!((superseded(&revision), outdated(&revision)), (vec![], vec![]));
    assert_eq!(revision.late, BTreeSet::from([0]));
}

#[test]
fn late_statement_is_counted_once() {
    let case = Case::with_entry("new", 9, Event, SHUT)
        .and_entry("newer", 12, Event, "The north gate is barred.")
        .and_entry("older", 0, Event, "The north gate is walled up.")
        .and_memory("late", 1, Event, OPEN)
        .contradicts(0, known("new"))
        .contradicts(0, known("newer"));
    let revision = case.revise();
    assert_eq!((revision.late.len(), outdated(&revision).len()), (1, 1));
    assert_eq!((superseded(&revision), contested(&revision)), (vec![], vec![]));
}

#[test]
fn pinned_statement_is_contested_and_never_superseded() {
    let mut entry = Case::with_entry("old", 1, Event, OPEN)
        .and_memory("new", 9, Event, SHUT)
        .contradicts(0, known("old"));
    entry.known[0].entry.pinned = true;
    let revision = entry.revise();
    assert_eq!((superseded(&revision), contested(&revision)), (vec![], vec![(known("old"), Row(0))]));

    let mut day = Case::default()
        .and_memory("a", 1, Event, OPEN)
        .and_memory("b", 9, Event, SHUT)
        .contradicts(1, Row(0));
    day.day[0].pinned = true;
    let revision = day.revise();
    assert_eq!((outdated(&revision), contested(&revision)), (vec![], vec![(Row(0), Row(1))]));

    let mut late = Case::with_entry("new", 9, Event, SHUT)
        .and_memory("late", 1, Event, OPEN)
        .contradicts(0, known("new"));
    late.day[0].pinned = true;
    let revision = late.revise();
    assert_eq!((outdated(&revision), contested(&revision)), (vec![], vec![(Row(0), known("new"))]));

    // A pinned memory that corroborates an entry pins it.
    let mut again = Case::with_entry("old", 1, Event, OPEN)
        .and_memory("again", 8, Event, OPEN)
        .and_memory("new", 9, Event, SHUT)
        .repeats(0, known("old"))
        .contradicts(1, known("old"));
    again.day[0].pinned = true;
    let revision = again.revise();
    assert_eq!((superseded(&revision), contested(&revision)), (vec![], vec![(known("old"), Row(1))]));
}

#[test]
fn pinned_entry_is_contested_if_its_corroboration_is_contradicted() {
    let case = || {
        Case::with_entry("old", 1, Event, OPEN)
            .and_memory("again", 7, Event, OPEN)
            .and_memory("once more", 8, Event, OPEN)
            .and_memory("new", 9, Event, SHUT)
            .repeats(0, known("old"))
            .repeats(1, known("old"))
            .contradicts(2, Row(1))
    };
    assert_eq!(superseded(&case().revise()), [("old", Row(2))]);
    let mut by_itself = case();
    by_itself.known[0].entry.pinned = true;
    // The contradicted memory is not the one that pins.
    let mut by_another = case();
    by_another.day[0].pinned = true;
    for case in [by_itself, by_another] {
        let revision = case.revise();
        assert_eq!((superseded(&revision), contested(&revision)), (vec![], vec![(known("old"), Row(2))]));
    }
}

/// Returns a case of an entry that is repeated, contradicted and repeated again in one day.
fn repeated_contradicted_repeated(denial: Kind, last: Kind) -> Case {
    Case::with_entry("old", 1, Chat, OPEN)
        .and_memory("said", 8, Chat, OPEN)
        .and_memory("denied", 9, denial, SHUT)
        .and_memory("again", 10, last, OPEN)
        .repeats(0, known("old"))
        .contradicts(1, known("old"))
        .repeats(2, known("old"))
}

#[test]
fn last_repetition_supersedes_a_contradiction_not_better_founded() {
    let revision = repeated_contradicted_repeated(Chat, Chat).revise();
    assert_eq!(superseded(&revision), []);
    assert_eq!(outdated(&revision), [(1, known("old"))]);
    assert_eq!(revision.confirms.keys().copied().collect::<Vec<_>>(), [0, 2]);

    // Unless the denial is better founded, or pinned.
    let revision = repeated_contradicted_repeated(Event, Chat).revise();
    assert_eq!((superseded(&revision), outdated(&revision)), (vec![("old", Row(1))], vec![]));
    let mut pinned = repeated_contradicted_repeated(Chat, Chat);
    pinned.day[1].pinned = true;
    assert_eq!(superseded(&pinned.revise()), [("old", Row(1))]);
}

#[test]
fn contest_is_resolved_by_equally_founded_corroboration_of_one_side() {
    let contest = |other_at: i64, kind: Kind| {
        Case::with_entry("seen", 1, Event, OPEN)
            .and_entry("heard", other_at, Chat, SHUT)
            .contested(0, 1)
            .and_memory("again", 9, kind, OPEN)
            .repeats(0, known("seen"))
    };
    let revision = contest(2, Event).revise();
    assert_eq!(superseded(&revision), [("heard", Row(0))]);
    assert!(revision.confirms.contains_key(&0));
    let reason = &revision.superseded[&id("heard")].1;
    assert_eq!((&reason.values["settles"], reason.compared()), (&"seen".into(), Some(("seen", "again"))));

    assert_eq!(superseded(&contest(2, Chat).revise()), [], "talk settles nothing against what was seen");
    assert_eq!(superseded(&contest(12, Event).revise()), [], "the other side is newer");
    let mut pinned = contest(2, Event);
    pinned.known[1].entry.pinned = true;
    assert_eq!(superseded(&pinned.revise()), []);
}

#[test]
fn contradicting_a_corroboration_supersedes_the_entry() {
    let case = Case::with_entry("old", 1, Event, OPEN)
        .and_memory("again", 8, Event, OPEN)
        .and_memory("new", 9, Event, SHUT)
        .repeats(0, known("old"))
        .contradicts(1, Row(0));
    let revision = case.revise();
    assert_eq!(superseded(&revision), [("old", Row(1))]);
    assert_eq!(outdated(&revision), [], "its words are those of the entry");
    assert!(revision.required.contains(&1));

    // The same where the entry itself was compared too.
    let revision = case.contradicts(1, known("old")).revise();
    assert_eq!((superseded(&revision), outdated(&revision)), (vec![("old", Row(1))], vec![]));
}

#[test]
fn closest_equal_entry_is_corroborated_in_any_order() {
    let mut case = Case::with_entry("far", 1, Event, OPEN)
        .and_entry("near", 2, Event, "The gate in the north is open.")
        .and_memory("again", 9, Event, OPEN)
        .repeats(0, known("far"))
        .repeats(0, known("near"));
    case.judged[0].0.cosine = 0.9;
    case.judged[1].0.cosine = 0.95;
    let revision = case.revise();
    assert_eq!(revision.confirms[&0].0, id("near"));
    case.judged[1].0.near = false;
    assert_eq!(case.revise().confirms[&0].0, id("far"), "what lies apart is not merged");
}

#[test]
fn unrelated_statements_change_nothing() {
    let case = Case::with_entry("old", 1, Event, OPEN).and_memory("new", 9, Event, SHUT);
    let nothing = Revision::default();
    let unrelated = Case { known: case.known.clone(), day: case.day.clone(), judged: Vec::new() }.judged(
        0,
        known("old"),
        Stance::Unrelated,
    );
    assert_eq!(unrelated.revise(), nothing);
    let mut excluded = case.contradicts(0, known("old"));
    excluded.judged[0].0.rivalry = None;
    assert_eq!(excluded.revise(), nothing);
}

#[test]
fn statement_that_says_more_than_what_ended_stays_until_all_of_it_ended() {
    const BOTH: &str = "The north gate is open. The mill stands still.";
    let (gate, mill) = (0..23, 24..BOTH.len());
    let rivalry = |case: &mut Case, n: usize, position: Range<usize>| {
        let rivalry = case.judged[n].0.rivalry.as_mut().unwrap();
        (rivalry.position, rivalry.assertions) = (position, 2);
    };
    let mut case = Case::with_entry("old", 1, Event, BOTH)
        .and_memory("new", 9, Event, SHUT)
        .and_memory("newer", 10, Event, "The mill runs again.")
        .contradicts(0, known("old"));
    rivalry(&mut case, 0, gate);
    let revision = case.revise();
    assert_eq!((superseded(&revision), contested(&revision)), (vec![], vec![]));
    let [ending] = revision.ended.as_slice() else { panic!("{revision:#?}") };
    assert_eq!((&ending.older, ending.position.as_str(), &ending.newer), (&known("old"), OPEN, &Row(0)));
    assert!(revision.required.contains(&0));

    let mut case = case.contradicts(1, known("old"));
    rivalry(&mut case, 1, mill.clone());
    assert_eq!(superseded(&case.revise()), [("old", Row(1))]);

    // What ended on an earlier night counts too.
    let mut later = Case::with_entry("old", 1, Event, BOTH)
        .and_memory("newer", 10, Event, "The mill runs again.")
        .contradicts(0, known("old"));
    rivalry(&mut later, 0, mill);
    let since = later.known[0].entry.at;
    later.known[0].ended = vec![EndedPosition { since, text: OPEN.to_owned(), by: id("new") }];
    assert_eq!(superseded(&later.revise()), [("old", Row(0))]);
}

#[test]
fn report_stays_and_what_it_tells_ends() {
    const TOLD: &str = "Corvin told me that the north gate is open.";
    let mut case = Case::with_entry("old", 1, Event, TOLD)
        .and_memory("new", 9, Event, SHUT)
        .contradicts(0, known("old"));
    case.judged[0].0.rivalry.as_mut().unwrap().position = 20..TOLD.len();
    let revision = case.revise();
    assert_eq!((superseded(&revision), contested(&revision)), (vec![], vec![]));
    assert_eq!(revision.ended[0].position, "the north gate is open.");
}

#[test]
fn statement_is_never_superseded_by_its_own_words() {
    let own = "I am not the smith, I am his brother.";
    let again = Case::with_entry("old", 1, Chat, own)
        .and_memory("again", 9, Chat, own)
        .repeats(0, known("old"))
        .contradicts(0, known("old"));
    let revision = again.revise();
    assert_eq!((superseded(&revision), contested(&revision)), (vec![], vec![]));
    assert!(revision.confirms.contains_key(&0));
    let part = Case::with_entry("old", 1, Chat, own)
        .and_memory("again", 9, Chat, "I am his brother.")
        .contradicts(0, known("old"));
    assert_eq!(part.revise(), Revision::default());
}

#[test]
fn important_words_that_an_entry_does_not_hold_are_not_merged_into_it() {
    let mut case = Case::with_entry("old", 1, Event, OPEN)
        .and_memory("again", 9, Event, "The north gate stands open tonight.")
        .repeats(0, known("old"));
    assert!(case.revise().confirms.contains_key(&0));
    case.day[0].importance = Importance::new(9).unwrap();
    assert!(!case.revise().confirms.contains_key(&0));
}
