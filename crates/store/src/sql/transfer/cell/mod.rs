//! Values of cells in the form of the export, which reads back to the same bits.

mod hex_vector;
mod json_text;

use nightfold_memory::{Fingerprint, GameTime, Importance, MemoryId, NightLabel, NpcId, StoreError, ThemeId};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
};

pub(super) use self::{hex_vector::HexVector, json_text::JsonText};
use super::{
    super::{row::Cells, value::Param},
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

macro_rules! numbers_if_any {
    ($($type:ty),*) => {$(
        impl Cell for Option<$type> {
            const SHAPE: Shape = Shape::Whole;
            const OPTIONAL: bool = true;

            fn read(cells: &mut Cells<'_>, what: &'static str) -> Result<Self, StoreError> {
                cells.get(what)
            }

            fn write(&self) -> Result<Param<'_>, StoreError> {
                self.as_ref().map_or(Ok(Param::Null), Cell::write)
            }
        }
    )*};
}
numbers_if_any!(i64, u64);

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
            Ok(serde_json::Value::String(name)) => Ok(name.into()),
            Ok(other) => Err(StoreError::backend(NotAName(other.to_string()))),
            Err(error) => Err(StoreError::backend(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Vector;
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
