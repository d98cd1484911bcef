//! Criterion benches of the night's steps; see the `benches` folder.
