//! The macro that declares a group of settings, whose defaults are those of the default file.

/// Declares structs of settings. Every key is optional in input: one that is left out takes its value from
/// `Config::DEFAULT_FILE`, the only source of defaults. `at SECTION` names the section of the file.
macro_rules! settings {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident $(at $section:ident)? {
            $( $(#[$field_meta:meta])* pub $field:ident: $type:ty, )*
        }
    )*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
        }

        impl Default for $name {
            fn default() -> Self {
                (*$crate::config::DEFAULTS)$(.$section)?.clone()
            }
        }

        impl $name {
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
                struct Given {
                    $( $(#[$field_meta])* $field: Option<$type>, )*
                }
                let given = Given::deserialize(deserializer)?;
                // The defaults are read the same way, so they are asked only for what is left out: nothing is
                // left out of the default file.
                let defaults = || &(*$crate::config::DEFAULTS)$(.$section)?;
                Ok(Self {
                    $( $field: given.$field.unwrap_or_else(|| defaults().$field.clone()), )*
                })
            }
        }
    )* };
}

pub(crate) use settings;
