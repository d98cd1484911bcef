//! Quality of nights: measures of agreement, and the labelled data they are taken on.
//!
//! [`Agreement`] compares the themes of a night with those given by people, [`purity`] rates one cluster,
//! [`spearman`] compares two rankings, [`auc`] a ranking with a choice. [`data`] reads labelled texts, [`LabelledRows`] are such texts with
//! their vectors, and [`suites`] take the measures on them. [`synthetic`] makes days for measuring the speed
//! of nights. Nothing is downloaded.
//!
//! ```
//! use nightfold_evaluate::Agreement;
//!
//! let themes = ["feud", "feud", "feud", "fever", "fever", "fever"];
//! let clusters = [0, 0, 1, 1, 2, 2];
//! let agreement = Agreement::of(themes.into_iter().zip(clusters));
//! assert!((agreement.v_measure - 0.5158).abs() < 1e-4);
//! assert!((agreement.ari - 0.2424).abs() < 1e-4);
//! ```

mod agreement;
mod contingency;
pub mod data;
mod grouping;
mod purity;
mod rank;
mod rows;
pub mod suites;
pub mod synthetic;

pub use agreement::Agreement;
pub use grouping::GroupingScore;
pub use purity::{pair_purity, purity};
pub use rank::{auc, spearman};
pub use rows::LabelledRows;
