//! Rules that the rows of a store keep among each other.

use std::ops::ControlFlow;

use nightfold_memory::NpcId;

use super::super::{Database, DatabaseFault, SqlValue};

/// Rules that hold for every store and span several rows, each with its words and a query of the rows that break it, by the
/// key of an NPC and an id. A column in braces stands for the items of its lists. A source of an entry is one that the store
/// holds or held, or one outside it, which the entry itself names.
const RULES: &[(&str, &str)] = &[
    (
        "the version in force is not that of the NPC's latest night",
        "SELECT key AS npc, NULL AS id FROM npc WHERE version IS DISTINCT FROM
         (SELECT version FROM night WHERE night.npc = key ORDER BY seq DESC LIMIT 1)",
    ),
    (
        "an active entry has no vector",
        "SELECT m.npc, m.id FROM memory AS m WHERE state = 'active'
         AND NOT EXISTS (SELECT 1 FROM vector AS v WHERE v.npc = m.npc AND v.id = m.id)",
    ),
    (
        "an entry was written by a night that is not there",
        "SELECT m.npc, m.id FROM memory AS m WHERE NOT EXISTS
         (SELECT 1 FROM night AS n WHERE n.npc = m.npc AND n.version = m.version)",
    ),
    (
        "an entry is contested with one that is not active, or not contested with it",
        "SELECT m.npc, m.id FROM memory AS m, {m.contested_with} AS named
         WHERE m.state != 'active' OR NOT EXISTS
         (SELECT 1 FROM memory AS o, {o.contested_with} AS back
          WHERE o.npc = m.npc AND o.id = named.value AND o.state = 'active' AND back.value = m.id)",
    ),
    (
        "a night was not planned against the state that the night before it left",
        "SELECT c.npc, c.label AS id FROM (SELECT npc, label, base_version,
             lag(version) OVER (PARTITION BY npc ORDER BY seq) AS earlier FROM night) AS c
         WHERE c.base_version <> coalesce(c.earlier, 0)",
    ),
    (
        "an edge leads from an entry that is not there",
        "SELECT e.npc, e.derived AS id FROM edge AS e WHERE NOT EXISTS
         (SELECT 1 FROM memory AS m WHERE m.npc = e.npc AND m.id = e.derived)",
    ),
    (
        "an entry is superseded by one that the store never held",
        "SELECT m.npc, m.id FROM memory AS m WHERE m.superseded_by IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM memory AS s WHERE s.npc = m.npc AND s.id = m.superseded_by)
         AND NOT EXISTS (SELECT 1 FROM gone AS g WHERE g.npc = m.npc AND g.id = m.superseded_by)",
    ),
    (
        "a position was ended by an entry that the store never held",
        "SELECT m.npc, m.id FROM memory AS m, {m.ended} AS mark
         WHERE NOT EXISTS (SELECT 1 FROM memory AS s WHERE s.npc = m.npc AND s.id = {mark.by})
         AND NOT EXISTS (SELECT 1 FROM gone AS g WHERE g.npc = m.npc AND g.id = {mark.by})",
    ),
    (
        "a vector belongs to an entry that is not there",
        "SELECT v.npc, v.id FROM vector AS v WHERE NOT EXISTS
         (SELECT 1 FROM memory AS m WHERE m.npc = v.npc AND m.id = v.id)",
    ),
    (
        "the log tells of a night that is not there",
        "SELECT l.npc, l.id FROM log AS l WHERE NOT EXISTS
         (SELECT 1 FROM night AS n WHERE n.npc = l.npc AND n.version = l.version)",
    ),
    (
        "a theme was seen on a night that is not there",
        "SELECT t.npc, t.id FROM theme AS t WHERE NOT EXISTS
         (SELECT 1 FROM night AS n WHERE n.npc = t.npc AND n.seq = t.seq)",
    ),
    (
        "what a night changed is kept for an entry or a night that is not there",
        "SELECT p.npc, p.id FROM prior AS p
         WHERE NOT EXISTS (SELECT 1 FROM memory AS m WHERE m.npc = p.npc AND m.id = p.id)
         OR NOT EXISTS (SELECT 1 FROM night AS n WHERE n.npc = p.npc AND n.version = p.version)",
    ),
    (
        "an entry names another night than the one that wrote it",
        "SELECT m.npc, m.id FROM memory AS m JOIN night AS n ON n.npc = m.npc AND n.version = m.version
         WHERE m.night <> n.label",
    ),
    (
        "an edge was drawn by a night that is not there",
        "SELECT e.npc, e.derived AS id FROM edge AS e WHERE NOT EXISTS
         (SELECT 1 FROM night AS n WHERE n.npc = e.npc AND n.version = e.version)",
    ),
    (
        "an entry rests on a source that the store never held, and does not name it",
        "SELECT m.npc, m.id FROM edge AS e JOIN memory AS m ON m.npc = e.npc AND m.id = e.derived
         WHERE NOT EXISTS (SELECT 1 FROM memory AS s WHERE s.npc = e.npc AND s.id = e.source)
         AND NOT EXISTS (SELECT 1 FROM gone AS g WHERE g.npc = e.npc AND g.id = e.source)
         AND NOT EXISTS (SELECT 1 FROM {m.sources} AS named WHERE named.value = e.source)",
    ),
    (
        "an entry names a source to which no edge leads",
        "SELECT m.npc, m.id FROM memory AS m, {m.sources} AS named WHERE NOT EXISTS
         (SELECT 1 FROM edge AS e WHERE e.npc = m.npc AND e.derived = m.id AND e.source = named.value)",
    ),
    (
        "an entry is there that was purged",
        "SELECT g.npc, g.id FROM gone AS g JOIN memory AS m ON m.npc = g.npc AND m.id = g.id",
    ),
];

/// Passes the rows of the store, or of one NPC, that break a rule to `take`, until it breaks: the words of the rule, the name of
/// the NPC, and an id.
pub(super) fn broken(
    db: &dyn Database,
    npc: Option<&NpcId>,
    mut take: impl FnMut(&'static str, Option<String>, Option<String>) -> ControlFlow<()>,
) -> Result<(), DatabaseFault> {
    let mut flow = ControlFlow::Continue(());
    for (what, rule) in RULES {
        if flow.is_break() {
            break;
        }
        let mut rule = (*rule).to_owned();
        for column in ["m.contested_with", "o.contested_with", "m.ended", "m.sources"] {
            rule = rule.replace(&format!("{{{column}}}"), &db.items_of(column));
        }
        rule = rule.replace("{mark.by}", &db.field_of("mark.value", "by"));
        let sql = format!(
            "SELECT n.name, r.id FROM ({rule}) AS r LEFT JOIN npc AS n ON n.key = r.npc
             WHERE CAST(?1 AS text) IS NULL OR n.name = ?1 ORDER BY n.name, r.id"
        );
        db.query(&sql, &[npc.map(NpcId::as_str).into()], &mut |row| {
            let text = |column| match row.value(column) {
                Ok(SqlValue::Text(text)) => Some(text.into_owned()),
                _ => None,
            };
            flow = take(what, text(0), text(1));
            flow
        })?;
    }
    Ok(())
}
