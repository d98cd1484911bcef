//! The macro that declares a group of settings, whose defaults are those of the default file.

/// Declares structs of settings. Every key is optional in input: one that is left out takes its value from
/// the default file, the only source of defaults. `at SECTION` names the section of the file, and
/// `changed by NAME` declares a struct of those of its settings that a profile changes. `=> RANGE` after a type is the
/// range in which the setting lies: of a text its bytes, of a list its entries.
macro_rules! settings {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident $(at $section:ident $(changed by $changes:ident)?)? {
            $( $(#[$field_meta:meta])* pub $field:ident: $type:ty $(=> $range:expr)?, )*
        }
    )*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[$field_meta])*
                $(#[doc = concat!("\n\nRange: ", stringify!($range), ".")])?
                pub $field: $type,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self::defaults().clone()
            }
        }

        impl $name {
            fn defaults() -> &'static Self {
                static DEFAULTS: std::sync::LazyLock<$name> = std::sync::LazyLock::new(|| {
                    $crate::config::defaults::of([$(stringify!($section))?].first().copied())
                });
                &DEFAULTS
            }

            /// Returns the settings with some of them changed.
            #[must_use]
            pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
                change(&mut self);
                self
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                #[serde(deny_unknown_fields, expecting = "a table of settings")]
                struct PartialSection {
                    $( $(#[$field_meta])* $field: Option<$type>, )*
                }
                let given = PartialSection::deserialize(deserializer)?;
                // The defaults are read the same way, so they are asked only for what is left out: nothing is
                // left out of the default file.
                Ok(Self {
                    $( $field: given.$field.unwrap_or_else(|| Self::defaults().$field.clone()), )*
                })
            }
        }

        $crate::config::settings::section! {
            ($($section)?) $name { $( $field $(=> $range)?, )* }
        }

        $crate::config::settings::changes! {
            ($($($changes)?)?) $name { $( $(#[$field_meta])* $field: $type, )* }
        }
    )* };
}

/// Implements a section: its settings with the ranges that they have.
macro_rules! section {
    (() $($rest:tt)*) => {};
    (($section:ident) $name:ident { $( $field:ident $(=> $range:expr)?, )* }) => {
        impl $crate::config::range::Section for $name {
            fn check_ranges(&self) -> Result<(), $crate::config::ConfigError> {
                $( $(
                    let key = concat!(stringify!($section), ".", stringify!($field));
                    $crate::config::range::within(key, &self.$field, $range)?;
                )? )*
                Ok(())
            }

            fn ranges(&self) -> Vec<$crate::config::SettingRange> {
                vec![ $( $(
                    $crate::config::range::range_of(
                        concat!(stringify!($section), ".", stringify!($field)),
                        &self.$field,
                        $range,
                    ),
                )? )* ]
            }
        }
    };
}

/// Declares the struct of changed settings that `settings!` names, if it names one.
macro_rules! changes {
    (() $($rest:tt)*) => {};
    (($changes:ident) $name:ident { $( $(#[$field_meta:meta])* $field:ident: $type:ty, )* }) => {
        #[doc = concat!("Settings of [`", stringify!($name), "`] that a profile changes; the others stay as they are.")]
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, expecting = "a table of settings")]
        #[non_exhaustive]
        pub struct $changes {
            $(
                $(#[$field_meta])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
        }

        impl $changes {
            /// Changes the settings.
            pub(crate) fn apply_to(&self, settings: &mut $name) {
                $( if let Some(value) = &self.$field { settings.$field.clone_from(value); } )*
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $changes {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($changes).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::config::settings::without_defaults($name::json_schema(generator))
            }
        }
    };
}

pub(crate) use {changes, section, settings};

/// Removes the defaults from the schema of a section: a profile that leaves a key out does not reset it.
#[cfg(feature = "schema")]
pub(crate) fn without_defaults(mut schema: schemars::Schema) -> schemars::Schema {
    let keys = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut);
    for key in keys.into_iter().flat_map(|keys| keys.values_mut()).filter_map(|key| key.as_object_mut()) {
        key.remove("default");
    }
    schema
}
