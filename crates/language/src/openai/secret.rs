//! The key, which no error and no log shows.

use std::fmt;

use ureq::http::HeaderValue;

use super::settings::EndpointError;

/// What stands where the key would be.
pub(super) const HIDDEN: &str = "***";

/// A key to a server. It prints as `***` and goes nowhere but into the `Authorization` header.
///
/// ```
/// use nightfold_language::openai::Secret;
///
/// let key = Secret::new("sk-very-secret\n")?;
/// assert_eq!(format!("{key} {key:?}"), "*** ***");
/// # Ok::<(), nightfold_language::openai::EndpointError>(())
/// ```
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// A key of visible ASCII characters; white space around it is dropped, as files and variables end in newlines.
    ///
    /// # Errors
    /// [`EndpointError`], which does not hold the key, when it is empty or holds anything else.
    pub fn new(key: impl AsRef<str>) -> Result<Self, EndpointError> {
        let key = key.as_ref().trim();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(EndpointError {
                field: "key",
                value: if key.is_empty() { String::new() } else { HIDDEN.to_owned() },
                allowed: "visible ASCII characters, at least one".to_owned(),
            });
        }
        Ok(Self(key.to_owned()))
    }

    /// The header's value.
    pub(super) fn authorization(&self) -> HeaderValue {
        let mut value =
            HeaderValue::try_from(format!("Bearer {}", self.0)).expect("visible ASCII makes a header");
        value.set_sensitive(true);
        value
    }

    /// A text without the key.
    pub(super) fn hide_in(&self, text: &str) -> String {
        text.replace(&self.0, HIDDEN)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
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
        assert_eq!(format!("{:?}", key.authorization()), "Sensitive");
        assert_eq!(format!("{key}{key:?}"), "******");
        assert_eq!(key.hide_in("sk-1 is not sk-12"), "*** is not ***2");
    }

    #[test]
    fn what_cannot_be_a_header_is_refused_unseen() {
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
