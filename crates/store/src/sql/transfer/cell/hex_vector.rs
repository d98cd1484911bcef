//! Vectors that are hex in a line of the export.

use std::fmt::Write as _;

use nightfold_memory::{StoreError, Vector};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{
    super::{
        super::{row::Cells, value::Param},
        Shape,
    },
    Cell,
};

/// A vector, written as the hex of its numbers.
#[derive(Debug, Clone)]
pub(in super::super) struct HexVector(pub(in super::super) Vector);

impl HexVector {
    pub(in super::super) fn dimensions(&self) -> usize {
        self.0.as_slice().len()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the bytes of a vector are pairs of the digits 0 to 9 and a to f")]
struct NotHex;

fn parse_hex(hex: &str) -> Result<Vec<u8>, NotHex> {
    let digit = |c: u8| match c {
        b'0'..=b'9' => Ok(c - b'0'),
        b'a'..=b'f' => Ok(c - b'a' + 10),
        _ => Err(NotHex),
    };
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return Err(NotHex);
    }
    pairs.iter().map(|&[high, low]| Ok(digit(high)? << 4 | digit(low)?)).collect()
}

impl Serialize for HexVector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.0.to_bytes();
        let mut hex = String::with_capacity(2 * bytes.len());
        for byte in bytes {
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
        }
        serializer.serialize_str(&hex)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for HexVector {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HexVector".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A unit vector: the hex of its little-endian `f32` values.",
            "type": "string",
            "pattern": "^([0-9a-f]{8})+$",
        })
    }
}

impl<'de> Deserialize<'de> for HexVector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = parse_hex(&String::deserialize(deserializer)?).map_err(D::Error::custom)?;
        Vector::from_bytes(&bytes).map(Self).map_err(D::Error::custom)
    }
}

impl Cell for HexVector {
    const SHAPE: Shape = Shape::Vector;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        cells.vector(what).map(Self)
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        Ok(self.0.to_packed().into())
    }
}
