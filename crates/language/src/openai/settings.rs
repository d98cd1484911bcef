//! Settings of an endpoint, with their defaults and ranges.

use std::{fmt, ops::RangeInclusive, time::Duration};

use super::{
    address::{self, chat_url},
    endpoint::Endpoint,
    format::ResponseFormat,
    secret::Secret,
};

/// Upper limit of every timeout.
const MAX_TIMEOUT: Duration = Duration::from_hours(1);
/// Maximum length of a model's name, in bytes.
const MAX_MODEL_BYTES: usize = 200;

/// Address and settings of a server, unchecked; [`check`](Self::check) makes an [`Endpoint`] of them.
///
/// ```
/// use std::time::Duration;
/// use nightfold_language::openai::EndpointSettings;
///
/// let mut settings = EndpointSettings::new("http://127.0.0.1:8080/v1/", "smollm2");
/// settings.try_timeout = Duration::from_secs(20);
/// assert_eq!(settings.check()?.url(), "http://127.0.0.1:8080/v1/chat/completions");
///
/// let error = EndpointSettings::new("ftp://127.0.0.1", "smollm2").check().unwrap_err();
/// assert_eq!(error.field, "base_url");
/// # Ok::<(), nightfold_language::openai::EndpointError>(())
/// ```
#[derive(Debug, Clone)]
pub struct EndpointSettings {
    /// Base address to which `/chat/completions` is appended, like `http://127.0.0.1:8080/v1`: http or https,
    /// without credentials, query or fragment.
    pub base_url: String,
    /// The model's name as the server knows it: 1 to 200 bytes, no control characters.
    pub model: String,
    /// The key, if the server wants one \[none\].
    pub key: Option<Secret>,
    /// Maximum time for the look-up of the host, and again for connecting, per try \[5 s\], up to 1 h.
    pub connect_timeout: Duration,
    /// Maximum time of one try, from the look-up of the name to the last byte of the answer \[60 s\], up to 1
    /// h.
    pub try_timeout: Duration,
    /// Maximum time of a call, with all its tries and waits \[180 s\], up to 1 h.
    pub call_timeout: Duration,
    /// Maximum number of retries after a transient failure \[3\], 0 to 10.
    pub retries: u32,
    /// Maximum wait before the second try; it doubles from try to try \[500 ms\], up to 1 h. The wait is
    /// drawn uniformly between zero and this.
    pub backoff: Duration,
    /// Limit of the doubling \[20 s\], up to 1 h.
    pub max_backoff: Duration,
    /// Maximum number of requests in flight \[4\], 1 to 256.
    pub in_flight: usize,
    /// Maximum size of an answer, in bytes \[1 MiB\], 1 KiB to 64 MiB.
    pub max_answer_bytes: usize,
    /// Choice of the response format \[[`ResponseFormat::Auto`]\].
    pub response_format: ResponseFormat,
}

impl EndpointSettings {
    /// Returns the defaults for a server and a model.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            key: None,
            connect_timeout: Duration::from_secs(5),
            try_timeout: Duration::from_mins(1),
            call_timeout: Duration::from_mins(3),
            retries: 3,
            backoff: Duration::from_millis(500),
            max_backoff: Duration::from_secs(20),
            in_flight: 4,
            max_answer_bytes: 1 << 20,
            response_format: ResponseFormat::Auto,
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`EndpointError`] names the first field that is invalid.
    pub fn check(self) -> Result<Endpoint, EndpointError> {
        let chat_url = chat_url(&self.base_url).ok_or_else(|| EndpointError {
            field: "base_url",
            value: address::without_secrets(&self.base_url),
            allowed: "http or https, a host, perhaps a port and a path; no credentials, query or fragment"
                .into(),
        })?;
        if !(1..=MAX_MODEL_BYTES).contains(&self.model.len()) || self.model.contains(char::is_control) {
            return Err(EndpointError {
                field: "model",
                value: self.model,
                allowed: format!("1 to {MAX_MODEL_BYTES} bytes without control characters"),
            });
        }
        // The socket knows no timeout of nothing.
        let timeouts = Duration::from_millis(1)..=MAX_TIMEOUT;
        within("connect_timeout", &self.connect_timeout, &timeouts)?;
        within("try_timeout", &self.try_timeout, &timeouts)?;
        within("call_timeout", &self.call_timeout, &timeouts)?;
        within("backoff", &self.backoff, &(Duration::ZERO..=MAX_TIMEOUT))?;
        within("max_backoff", &self.max_backoff, &(Duration::ZERO..=MAX_TIMEOUT))?;
        within("retries", &self.retries, &(0..=10))?;
        within("in_flight", &self.in_flight, &(1..=256))?;
        within("max_answer_bytes", &self.max_answer_bytes, &(1 << 10..=64 << 20))?;
        Ok(Endpoint { settings: self, chat_url })
    }
}

fn within<T: PartialOrd + fmt::Debug>(
    field: &'static str,
    value: &T,
    allowed: &RangeInclusive<T>,
) -> Result<(), EndpointError> {
    if allowed.contains(value) {
        return Ok(());
    }
    Err(EndpointError {
        field,
        value: format!("{value:?}"),
        allowed: format!("{:?} to {:?}", allowed.start(), allowed.end()),
    })
}

/// Invalid setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value:?}; allowed: {allowed}")]
pub struct EndpointError {
    /// Name of the setting.
    pub field: &'static str,
    /// Value of the setting, without any secret.
    pub value: String,
    /// The allowed values.
    pub allowed: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    type Edit = fn(&mut EndpointSettings);

    #[test]
    fn setting_out_of_range_is_named() {
        let edits: [(&str, &str, Edit); 13] = [
            ("model", "", |s| s.model.clear()),
            ("model", "a\nb", |s| s.model = "a\nb".into()),
            ("connect_timeout", "0ns", |s| s.connect_timeout = Duration::ZERO),
            ("try_timeout", "0ns", |s| s.try_timeout = Duration::ZERO),
            ("call_timeout", "18446744073709551615s", |s| {
                s.call_timeout = Duration::from_secs(u64::MAX);
            }),
            ("backoff", "3601s", |s| s.backoff = Duration::from_secs(3601)),
            ("max_backoff", "3601s", |s| s.max_backoff = Duration::from_secs(3601)),
            ("retries", "11", |s| s.retries = 11),
            ("in_flight", "0", |s| s.in_flight = 0),
            ("in_flight", "257", |s| s.in_flight = 257),
            ("max_answer_bytes", "1023", |s| s.max_answer_bytes = 1023),
            ("max_answer_bytes", "67108865", |s| s.max_answer_bytes = (64 << 20) + 1),
            ("base_url", "somewhere", |s| s.base_url = "somewhere".into()),
        ];
        for (field, value, edit) in edits {
            let mut settings = EndpointSettings::new("http://127.0.0.1/v1", "tiny");
            edit(&mut settings);
            let error = settings.check().unwrap_err();
            assert_eq!((error.field, error.value.as_str()), (field, value));
            assert!(!error.allowed.is_empty());
        }
    }

    #[test]
    fn setting_error_states_field_value_and_allowed_range() {
        let mut settings = EndpointSettings::new("http://127.0.0.1/v1", "tiny");
        settings.connect_timeout = Duration::from_hours(2);
        assert_eq!(
            settings.check().unwrap_err().to_string(),
            "connect_timeout is \"7200s\"; allowed: 1ms to 3600s"
        );
    }

    #[test]
    fn credentials_in_the_address_are_refused_without_showing_them() {
        let error = EndpointSettings::new("https://bob:hunter2@host/v1", "tiny").check().unwrap_err();
        assert_eq!(
            error.to_string(),
            "base_url is \"https://***@host/v1\"; allowed: http or https, a host, perhaps a port and a path; no \
             credentials, query or fragment"
        );
    }

    #[test]
    fn settings_print_without_the_key() {
        let mut settings = EndpointSettings::new("http://127.0.0.1/v1", "tiny");
        settings.key = Some(Secret::new("sk-secret").unwrap());
        assert!(format!("{settings:?}").contains("key: Some(***)"));
        assert!(!format!("{:?}", settings.check().unwrap()).contains("sk-secret"));
    }
}
