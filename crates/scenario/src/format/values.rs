//! Values that may be written in more than one way.

use std::{fmt, marker::PhantomData, ops::Range};

use nightfold_memory::{GameTime, NightLabel};
use serde::{
    Deserialize, Deserializer,
    de::{self, IntoDeserializer, value::MapAccessDeserializer},
};
use toml::{Spanned, value::Datetime};

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

impl<T> OneOrMany<T> {
    /// Returns the items without their places.
    pub(crate) fn plain(&self) -> impl Iterator<Item = &T> {
        self.items.iter().map(Spanned::get_ref)
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
        struct NightRefVisitor;
        impl<'de> de::Visitor<'de> for NightRefVisitor {
            type Value = NightRef;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the number of a night, from 1, or what it is called, in quotes")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<NightRef, E> {
                u64::try_from(number)
                    .map(NightRef::Number)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
            }

            fn visit_str<E: de::Error>(self, label: &str) -> Result<NightRef, E> {
                NightLabel::new(label).map(NightRef::Label).map_err(|e| E::custom(format_args!("night {e}")))
            }

            /// Accepts a date without quotes.
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<NightRef, A::Error> {
                let date = Datetime::deserialize(MapAccessDeserializer::new(map))?;
                self.visit_str(&date.to_string())
            }
        }
        deserializer.deserialize_any(NightRefVisitor)
    }
}

/// Moment, with or without quotes, or whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment(pub(crate) GameTime);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MomentVisitor;
        impl<'de> de::Visitor<'de> for MomentVisitor {
            type Value = Moment;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time: RFC 3339 such as 1204-05-03T23:30:00Z, or whole seconds such as 84600")
            }

            fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<Moment, E> {
                self.visit_str(&seconds.to_string())
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Moment, E> {
                text.parse().map(Moment).map_err(E::custom)
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Moment, A::Error> {
                let date = Datetime::deserialize(MapAccessDeserializer::new(map))?;
                self.visit_str(&date.to_string())
            }
        }
        deserializer.deserialize_any(MomentVisitor)
    }
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::{GameTime, Moment, NightLabel, NightRef, OneOrMany};

    impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
        fn schema_name() -> Cow<'static, str> {
            format!("OneOrMany{}", T::schema_name()).into()
        }

        fn inline_schema() -> bool {
            true
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let one = generator.subschema_for::<T>();
            json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
        }
    }

    impl JsonSchema for NightRef {
        fn schema_name() -> Cow<'static, str> {
            "NightRef".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let label = generator.subschema_for::<NightLabel>();
            json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, label] })
        }
    }

    impl JsonSchema for Moment {
        fn schema_name() -> Cow<'static, str> {
            GameTime::schema_name()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            GameTime::json_schema(generator)
        }
    }
}
