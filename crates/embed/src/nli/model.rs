//! Inputs of a classifier, and inference on one pair.

use std::{borrow::Cow, path::Path};

use nightfold_memory::JudgeError;
use ort::{
    session::{Session, SessionInputValue},
    value::{Outlet, TensorElementType, TensorRef, ValueType},
};
use tokenizers::Encoding;

use super::NliError;

/// Inputs of models of this kind.
const KNOWN: [&str; 3] = ["input_ids", "attention_mask", "token_type_ids"];

/// Subset of the known inputs that a model has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Inputs([bool; KNOWN.len()]);

impl Inputs {
    /// Checks the model's inputs and outputs, before any text is passed to it.
    pub(super) fn of(session: &Session, model: &Path) -> Result<Self, NliError> {
        let (inputs, outputs) = (session.inputs(), session.outputs());
        let tensor = |value: &ValueType, of: TensorElementType| match value {
            ValueType::Tensor { ty, shape, .. } if *ty == of && shape.len() == 2 => shape.last().copied(),
            _ => None,
        };
        let takes = KNOWN.map(|name| inputs.iter().any(|input| input.name() == name));
        let known = |input: &Outlet| {
            KNOWN.contains(&input.name()) && tensor(input.dtype(), TensorElementType::Int64).is_some()
        };
        // A size that the file leaves open is -1; the numbers are counted again at every answer.
        let three = outputs.first().and_then(|o| tensor(o.dtype(), TensorElementType::Float32));
        if takes[0] && inputs.iter().all(known) && matches!(three, Some(3 | -1)) {
            return Ok(Self(takes));
        }
        let told =
            |outlets: &[Outlet]| outlets.iter().map(|o| format!("{}: {}", o.name(), o.dtype())).collect();
        Err(NliError::Shape { path: model.to_owned(), inputs: told(inputs), outputs: told(outputs) })
    }

    /// Returns the model's outputs for one pair.
    pub(super) fn run(self, session: &mut Session, encoding: &Encoding) -> Result<Vec<f32>, JudgeError> {
        let failed = |source: ort::Error| JudgeError::Run(Box::new(source));
        let wide = |numbers: &[u32]| numbers.iter().copied().map(i64::from).collect::<Vec<i64>>();
        let all =
            [wide(encoding.get_ids()), wide(encoding.get_attention_mask()), wide(encoding.get_type_ids())];
        let shape = [1, encoding.get_ids().len()];
        let mut given: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = Vec::with_capacity(KNOWN.len());
        for ((name, numbers), taken) in KNOWN.iter().zip(&all).zip(self.0) {
            if taken {
                let tensor = TensorRef::from_array_view((shape, numbers.as_slice())).map_err(failed)?;
                given.push(((*name).into(), tensor.into()));
            }
        }
        let outputs = session.run(given).map_err(failed)?;
        let (_, numbers) = outputs[0].try_extract_tensor::<f32>().map_err(failed)?;
        Ok(numbers.to_vec())
    }
}
