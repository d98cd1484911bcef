//! A server that can be asked.

use super::settings::{EndpointError, EndpointSettings};

/// How to reach a server, checked.
#[derive(Debug, Clone)]
pub struct Endpoint {
    pub(super) settings: EndpointSettings,
    pub(super) chat_url: String,
}

impl Endpoint {
    /// A server and a model, with the defaults of [`EndpointSettings`].
    ///
    /// # Errors
    /// [`EndpointError`] when the address or the name cannot be one.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Result<Self, EndpointError> {
        EndpointSettings::new(base_url, model).check()
    }

    /// The address that questions are posted to.
    pub fn url(&self) -> &str {
        &self.chat_url
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.settings.model
    }

    /// The settings it was made of.
    pub fn settings(&self) -> &EndpointSettings {
        &self.settings
    }
}
