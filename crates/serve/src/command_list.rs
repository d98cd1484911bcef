//! Lists of commands, counted while they are read.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, IgnoredAny, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// Reads a list of commands; `None` if there are more than `most`, which are counted and not held.
pub(crate) struct CommandList {
    pub(crate) most: usize,
}

impl<'de> DeserializeSeed<'de> for CommandList {
    type Value = Option<Vec<&'de RawValue>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for CommandList {
    type Value = Option<Vec<&'de RawValue>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of commands")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut commands = Vec::new();
        while let Some(command) = list.next_element::<&RawValue>()? {
            if commands.len() == self.most {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(None);
            }
            commands.push(command);
        }
        Ok(Some(commands))
    }
}
