//! Random nights that fit the contents of a store.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Change, MemoryRecord, MemoryStore, NpcId, NpcNight, State};

use super::{
    steps::Kind,
    support::{Story, id, npc, vector},
};

/// References among all memories that an NPC ever slept on.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Names {
    /// Pairs of a derived memory and its source.
    edges: BTreeSet<(String, String)>,
    successors: BTreeMap<String, String>,
}

impl Names {
    pub(crate) fn of(store: &dyn MemoryStore, of: &NpcId) -> Self {
        let mut names = Self::default();
        let rows = store.entries(of).unwrap();
        for row in &rows {
            let name = row.entry.id.to_string();
            let derived = store.derived(of, &row.entry.id).unwrap();
            names.edges.extend(derived.into_iter().map(|derived| (derived.to_string(), name.clone())));
            names.successors.extend(row.superseded_by.as_ref().map(|by| (name.clone(), by.to_string())));
        }
        names
    }

    fn derive(&mut self, derived: &str, sources: &[&str]) {
        self.edges.extend(sources.iter().map(|source| (derived.to_owned(), (*source).to_owned())));
    }

    pub(crate) fn referring(&self, name: &str) -> BTreeSet<String> {
        let deriving = self.edges.iter().filter(|(_, source)| source == name).map(|(derived, _)| derived);
        let succeeded = self.successors.iter().filter(|(_, by)| *by == name).map(|(succeeded, _)| succeeded);
        deriving.chain(succeeded).cloned().collect()
    }

    /// Redirects references to these duplicates to the canonical entry, and returns the entries that held
    /// them.
    fn unite(&mut self, canonical: &str, duplicates: &[&str]) -> Vec<String> {
        let mut moved: BTreeSet<_> = duplicates.iter().flat_map(|name| self.referring(name)).collect();
        moved.remove(canonical);
        let renamed =
            |name: &String| if duplicates.contains(&&**name) { canonical.to_owned() } else { name.clone() };
        let edges = self.edges.iter().map(|(derived, source)| {
            (derived.clone(), if derived == canonical { source.clone() } else { renamed(source) })
        });
        self.edges = edges.collect();
        self.successors.values_mut().for_each(|by| *by = renamed(by));
        self.successors.extend(duplicates.iter().map(|name| ((*name).to_owned(), canonical.to_owned())));
        self.derive(canonical, duplicates);
        moved.into_iter().collect()
    }
}

/// Contents of the store for an NPC while a night is made up.
struct WorkingState {
    active: Vec<String>,
    archived: Vec<String>,
    /// Entries that were in the store before the night.
    older: BTreeSet<String>,
    names: Names,
}

impl WorkingState {
    fn of(store: &dyn MemoryStore, of: &NpcId) -> Self {
        let rows = store.entries(of).unwrap();
        let name = |row: &MemoryRecord| row.entry.id.to_string();
        Self {
            active: rows.iter().filter(|row| row.state == State::Active).map(name).collect(),
            archived: rows.iter().filter(|row| row.state == State::Archived).map(name).collect(),
            older: rows.iter().map(name).collect(),
            names: Names::of(store, of),
        }
    }

    /// Draws an older entry and several possible duplicates of it that no new memory refers to.
    fn group(&self, lot: usize) -> Option<(String, Vec<String>)> {
        let mut pool: Vec<_> =
            self.active.iter().filter(|name| self.older.contains(*name)).cloned().collect();
        let turn = lot % pool.len().max(1);
        pool.rotate_left(turn);
        let (canonical, others) = pool.split_first()?;
        let unnamed = |name: &&String| self.names.referring(name).is_subset(&self.older);
        let duplicates: Vec<_> = others.iter().filter(unnamed).take(1 + lot / 7 % 3).cloned().collect();
        (!duplicates.is_empty()).then(|| (canonical.clone(), duplicates))
    }
}

/// Returns a night of an NPC that fits the store, and the references after it.
#[expect(clippy::too_many_lines, reason = "one arm for each kind of change")]
pub(crate) fn fitting(
    store: &dyn MemoryStore,
    of: &str,
    serial: usize,
    changes: &[(Kind, usize)],
) -> (NpcNight, Names) {
    let mut mind = WorkingState::of(store, &npc(of));
    let mut night = Story::on(store, of, &format!("night-{serial}"));
    night.0.at = format!("{}", serial * 86_400).parse().unwrap();
    for (n, &(kind, lot)) in changes.iter().enumerate() {
        let new = |part: &str| format!("{part}-{serial}-{n}");
        let (a, b, chunk) = (&*new("a"), &*new("b"), &*new("chunk"));
        let old = (!mind.active.is_empty()).then(|| lot % mind.active.len());
        let old_name = old.map(|old| mind.active[old].clone());
        let group = mind.group(lot);
        let WorkingState { active, archived, names, .. } = &mut mind;
        night = match (kind, old_name.as_deref(), group) {
            (Kind::Collapse, ..) => {
                names.derive(a, &[b]);
                active.push(a.to_owned());
                night.collapse(a, &[b]).store(a)
            }
            (Kind::Prune, ..) => night.prune(a),
            (Kind::Chunk, ..) => {
                names.derive(chunk, &[a, b]);
                active.push(chunk.to_owned());
                night.chunk(chunk, &[a, b])
            }
            (Kind::Reflect, Some(old), _) => {
                names.derive(a, &[old]);
                active.push(a.to_owned());
                night.reflect(a, &[old])
            }
            (Kind::Corroborate, Some(old), _) => {
                names.derive(old, &[a, b]);
                night.corroborate(old, &[a, b], lot as u32 % 5)
            }
            (Kind::Strengthen, Some(old), _) => {
                names.derive(old, &[a]);
                active.push(a.to_owned());
                night.store(a).strengthen(old, &[a], lot as u32 % 5)
            }
            (Kind::Supersede, ..)
                if lot % 3 == 0 && archived.iter().any(|a| !names.successors.contains_key(a)) =>
            {
                let mut lacking = archived.iter().filter(|a| !names.successors.contains_key(*a));
                let old = lacking.nth(lot / 3 % lacking.clone().count()).unwrap().clone();
                active.push(a.to_owned());
                let story = night.store(a).supersede(&old, &[a]);
                names.successors.insert(old, a.to_owned());
                story
            }
            (Kind::Supersede, Some(old), _) => {
                names.successors.insert(old.to_owned(), a.to_owned());
                active.retain(|name| name != old);
                active.push(a.to_owned());
                night.store(a).supersede(old, &[a])
            }
            (Kind::Contest, Some(old), _) => {
                // With a new entry, or with an older one if there is another.
                let others = active.iter().filter(|name| *name != old).cloned().collect::<Vec<_>>();
                let other = others.get(lot / 5 % others.len().max(1)).filter(|_| lot % 3 > 0).cloned();
                match other {
                    Some(other) if lot % 2 == 0 => night.contest(old, &[&other]),
                    Some(other) => {
                        active.push(a.to_owned());
                        night.store(a).contest(old, &[a, &other])
                    }
                    None => {
                        active.push(a.to_owned());
                        night.store(a).contest(a, &[old])
                    }
                }
            }
            (Kind::End, Some(old), _) => {
                // Every entry has these words; of a serial number, another one may have ended earlier.
                let row = store.entry(&npc(of), &id(old)).unwrap();
                let words = ["heard", "twice", "so"];
                let position = words[lot % words.len()];
                let has_ended = row.is_some_and(|row| row.ended.iter().any(|ended| ended.text == position))
                    || night.0.changes.iter().any(
                        |change| matches!(change, Change::End { id, position: p, .. } if id.as_str() == old && p == position),
                    );
                active.push(a.to_owned());
                let night = night.store(a);
                if has_ended { night } else { night.end(old, position, &[a]) }
            }
            (Kind::Archive | Kind::Forget, Some(old), _) => {
                active.retain(|name| name != old);
                if matches!(kind, Kind::Archive) { night.archive(old) } else { night.forget(old) }
            }
            (Kind::Unite, _, Some((canonical, duplicates))) => {
                active.retain(|name| !duplicates.contains(name));
                let duplicates: Vec<_> = duplicates.iter().map(String::as_str).collect();
                let moved = names.unite(&canonical, &duplicates);
                let moved: Vec<_> = moved.iter().map(String::as_str).collect();
                night.unite(&canonical, &duplicates, &moved)
            }
            (Kind::Abstract, _, Some((canonical, mut told))) => {
                told.push(canonical);
                active.retain(|name| !told.contains(name));
                active.push(a.to_owned());
                let told: Vec<_> = told.iter().map(String::as_str).collect();
                names.derive(a, &told);
                night.abstracted(a, &told)
            }
            (Kind::Restore, ..) if !archived.is_empty() => {
                let back = archived.swap_remove(lot % archived.len());
                names.successors.remove(&back);
                active.push(back.clone());
                let vectorless = store.entry(&npc(of), &id(&back)).unwrap().unwrap().entry.vector.is_none();
                night.restore(&back, (vectorless || lot % 2 == 0).then(|| vector(&back)))
            }
            _ => {
                active.push(a.to_owned());
                night.store(a)
            }
        };
        active.sort();
    }
    // Tags as the lots fall: the NPC keeps those it has, gets others or loses all.
    let before = store.snapshot(&npc(of)).unwrap().npc_tags;
    night.0.npc_tags = match changes.first() {
        Some((_, lot)) if lot % 3 == 0 => vec![format!("tag-{}", lot % 5), "villager".to_owned()],
        Some((_, lot)) if lot % 3 == 1 => Vec::new(),
        _ => before,
    };
    // Themes as the lots fall: some come again, some are new.
    let seen = store.snapshot(&npc(of)).unwrap().themes;
    for (n, &(_, lot)) in changes.iter().enumerate().take(3) {
        night = match seen.get(lot % (seen.len() + 1)) {
            Some(theme) if night.0.themes.iter().all(|other| other.theme.id != theme.id) => {
                night.sees(theme.id.as_str(), theme.nights + 1)
            }
            _ => night.theme(&format!("theme-{serial}-{n}")),
        };
    }
    (night.0, mind.names)
}
