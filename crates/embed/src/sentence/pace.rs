//! Rate of products of matrices: what embedding could reach at most.

use std::{
    num::NonZero,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use ort::{session::Session, value::TensorRef};

use super::{MiniLmOptions, error::ModelOpenError, runtime};
use crate::{
    onnx::{ProductGraph, product_graph},
    provision::ModelFiles,
};

/// Least time for which a rate is measured.
const MEASURED: Duration = Duration::from_millis(250);

/// Returns the number of multiplications, each with an addition, that the products of 32-bit matrices in ONNX Runtime
/// reach in a second on `threads` threads together, each with a full batch of tokens.
///
/// It is measured for a quarter of a second. Of [`PRODUCTS_PER_TOKEN`](crate::onnx::PRODUCTS_PER_TOKEN) of them a token's
/// embedding consists for the most part, so this is what an exact embedder can reach at most.
///
/// # Errors
/// [`ModelOpenError`] if the library cannot be used.
pub fn product_rate(files: &ModelFiles, threads: NonZero<usize>) -> Result<f64, ModelOpenError> {
    let environment = runtime::environment(&files.runtime)?;
    let ProductGraph { onnx, rows, columns } = product_graph();
    let tokens = MiniLmOptions::default().batch_tokens;
    let open = || runtime::session(&environment, &onnx);
    let sessions = (0..threads.get()).map(|_| open()).collect::<Result<Vec<_>, _>>();
    let sessions = sessions.map_err(ModelOpenError::part("ONNX Runtime cannot multiply"))?;
    let x = vec![0.5_f32; tokens * rows];
    let product = |session: &mut Session| -> Result<(), ort::Error> {
        session.run(ort::inputs![TensorRef::from_array_view(([1, tokens, rows], x.as_slice()))?])?;
        Ok(())
    };
    let start = Barrier::new(sessions.len());
    let rate = |mut session: Session| -> Result<f64, ort::Error> {
        // The first product allocates.
        let warm = product(&mut session);
        start.wait();
        warm?;
        let (begun, mut done) = (Instant::now(), 0);
        while begun.elapsed() < MEASURED {
            product(&mut session)?;
            done += 1;
        }
        Ok(f64::from(done) * (tokens * rows * columns) as f64 / begun.elapsed().as_secs_f64())
    };
    let rates: Result<Vec<f64>, ort::Error> = thread::scope(|scope| {
        let threads: Vec<_> = sessions.into_iter().map(|session| scope.spawn(|| rate(session))).collect();
        let joined = threads.into_iter().map(|t| t.join().unwrap_or_else(|p| std::panic::resume_unwind(p)));
        joined.collect()
    });
    Ok(rates.map_err(ModelOpenError::part("ONNX Runtime cannot multiply"))?.into_iter().sum())
}
