//! How good a night is: measures of agreement, and the labelled data they are taken on.
//!
//! [`Agreement`] compares the themes a night found with the themes people gave, [`purity`] looks at one cluster
//! alone, [`spearman`] compares two rankings. [`data`] reads texts that people have labelled, [`LabelledRows`] are
//! such texts with their vectors, and [`suites`] take the measures on them. [`generated`] makes days that nobody lived, for
//! measuring how fast a night is. Nothing is downloaded.
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
pub mod generated;
mod grouping;
mod purity;
mod rank;
mod rows;
pub mod suites;

pub use agreement::Agreement;
pub use grouping::Grouping;
pub use purity::{pair_purity, purity};
pub use rank::spearman;
pub use rows::LabelledRows;
