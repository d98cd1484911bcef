//! Approval of plans by configuration.

use nightfold::memory::config::{Approval, ReviewConfig};

use crate::{args::Common, config, output};

/// True if plans for a store are written unasked: `review.approval` is `auto`, in a file that the call names or by
/// `--set`. A `nightfold.toml` that merely lies in the current folder approves nothing, since it may be anybody's; a note
/// says so.
pub(crate) fn is_automatic(common: &Common, config: &ReviewConfig) -> bool {
    if config.approval != Approval::Auto {
        return false;
    }
    let is_named = common.config.is_some() || config::is_set_by_flag(common, "review", "approval");
    if !is_named {
        output::note(
            "note: `review.approval = \"auto\"` of the nightfold.toml in this folder is not in effect, because the call does \
             not name that file; `--config nightfold.toml` puts it in effect, `--apply` writes this once\n",
        );
    }
    is_named
}
