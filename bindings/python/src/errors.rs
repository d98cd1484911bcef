//! The one error of the package, with a code that programs can go by.

use std::error::Error;

use nightfold_town::{TownError, with_causes};
use pyo3::{create_exception, exceptions::PyException, prelude::*};

create_exception!(
    nightfold,
    NightfoldError,
    PyException,
    "A call that was refused. Nothing was changed, but for nights that were written before others were refused. `code` names the kind."
);

/// Returns an exception with a code and the messages of an error and its causes.
pub(crate) fn refused(code: &'static str, error: &dyn Error) -> PyErr {
    with_code(code, with_causes(error))
}

pub(crate) fn of_town(error: &TownError) -> PyErr {
    with_code(error.code(), error.message())
}

pub(crate) fn with_code(code: &'static str, message: String) -> PyErr {
    let error = NightfoldError::new_err(message);
    Python::attach(|py| {
        // A plain attribute of a fresh exception.
        let _ = error.value(py).setattr("code", code);
    });
    error
}
