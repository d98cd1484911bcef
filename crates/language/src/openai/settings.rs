//! Settings of a server, with their defaults and ranges.

use std::time::Duration;

use ureq::http::Uri;

use super::{
    address::{self, chat_address},
    secret::Secret,
};
use crate::SettingError;

/// Upper limit of every time.
const MAX_TIME: Duration = Duration::from_hours(1);
/// Maximum length of a model's name, in bytes.
const MAX_MODEL_BYTES: usize = 200;

/// Address and settings of a server; [`ChatClient::new`](super::ChatClient::new) checks them.
#[derive(Debug, Clone)]
pub struct EndpointSettings {
    /// Base address to which `/chat/completions` is appended, like `http://127.0.0.1:8080/v1`: http or https,
    /// without credentials, query or fragment.
    pub base_url: String,
    /// The model's name as the server knows it: 1 to 200 bytes, no control characters.
    pub model: String,
    /// The key, if the server wants one \[none\].
    pub key: Option<Secret>,
    /// Maximum time of one try, from the look-up of the name to the last byte of the answer \[60 s\], up to 1
    /// h. All tries and waits of a question together take at most this for each of its tries.
    pub try_timeout: Duration,
    /// Maximum number of retries after a transient failure \[3\], 0 to 10.
    pub retries: u32,
    /// Maximum wait before the second try; it doubles from try to try, up to 20 s \[500 ms\], up to 1 h. The wait is
    /// drawn uniformly between zero and this.
    pub backoff: Duration,
    /// Maximum number of requests in flight \[4\], 1 to 256.
    pub in_flight: usize,
    /// Maximum size of an answer, in bytes \[1 MiB\], 1 KiB to 64 MiB.
    pub max_answer_bytes: usize,
}

impl EndpointSettings {
    /// Returns the defaults for a server and a model.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            key: None,
            try_timeout: Duration::from_mins(1),
            retries: 3,
            backoff: Duration::from_millis(500),
            in_flight: 4,
            max_answer_bytes: 1 << 20,
        }
    }

    /// Maximum time of a question, with all its tries and waits.
    pub(super) fn call_timeout(&self) -> Duration {
        self.try_timeout * (self.retries + 1)
    }

    /// Checks the settings; returns the address that questions are posted to.
    ///
    /// # Errors
    /// [`SettingError`] names the first field that is invalid.
    pub(super) fn check(&self) -> Result<Uri, SettingError> {
        let address = chat_address(&self.base_url).ok_or_else(|| SettingError {
            field: "base_url",
            value: address::without_secrets(&self.base_url),
            allowed: "http or https, a host, perhaps a port and a path; no credentials, query or fragment"
                .into(),
        })?;
        if !(1..=MAX_MODEL_BYTES).contains(&self.model.len()) || self.model.contains(char::is_control) {
            return Err(SettingError {
                field: "model",
                value: self.model.clone(),
                allowed: format!("1 to {MAX_MODEL_BYTES} bytes without control characters"),
            });
        }
        // The socket knows no timeout of nothing.
        SettingError::unless_within("try_timeout", &self.try_timeout, Duration::from_millis(1)..=MAX_TIME)?;
        SettingError::unless_within("backoff", &self.backoff, Duration::ZERO..=MAX_TIME)?;
        SettingError::unless_within("retries", &self.retries, 0..=10)?;
        SettingError::unless_within("in_flight", &self.in_flight, 1..=256)?;
        SettingError::unless_within("max_answer_bytes", &self.max_answer_bytes, 1 << 10..=64 << 20)?;
        Ok(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_out_of_range_is_named_without_secrets() {
        type Edit = fn(&mut EndpointSettings);
        let edits: [(Edit, &str); 8] = [
            (|s| s.model.clear(), "model is \"\"; allowed: 1 to 200 bytes without control characters"),
            (
                |s| s.model = "a\nb".into(),
                "model is \"a\\nb\"; allowed: 1 to 200 bytes without control characters",
            ),
            (|s| s.try_timeout = Duration::ZERO, "try_timeout is \"0ns\"; allowed: 1ms to 3600s"),
            (
                |s| s.backoff = Duration::MAX,
                "backoff is \"18446744073709551615.999999999s\"; allowed: 0ns to 3600s",
            ),
            (|s| s.retries = 11, "retries is \"11\"; allowed: 0 to 10"),
            (|s| s.in_flight = 0, "in_flight is \"0\"; allowed: 1 to 256"),
            (|s| s.max_answer_bytes = 1023, "max_answer_bytes is \"1023\"; allowed: 1024 to 67108864"),
            (
                |s| s.base_url = "https://bob:hunter2@host/v1".into(),
                "base_url is \"https://***@host/v1\"; allowed: http or https, a host, perhaps a port and a path; no \
                 credentials, query or fragment",
            ),
        ];
        for (edit, message) in edits {
            let mut settings = EndpointSettings::new("http://127.0.0.1/v1", "tiny");
            edit(&mut settings);
            assert_eq!(settings.check().unwrap_err().to_string(), message);
        }
        let mut settings = EndpointSettings::new("http://127.0.0.1/v1", "tiny");
        settings.key = Some(Secret::new("sk-secret").unwrap());
        assert!(settings.check().is_ok() && format!("{settings:?}").contains("key: Some(***)"));
    }
}
