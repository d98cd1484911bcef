//! `nightfold vacuum`: gives the free space of a store's file back to the disk.

use nightfold_store::{Access, DurableStore as _, StoreSize};
use schemars::JsonSchema;
use serde::Serialize;

use super::stats::vacuum_bytes;
use crate::{args::VacuumArgs, error::CliError, output, show::bytes, store};

/// JSON output: the size before, and after it was vacuumed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct VacuumOutput {
    /// True if nothing was changed.
    dry_run: bool,
    /// Size before the call.
    before: StoreSize,
    /// Size after it, if it was to vacuum.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<StoreSize>,
}

pub(crate) fn run(args: &VacuumArgs) -> Result<(), CliError> {
    let access = if args.apply { Access::Existing } else { Access::ReadOnly };
    let store = store::file(
        &args.store,
        access,
        args.wait,
        "is vacuumed by the server itself (autovacuum)",
        "by hand: `VACUUM (ANALYZE)` in psql",
    )?;
    let before = store.stats(0)?.size;
    let mut after = None;
    if args.apply {
        store.vacuum()?;
        after = Some(store.stats(0)?.size);
    }
    if args.json {
        return output::json(&VacuumOutput { dry_run: !args.apply, before, after });
    }
    let told = |size: &StoreSize| {
        let log = bytes(size.log_bytes.unwrap_or_default());
        format!("{} and {log} of write-ahead log", bytes(size.bytes))
    };
    output::text(&match &after {
        Some(after) => format!("vacuumed: {}; before, {}\n", told(after), told(&before)),
        None => format!(
            "{}\ndry run: nothing was changed; --apply gives back {} or more\n",
            told(&before),
            bytes(vacuum_bytes(&before).unwrap_or_default())
        ),
    })
}
