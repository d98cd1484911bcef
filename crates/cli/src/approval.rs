//! Approval of plans by configuration.

use nightfold::memory::config::{Approval, ReviewConfig};

use crate::{
    args::{Common, PlanArgs, SleepArgs},
    config, logging,
};

/// True if the nights of a call are to be written: by `--apply`, or by `review.approval`.
pub(crate) fn writes_nights(args: &SleepArgs, common: &Common, config: &ReviewConfig) -> bool {
    args.apply || (args.store.is_some() && !args.dry_run && is_automatic(common, config))
}

/// Returns the arguments of a plan for a store, with `apply` set if `review.approval` is `auto`.
pub(crate) fn of_a_store(args: &PlanArgs, common: &Common, config: &ReviewConfig) -> PlanArgs {
    PlanArgs { apply: args.apply || (!args.dry_run && is_automatic(common, config)), ..args.clone() }
}

/// True if plans for a store are written unasked: `review.approval` is `auto`, in a file that the call names or by
/// `--set`. A `nightfold.toml` that merely lies in the current folder approves nothing, since it may be anybody's; a note
/// says so.
fn is_automatic(common: &Common, config: &ReviewConfig) -> bool {
    if config.approval != Approval::Auto {
        return false;
    }
    let is_named = common.config.is_some() || config::is_set_by_flag(common, "review", "approval");
    if !is_named {
        logging::note(
            "note: `review.approval = \"auto\"` of the nightfold.toml in this folder is not in effect, because the call does \
             not name that file; `--config nightfold.toml` puts it in effect, `--apply` writes this once\n",
        );
    }
    is_named
}
