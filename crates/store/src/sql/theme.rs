//! Themes as rows: one for each theme and night.

use std::{collections::BTreeSet, ops::ControlFlow};

use nightfold_memory::{MemorySnapshot, StoreError, Theme, ThemeHistory, ThemeId, ThemeNight, ThemePoint};

use super::{
    Database, DatabaseFault, query_all, query_each, query_value,
    row::{self, Cells},
    value::params,
};

/// Writes the themes of nights, each given by the key of the NPC, the number of the night, and its themes.
pub(crate) fn write<'a>(
    db: &dyn Database,
    nights: impl IntoIterator<Item = (i64, i64, &'a [ThemeNight])>,
) -> Result<(), DatabaseFault> {
    let mut rows = Vec::new();
    for (key, seq, themes) in nights {
        for ThemeNight { theme, members, importance, new } in themes {
            rows.push(Vec::from(params![
                key,
                theme.id.as_str(),
                seq,
                row::json(members)?,
                *importance,
                *new,
                row::json(&theme.words)?,
                theme.centre.to_packed(),
                theme.memories,
                theme.nights,
                theme.first_at,
                theme.last_at,
                row::json(&theme.recent)?,
            ]));
        }
    }
    let sql = "INSERT INTO theme (npc, id, seq, members, importance, new, words, centre, memories, nights, first_at, \
         last_at, recent) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    db.execute_each(sql, &rows).map(drop)
}

/// Deletes the themes that a night saw; must run before the night is deleted.
pub(crate) const DELETE_OF_NIGHT: &str = "DELETE FROM theme WHERE npc = ?1 AND seq IN \
     (SELECT seq FROM night WHERE npc = ?1 AND version = ?2)";

/// Deletes the rows that no snapshot of the night with the number `until`, or of a later one, reads. Up to that night, only the
/// latest row of each of the most recently seen themes stays.
pub(crate) fn purge(db: &dyn Database, key: i64, until: i64) -> Result<(), DatabaseFault> {
    let earlier = "DELETE FROM theme WHERE npc = ?1 AND seq < (SELECT max(latest.seq) FROM theme AS latest
         WHERE latest.npc = ?1 AND latest.id = theme.id AND latest.seq <= ?2)";
    db.execute(earlier, &params![key, until])?;
    let unseen = "DELETE FROM theme WHERE npc = ?1 AND seq <= ?2 AND id NOT IN
         (SELECT id FROM theme WHERE npc = ?1 AND seq <= ?2 ORDER BY seq DESC, id LIMIT ?3)";
    // A constant below a thousand.
    let most = i64::try_from(MemorySnapshot::MAX_THEMES).unwrap_or(i64::MAX);
    db.execute(unseen, &params![key, until, most])?;
    Ok(())
}

pub(crate) const IDS_BY_LAST_NIGHT: &str = "SELECT id FROM theme WHERE npc = ?1 ORDER BY seq DESC, id";

pub(crate) const LATEST: &str =
    "SELECT id, words, centre, memories, nights, first_at, last_at, recent FROM theme
     WHERE npc = ?1 AND id = ?2 ORDER BY seq DESC LIMIT 1";

/// Returns the most recently seen themes, as of their last night.
pub(crate) fn latest(db: &dyn Database, key: i64) -> Result<Vec<Theme>, DatabaseFault> {
    let ids = last_seen(db, key, MemorySnapshot::MAX_THEMES)?;
    let asked: Vec<_> = ids.iter().map(|id| Vec::from(params![key, id.as_str()])).collect();
    query_each(db, LATEST, &asked, theme)
}

/// Returns up to `most` theme ids, each once, the most recently seen first.
fn last_seen(db: &dyn Database, key: i64, most: usize) -> Result<Vec<ThemeId>, DatabaseFault> {
    let (mut seen, mut order, mut failed) = (BTreeSet::new(), Vec::new(), None);
    db.query(IDS_BY_LAST_NIGHT, &params![key], &mut |row| {
        if order.len() == most {
            return ControlFlow::Break(());
        }
        match Cells::of(row).parsed::<ThemeId>("name of a theme") {
            Ok(id) if seen.insert(id.clone()) => order.push(id),
            Ok(_) => {}
            Err(error) => {
                failed = Some(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    failed.map_or(Ok(order), |error| Err(error.into()))
}

fn theme(cells: &mut Cells<'_>) -> Result<Theme, StoreError> {
    Ok(Theme {
        id: cells.parsed("name of a theme")?,
        words: cells.json("words of a theme")?,
        centre: cells.vector("centre of a theme")?,
        memories: cells.get("count of memories of a theme")?,
        nights: cells.get("count of nights of a theme")?,
        first_at: cells.time("first time of a theme")?,
        last_at: cells.time("last time of a theme")?,
        recent: cells.json("last nights of a theme")?,
    })
}

/// Returns the themes that a night saw, by id.
pub(crate) fn of_night(db: &dyn Database, key: i64, version: u64) -> Result<Vec<ThemeNight>, DatabaseFault> {
    let sql = "SELECT id, words, centre, memories, nights, first_at, last_at, recent, members, importance, new
         FROM theme WHERE npc = ?1 AND seq IN (SELECT seq FROM night WHERE npc = ?1 AND version = ?2) ORDER BY id";
    query_all(db, sql, &params![key, version], |cells| {
        Ok(ThemeNight {
            theme: theme(cells)?,
            members: cells.json("memories of a night")?,
            importance: cells.get("importance of a night")?,
            new: cells.get("mark of a new theme")?,
        })
    })
}

/// True if the theme was ever seen.
pub(crate) fn exists(db: &dyn Database, key: i64, id: &ThemeId) -> Result<bool, DatabaseFault> {
    let sql = "SELECT EXISTS (SELECT 1 FROM theme WHERE npc = ?1 AND id = ?2)";
    query_value(db, sql, &params![key, id.as_str()], "presence of a theme")
}

pub(crate) const HISTORY: &str =
    "SELECT t.id, t.words, t.memories, t.nights, t.first_at, t.last_at, night.label, night.at,
     t.members, t.importance
     FROM theme AS t JOIN night ON night.seq = t.seq WHERE t.npc = ?1 AND t.id = ?2 ORDER BY t.seq";

/// Returns all themes with their nights, the most recently seen first.
pub(crate) fn histories(db: &dyn Database, key: i64) -> Result<Vec<ThemeHistory>, DatabaseFault> {
    let mut histories = Vec::new();
    for id in last_seen(db, key, usize::MAX)? {
        let mut nights = query_all(db, HISTORY, &params![key, id.as_str()], |cells| {
            let history = ThemeHistory {
                id: cells.parsed("name of a theme")?,
                words: cells.json("words of a theme")?,
                memories: cells.get("count of memories of a theme")?,
                nights: cells.get("count of nights of a theme")?,
                first_at: cells.time("first time of a theme")?,
                last_at: cells.time("last time of a theme")?,
                history: Vec::new(),
            };
            let point = ThemePoint {
                night: cells.parsed("night")?,
                at: cells.time("time of a night")?,
                members: cells.json("memories of a night")?,
                importance: cells.get("importance of a theme")?,
            };
            Ok((history, point))
        })?;
        // The theme as of its last night.
        if let Some((last, _)) = nights.last_mut() {
            let mut last = last.clone();
            last.history = nights.into_iter().map(|(_, point)| point).collect();
            histories.push(last);
        }
    }
    Ok(histories)
}
