//! Single cluster of all rows: the baseline that every other algorithm has to beat.

use super::{
    ClusterError, Proximity,
    algorithm::{Algorithm, Labels},
};

pub(super) struct Single;

impl Algorithm for Single {
    fn labels(&self, proximity: &Proximity<'_>, _: Option<usize>) -> Result<Labels, ClusterError> {
        Ok(vec![Some(0); proximity.len()])
    }
}
