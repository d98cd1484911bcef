//! Server that can be asked.

use url::Url;

use super::settings::{EndpointError, EndpointSettings};

/// Address and settings of a server, checked.
#[derive(Debug, Clone)]
pub struct Endpoint {
    pub(super) settings: EndpointSettings,
    pub(super) chat_url: Url,
}

impl Endpoint {
    /// Creates an endpoint for a server and a model, with the defaults of [`EndpointSettings`].
    ///
    /// # Errors
    /// [`EndpointError`] if the address or the model's name is invalid.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Result<Self, EndpointError> {
        EndpointSettings::new(base_url, model).check()
    }

    /// Address that questions are posted to.
    pub fn url(&self) -> &str {
        self.chat_url.as_str()
    }

    /// Name of the model.
    pub fn model(&self) -> &str {
        &self.settings.model
    }

    /// The checked settings.
    pub fn settings(&self) -> &EndpointSettings {
        &self.settings
    }
}
