//! JSON that is text in a line of the export.

use std::marker::PhantomData;

use nightfold_memory::StoreError;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
};

use super::{
    super::{
        super::{row::Cells, value::Param},
        Shape,
    },
    Cell,
};

/// JSON text in a cell, kept verbatim, since rewriting could round the numbers in it. It parses as a `T`.
#[derive(Debug, Clone)]
pub(in super::super) struct JsonText<T>(String, PhantomData<T>);

impl<T> JsonText<T> {
    pub(super) fn checked(text: String) -> serde_json::Result<Self>
    where
        T: DeserializeOwned,
    {
        serde_json::from_str::<T>(&text)?;
        Ok(Self(text, PhantomData))
    }
}

impl<T: DeserializeOwned> JsonText<Vec<T>> {
    /// Returns the items of the list.
    pub(in super::super) fn items(&self) -> Vec<T> {
        // It was parsed before.
        serde_json::from_str(&self.0).unwrap_or_default()
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
