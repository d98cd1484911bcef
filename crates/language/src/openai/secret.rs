//! The API key, which no error and no log shows.

use std::fmt;

use ureq::http::HeaderValue;

use crate::SettingError;

/// Text shown in place of the key.
pub(super) const HIDDEN: &str = "***";

/// API key of a server. It prints as `***` and is sent only in the `Authorization` header.
///
/// ```
/// use nightfold_language::openai::Secret;
///
/// let key = Secret::new("sk-very-secret\n")?;
/// assert_eq!(format!("{key:?}"), "***");
/// # Ok::<(), nightfold_language::SettingError>(())
/// ```
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Creates a key of visible ASCII characters; surrounding white space is dropped, as files and variables
    /// end in newlines.
    ///
    /// # Errors
    /// [`SettingError`], which does not contain the key, if the key is empty or contains other characters.
    pub fn new(key: impl AsRef<str>) -> Result<Self, SettingError> {
        let key = key.as_ref().trim();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(SettingError {
                field: "key",
                value: if key.is_empty() { String::new() } else { HIDDEN.to_owned() },
                allowed: "visible ASCII characters, at least one".to_owned(),
            });
        }
        Ok(Self(key.to_owned()))
    }

    /// Returns the value of the `Authorization` header.
    pub(super) fn authorization(&self) -> HeaderValue {
        let mut value =
            HeaderValue::try_from(format!("Bearer {}", self.0)).expect("visible ASCII makes a header");
        value.set_sensitive(true);
        value
    }

    /// Returns the text with the key replaced.
    pub(super) fn hide_in(&self, text: &str) -> String {
        text.replace(&self.0, HIDDEN)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_header_holds_the_key() {
        let key = Secret::new(" sk-1\r\n").unwrap();
        assert_eq!(key.authorization().to_str().unwrap(), "Bearer sk-1");
        assert_eq!(format!("{:?} {key:?}", key.authorization()), "Sensitive ***");
        assert_eq!(key.hide_in("sk-1 is not sk-12"), "*** is not ***2");
    }

    #[test]
    fn key_unfit_for_a_header_is_refused_without_showing_it() {
        for key in ["sk-1\r\nX-Evil: 1", "sk 1", "schlüssel"] {
            let error = Secret::new(key).unwrap_err();
            assert_eq!(error.value, "***");
            assert!(!format!("{error} {error:?}").contains(key));
        }
        assert_eq!(
            Secret::new(" \n").unwrap_err().to_string(),
            "key is \"\"; allowed: visible ASCII characters, at least one"
        );
    }
}
