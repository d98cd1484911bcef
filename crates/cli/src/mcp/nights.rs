//! Applied nights as resources: `nightfold://night/NPC/VERSION`, the name of the NPC percent-encoded, the version that
//! the night made in sixteen hexadecimal digits.

use nightfold::memory::{AppliedNight, GameTime, LogLine, NightLabel, NpcId};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{ListResourcesResult, Resource, ResourceTemplate};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    reply::{self, BoundedData},
    state::ServerState,
};
use crate::{error::CliError, show::count, terminal::clean};

/// Number of nights on one page of the list.
const PAGE: usize = 100;

const NIGHTS: &str = "nightfold://night/";
pub(super) const JSON: &str = "application/json";

/// Characters that are percent-encoded in a URI: all but the unreserved ones (RFC 3986).
const ENCODED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn uri(npc: &NpcId, version: u64) -> String {
    format!("{NIGHTS}{}/{version:016x}", utf8_percent_encode(npc.as_str(), &ENCODED))
}

/// Returns the NPC and the version that a URI names; only for a URI in the listed form.
fn named(asked: &str) -> Option<(NpcId, u64)> {
    let (npc, version) = asked.strip_prefix(NIGHTS)?.split_once('/')?;
    let npc = NpcId::new(percent_decode_str(npc).decode_utf8().ok()?).ok()?;
    let version = u64::from_str_radix(version, 16).ok()?;
    (uri(&npc, version) == asked).then_some((npc, version))
}

/// Error of a request for a resource.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResourceError {
    #[error("there is no such night; resources/list names those there are, as {NIGHTS}NPC/VERSION")]
    Unknown,
    #[error("the cursor is none that resources/list gave")]
    Cursor,
}

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{NIGHTS}{{npc}}/{{version}}"), "night")
        .with_title("An applied night")
        .with_description(
            "Record of a night of an NPC: its time, the number of its changes, and each change with its reason",
        )
        .with_mime_type(JSON)
}

/// Returns the nights from the cursor on, oldest first, so that a page keeps its nights.
pub(super) fn list(
    state: &ServerState,
    cursor: Option<&str>,
) -> Result<Result<ListResourcesResult, ResourceError>, CliError> {
    let from = match cursor.map(str::parse::<usize>) {
        None => 0,
        Some(Ok(from)) => from,
        Some(Err(_)) => return Ok(Err(ResourceError::Cursor)),
    };
    let nights = state.store()?.nights(None)?;
    if cursor.is_some() && from >= nights.len() {
        return Ok(Err(ResourceError::Cursor));
    }
    let mut listed =
        ListResourcesResult::with_all_items(nights.iter().skip(from).take(PAGE).map(resource).collect());
    let next = from.saturating_add(PAGE);
    listed.next_cursor = (next < nights.len()).then(|| next.to_string());
    Ok(Ok(listed))
}

fn resource(night: &AppliedNight) -> Resource {
    let changes = count(night.changes, "change", "changes");
    Resource::new(uri(&night.npc, night.version), clean(&format!("{} {}", night.npc, night.night)))
        .with_title(clean(&format!("{} · night {}", night.npc, night.night)))
        .with_description(format!("slept at {}, {changes}", night.at))
        .with_mime_type(JSON)
}

/// Returns one night with its log, as JSON.
pub(super) fn read(state: &ServerState, asked: &str) -> Result<Result<String, ResourceError>, CliError> {
    let Some((npc, version)) = named(asked) else { return Ok(Err(ResourceError::Unknown)) };
    let store = state.store()?;
    let Some(night) = store.nights(Some(&npc))?.into_iter().find(|night| night.version == version) else {
        return Ok(Err(ResourceError::Unknown));
    };
    let log = store.night_log(&night)?;
    let data = NightData { npc, night: night.night, at: night.at, changes: night.changes, log };
    reply::resource(&data).map(Ok)
}

/// Data of an applied night.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NightData {
    /// NPC that the night belongs to.
    npc: NpcId,
    /// Label of the night.
    night: NightLabel,
    /// Time of sleep.
    at: GameTime,
    /// Number of its changes.
    changes: u64,
    /// Its changes with their reasons.
    log: Vec<LogLine>,
}

impl BoundedData for NightData {
    const LIST: &'static str = "log";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn night_uri_round_trips() {
        for name in ["Mara Thorne", "../../etc/passwd", "Grüße %2F?#/x", "a\u{202e}b"] {
            let npc = NpcId::new(name).unwrap();
            let written = uri(&npc, 0xbeef);
            assert!(written.is_ascii() && written.matches('/').count() == 4, "{written}");
            assert_eq!(named(&written), Some((npc, 0xbeef)));
        }
        assert_eq!(
            uri(&NpcId::new("Mara Thorne").unwrap(), 1),
            "nightfold://night/Mara%20Thorne/0000000000000001"
        );
    }

    #[test]
    fn other_uris_name_no_night() {
        for other in [
            "",
            "nightfold://night/",
            "nightfold://night/Mara",
            "nightfold://night/Mara/",
            "nightfold://night/Mara/1",
            "nightfold://night/Mara/+000000000000001",
            "nightfold://night/Mara/000000000000000G",
            "nightfold://night/Mara/0000000000000001/",
            "nightfold://night/Mara Thorne/0000000000000001",
            "nightfold://night/%4dara/0000000000000001",
            "nightfold://night/%ff/0000000000000001",
            "nightfold://night/%1b/0000000000000001",
            "nightfold://night//0000000000000001",
            "file:///etc/passwd",
        ] {
            assert_eq!(named(other), None, "{other}");
        }
    }
}
