//! Labels of nights without a day.

use super::AppliedNight;
use crate::id::{IdError, MAX_ID_BYTES, NightLabel};

/// End of the label of a night without a day, which maintenance or an erasure wrote. The rest is the label of the night
/// before it.
pub const MAINTENANCE_SUFFIX: &str = " · upkeep";

impl AppliedNight {
    /// Returns the label of a night without a day that comes after this one.
    ///
    /// # Errors
    /// [`IdError`] if this night's label is none.
    pub fn maintenance_label(&self) -> Result<NightLabel, IdError> {
        let after = self.night.as_str().trim_end_matches(MAINTENANCE_SUFFIX);
        let fits = after.floor_char_boundary(MAX_ID_BYTES - MAINTENANCE_SUFFIX.len());
        NightLabel::new(format!("{}{MAINTENANCE_SUFFIX}", after.get(..fits).unwrap_or_default()))
    }
}
