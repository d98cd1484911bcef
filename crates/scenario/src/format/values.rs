//! Values that may be written in more than one way.

use std::{fmt, marker::PhantomData, ops::Range};

use nightfold_memory::{GameTime, NightLabel};
use serde::{
    Deserialize, Deserializer,
    de::{self, IntoDeserializer, Unexpected},
};
use toml::{Spanned, Value};

/// One item or a list of them, each with its place in the file.
#[derive(Debug)]
pub(crate) struct OneOrMany<T> {
    pub(crate) items: Vec<Spanned<T>>,
    /// Place of the whole value.
    pub(crate) span: Range<usize>,
}

enum Written<T> {
    One(T),
    Many(Vec<Spanned<T>>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WrittenVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> de::Visitor<'de> for WrittenVisitor<T> {
            type Value = Written<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text in quotes, or a list of such")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                T::deserialize(text.into_deserializer()).map(Written::One)
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut many = Vec::new();
                while let Some(item) = list.next_element()? {
                    many.push(item);
                }
                if many.is_empty() {
                    return Err(de::Error::invalid_length(0, &self));
                }
                Ok(Written::Many(many))
            }
        }
        deserializer.deserialize_any(WrittenVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Spanned::<Written<T>>::deserialize(deserializer)?;
        let span = read.span();
        let items = match read.into_inner() {
            Written::One(one) => vec![Spanned::new(span.clone(), one)],
            Written::Many(many) => many,
        };
        Ok(Self { items, span })
    }
}

/// Night given by its number, from 1, or by its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NightRef {
    Number(u64),
    Label(NightLabel),
}

impl<'de> Deserialize<'de> for NightRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let label = |text: &str| NightLabel::new(text).map(Self::Label).map_err(de::Error::custom);
        let expected = "the number of a night, from 1, or what it is called, in quotes";
        match Value::deserialize(deserializer)? {
            Value::Integer(number) => u64::try_from(number)
                .map(Self::Number)
                .map_err(|_| de::Error::invalid_value(Unexpected::Signed(number), &expected)),
            Value::String(text) => label(&text),
            // A date without quotes.
            Value::Datetime(date) => label(&date.to_string()),
            other => Err(de::Error::invalid_type(Unexpected::Other(other.type_str()), &expected)),
        }
    }
}

/// Moment, with or without quotes, or whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment(pub(crate) GameTime);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            Value::String(text) => text,
            value @ (Value::Integer(_) | Value::Datetime(_)) => value.to_string(),
            other => {
                let expected =
                    "a time: RFC 3339 such as 1204-05-03T23:30:00Z, or whole seconds such as 84600";
                return Err(de::Error::invalid_type(Unexpected::Other(other.type_str()), &expected));
            }
        };
        text.parse().map(Moment).map_err(de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for OneOrMany<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("OneOrMany{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = generator.subschema_for::<T>();
        schemars::json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for NightRef {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NightRef".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let label = generator.subschema_for::<NightLabel>();
        schemars::json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, label] })
    }
}
