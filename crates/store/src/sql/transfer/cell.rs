//! Values of cells in the form of the export, which reads back to the same bits.

use std::{fmt::Write as _, marker::PhantomData};

use nightfold_memory::{
    Fingerprint, GameTime, Importance, MemoryId, NightLabel, NpcId, Reason, StoreError, ThemeId, Vector,
};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
    ser::Error as _,
};

use super::{
    super::{reason, row::Cells, value::Param},
    Shape,
};

/// A value that both a cell of the store and a line of the export can hold.
pub(super) trait Cell: Sized {
    /// Form of the value in a line.
    const SHAPE: Shape;
    /// True if the value may be missing: `null` in a line.
    const OPTIONAL: bool = false;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError>;

    /// # Errors
    /// An error for what has no form in a cell.
    fn write(&self) -> Result<Param<'_>, StoreError>;
}

macro_rules! names {
    ($($type:ty),*) => {$(
        impl Cell for $type {
            const SHAPE: Shape = Shape::Text;

            fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
                cells.parsed(what)
            }

            fn write(&self) -> Result<Param<'_>, StoreError> {
                Ok(self.to_string().into())
            }
        }

        impl Cell for Option<$type> {
            const SHAPE: Shape = Shape::Text;
            const OPTIONAL: bool = true;

            fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
                cells.parsed_if_any(what)
            }

            fn write(&self) -> Result<Param<'_>, StoreError> {
                self.as_ref().map_or(Ok(Param::Null), Cell::write)
            }
        }
    )*};
}
names!(NpcId, MemoryId, NightLabel, ThemeId, String);

impl Cell for GameTime {
    const SHAPE: Shape = Shape::Time;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        cells.time(what)
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        Ok((*self).into())
    }
}

impl Cell for Option<GameTime> {
    const SHAPE: Shape = Shape::Time;
    const OPTIONAL: bool = true;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        cells.time_if_any(what)
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        Ok((*self).into())
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Cell for $type {
            const SHAPE: Shape = Shape::Whole;

            fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
                cells.get(what)
            }

            fn write(&self) -> Result<Param<'_>, StoreError> {
                Ok((*self).into())
            }
        }
    )*};
}
numbers!(i64, u64, u32);

impl Cell for Option<i64> {
    const SHAPE: Shape = Shape::Whole;
    const OPTIONAL: bool = true;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        cells.get(what)
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        self.as_ref().map_or(Ok(Param::Null), Cell::write)
    }
}

impl Cell for Option<u64> {
    const SHAPE: Shape = Shape::Whole;
    const OPTIONAL: bool = true;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        cells.get(what)
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        self.as_ref().map_or(Ok(Param::Null), Cell::write)
    }
}

impl Cell for bool {
    const SHAPE: Shape = Shape::Flag;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        cells.get(what)
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        Ok((*self).into())
    }
}

impl Cell for Importance {
    const SHAPE: Shape = Shape::Whole;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        cells.with(what, Self::new)
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        Ok(self.get().into())
    }
}

impl Cell for Fingerprint {
    const SHAPE: Shape = Shape::Text;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        Ok(Self::from_bytes(cells.get(what)?))
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        Ok(self.to_bytes().into())
    }
}

/// A real number, written as the shortest text that reads back as the same number, since JSON readers may
/// round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Real(pub(super) f64);

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a number")]
struct NotANumber(String);

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Real {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Real".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A real number: the shortest digits that read back as the same number.",
            "type": "string",
            "pattern": r"^-?[0-9]+(\.[0-9]+)?$",
        })
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.map(Self).ok_or_else(|| D::Error::custom(NotANumber(text)))
    }
}

impl Cell for Real {
    const SHAPE: Shape = Shape::Real;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        cells.get(what).map(Self)
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        Ok(self.0.into())
    }
}

impl Cell for Option<Real> {
    const SHAPE: Shape = Shape::Real;
    const OPTIONAL: bool = true;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        Ok(cells.get::<Option<f64>>(what)?.map(Real))
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        self.as_ref().map_or(Ok(Param::Null), Cell::write)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0} is no name")]
struct NotAName(String);

/// The name of an enum variant.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub(super) struct EnumName<T>(pub(super) T);

impl<T: Serialize + DeserializeOwned> Cell for EnumName<T> {
    const SHAPE: Shape = Shape::Text;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        cells.named(what).map(Self)
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        match serde_json::to_value(&self.0) {
            Ok(serde_json::Value::String(name)) => Ok(Param::Word(name.into())),
            Ok(other) => Err(StoreError::backend(NotAName(other.to_string()))),
            Err(error) => Err(StoreError::backend(error)),
        }
    }
}

/// The name of a rule.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub(super) struct RuleName(String);

impl Cell for Option<RuleName> {
    const SHAPE: Shape = Shape::Text;
    const OPTIONAL: bool = true;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        Ok(cells.word_if_any(what)?.map(RuleName))
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        Ok(self.as_ref().map_or(Param::Null, |rule| Param::Word((&*rule.0).into())))
    }
}

/// JSON text in a cell, kept verbatim, since rewriting could round the numbers in it. It parses as a `T`.
#[derive(Debug, Clone)]
pub(super) struct JsonText<T>(String, PhantomData<T>);

impl<T> JsonText<T> {
    fn checked(text: String) -> serde_json::Result<Self>
    where
        T: DeserializeOwned,
    {
        serde_json::from_str::<T>(&text)?;
        Ok(Self(text, PhantomData))
    }
}

impl<T> JsonText<Vec<T>> {
    /// Returns the number of items of the list.
    pub(super) fn items(&self) -> usize {
        // The text was parsed when it was read.
        serde_json::from_str::<Vec<serde::de::IgnoredAny>>(&self.0).map_or(0, |items| items.len())
    }
}

impl<T> Default for JsonText<Vec<T>> {
    fn default() -> Self {
        Self("[]".to_owned(), PhantomData)
    }
}

impl<T> Serialize for JsonText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for JsonText<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("JsonText_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        json_in_text::<T>(generator)
    }
}

/// Returns the schema of a text that holds the JSON of a `T`.
#[cfg(feature = "schema")]
fn json_in_text<T: schemars::JsonSchema>(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": generator.subschema_for::<T>(),
    })
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for JsonText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The position that serde_json reports is within this text, not within the file.
        Self::checked(String::deserialize(deserializer)?)
            .map_err(|e| D::Error::custom(format_args!("the JSON in this text: {e}")))
    }
}

impl<T: DeserializeOwned> Cell for JsonText<T> {
    const SHAPE: Shape = Shape::Json;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        cells.with(what, Self::checked)
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        Ok(self.0.as_str().into())
    }
}

/// A reason: packed in a cell, JSON text in a line.
#[derive(Debug, Clone)]
pub(super) struct PackedReason(Reason);

impl Serialize for PackedReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&serde_json::to_string(&self.0).map_err(S::Error::custom)?)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PackedReason {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PackedReason".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        json_in_text::<Reason>(generator)
    }
}

impl<'de> Deserialize<'de> for PackedReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The position that serde_json reports is within this text, not within the file.
        serde_json::from_str(&String::deserialize(deserializer)?)
            .map(Self)
            .map_err(|e| D::Error::custom(format_args!("the JSON in this text: {e}")))
    }
}

impl Cell for PackedReason {
    const SHAPE: Shape = Shape::Json;

    fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
        cells.reason(what).map(Self)
    }

    fn write(&self) -> Result<Param<'_>, StoreError> {
        Ok(reason::to_bytes(&self.0).into())
    }
}

/// A vector, written as the hex of its numbers.
#[derive(Debug, Clone)]
pub(super) struct HexVector(pub(super) Vector);

impl HexVector {
    pub(super) fn dimensions(&self) -> usize {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value as JsonValue, json};

    use super::*;

    /// True if a line may write this value in a column of this shape.
    fn fits(shape: Shape, value: &JsonValue) -> bool {
        match shape {
            Shape::Text | Shape::Json | Shape::Real | Shape::Vector => value.is_string(),
            Shape::Time => value.is_string() || value.is_i64(),
            Shape::Whole => value.is_i64(),
            Shape::Flag => value.is_boolean(),
        }
    }

    #[track_caller]
    fn written<T: Cell + Serialize>(value: T) -> (Shape, JsonValue) {
        (T::SHAPE, serde_json::to_value(value).unwrap())
    }

    #[test]
    fn every_value_is_written_in_the_shape_of_its_column() {
        let time = |text: &str| text.parse::<GameTime>().unwrap();
        let id = || MemoryId::new("m-1").unwrap();
        let number = u64::try_from(i64::MAX).unwrap();
        let vector = Vector::new([0.6, -0.8]).unwrap();
        let values = [
            written(NpcId::new("Mara").unwrap()),
            written(id()),
            written(Some(id())),
            written(NightLabel::new("day-0").unwrap()),
            written(ThemeId::new("t-1").unwrap()),
            written(String::from("a text")),
            written(Some(String::from("a text"))),
            written(time("1204-05-03T06:10:00Z")),
            written(time("22200")),
            written(Some(time("-22200"))),
            written(GameTime::ZERO),
            written(i64::MIN),
            written(number),
            written(u32::MAX),
            written(Some(i64::MAX)),
            written(Some(number)),
            written(true),
            written(Importance::new(7).unwrap()),
            written(Fingerprint::from_bytes([7; 16])),
            written(Real(-0.0)),
            written(Some(Real(7.0))),
            written(EnumName(nightfold_memory::RecordKind::Synthesis)),
            written(EnumName(nightfold_memory::Kind::Chat)),
            written(EnumName(nightfold_memory::Confidence::High)),
            written(JsonText::<Vec<String>>::checked(json!(["a"]).to_string()).unwrap()),
            written(HexVector(vector)),
        ];
        for (shape, value) in values {
            assert!(fits(shape, &value), "{shape:?} is written as {value}");
        }
    }
}
