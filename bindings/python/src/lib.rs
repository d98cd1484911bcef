//! The native part of the Python package `nightfold`; `python/nightfold/_native.pyi` has its types and docstrings.

mod config;
mod convert;
mod errors;
mod models;
mod nights;
mod plan;
mod store;
mod table;
mod town;

use pyo3::prelude::*;

/// The native part of the package.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::{
        config::Config,
        errors::NightfoldError,
        models::{Embedder, Vectors},
        nights::sleep,
        plan::Plan,
        store::Store,
        table::Table,
        town::Town,
    };

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        super::PyModuleMethods::add(module, "__version__", env!("CARGO_PKG_VERSION"))
    }
}
