//! Everything in one cluster: the baseline that any other has to beat.

use nightfold_memory::ClusterAlgorithm;

use super::{Algorithm, ClusterError, Labels, Proximity};

pub(super) struct Single;

impl Algorithm for Single {
    fn labels(&self, near: &Proximity<'_>, k: Option<usize>) -> Result<Labels, ClusterError> {
        if let Some(k) = k {
            return Err(ClusterError::OwnCount { algorithm: ClusterAlgorithm::Single, k });
        }
        Ok(vec![Some(0); near.len()])
    }
}
