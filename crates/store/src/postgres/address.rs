//! Addresses of stores: `postgres://USER@HOST:PORT/DATABASE?schema=NAME&sslmode=require&sslrootcert=FILE`.

use std::{path::PathBuf, sync::Arc, time::Duration};

use percent_encoding::percent_decode_str;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio_postgres::{Config, config::Host};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::OpenError;

/// Schema of a store whose address names none.
const DEFAULT_SCHEMA: &str = "nightfold";

/// Place of a store, and the way there.
pub(super) struct Address {
    pub(super) config: Config,
    /// Schema that holds the tables.
    pub(super) schema: String,
    root_certificates: Option<PathBuf>,
}

impl Address {
    /// # Errors
    /// [`OpenError::Address`], which does not repeat the address: it may hold a password.
    pub(super) fn parse(address: &str) -> Result<Self, OpenError> {
        if !(address.starts_with("postgres://") || address.starts_with("postgresql://")) {
            return Err(OpenError::Address("it begins with postgres://".to_owned()));
        }
        let (place, query) = address.split_once('?').unwrap_or((address, ""));
        let (mut schema, mut root_certificates, mut others) = (DEFAULT_SCHEMA.to_owned(), None, Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("schema", name)) => name.clone_into(&mut schema),
                Some(("sslrootcert", path)) => {
                    root_certificates =
                        Some(PathBuf::from(percent_decode_str(path).decode_utf8_lossy().as_ref()));
                }
                // Certificates and names are always checked where there is TLS.
                Some(("sslmode", "verify-full" | "verify-ca")) => others.push("sslmode=require"),
                _ => others.push(pair),
            }
        }
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if schema.is_empty() || schema.len() > 63 || !schema.chars().all(plain) {
            let told = format!("the schema {schema:?} is not 1 to 63 of the characters a to z, 0 to 9 and _");
            return Err(OpenError::Address(told));
        }
        let mut address = place.to_owned();
        if !others.is_empty() {
            address.push('?');
            address.push_str(&others.join("&"));
        }
        let wrong = |error: tokio_postgres::Error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            OpenError::Address(cause.unwrap_or_else(|| error.to_string()))
        };
        let mut config: Config = address.parse().map_err(wrong)?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(10));
        }
        // A machine that vanishes sends nothing: without these, a call would wait for it for hours.
        if !query.contains("keepalives") {
            config.keepalives_idle(Duration::from_secs(15)).keepalives_interval(Duration::from_secs(3));
            config.keepalives_retries(3);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(Duration::from_secs(30));
        }
        if config.get_application_name().is_none() {
            config.application_name("nightfold");
        }
        Ok(Self { config, schema, root_certificates })
    }

    /// Returns the place as it may be shown: without the password.
    pub(super) fn place(&self) -> String {
        let host = self.config.get_hosts().first().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        });
        let port = self.config.get_ports().first().map_or_else(String::new, |port| format!(":{port}"));
        let (host, database) = (host.unwrap_or_default(), self.config.get_dbname().unwrap_or_default());
        format!("postgres://{host}{port}/{database} (schema {})", self.schema)
    }

    /// Returns the connector of TLS: certificates must be signed by one of `sslrootcert`, or by one of the usual authorities.
    pub(super) fn tls(&self) -> Result<MakeRustlsConnect, OpenError> {
        let mut roots = RootCertStore::empty();
        if let Some(path) = &self.root_certificates {
            let unreadable = |source: Box<dyn std::error::Error + Send + Sync>| OpenError::Certificate {
                path: path.clone(),
                source,
            };
            for certificate in CertificateDer::pem_file_iter(path).map_err(|e| unreadable(e.into()))? {
                let certificate = certificate.map_err(|e| unreadable(e.into()))?;
                roots.add(certificate).map_err(|e| unreadable(e.into()))?;
            }
            if roots.is_empty() {
                return Err(unreadable("it is empty".into()));
            }
        } else {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| OpenError::Address(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(MakeRustlsConnect::new(config))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_names_schema_and_hides_its_password() {
        let address =
            Address::parse("postgres://mara:s3cret@db.example:5433/town?schema=village&sslmode=verify-full");
        let address = address.unwrap();
        assert_eq!(address.schema, "village");
        assert_eq!(address.place(), "postgres://db.example:5433/town (schema village)");
        assert_eq!(address.config.get_password(), Some(&b"s3cret"[..]));
        assert_eq!(Address::parse("postgres://db/town").unwrap().schema, "nightfold");
    }

    #[test]
    fn wrong_addresses_are_refused_without_their_password() {
        for wrong in [
            "town.db",
            "postgres://u:s3cret@h:notaport/d",
            "postgres://u:s3cret@h/d?schema=a\"b",
            "postgres://u:s3cret@h/d?schema=",
            "postgres://u:s3cret@h/d?colour=red",
        ] {
            let error = Address::parse(wrong).err().unwrap();
            let told = format!("{error} {error:?}");
            assert!(matches!(error, OpenError::Address(_)) && !told.contains("s3cret"), "{told}");
        }
    }
}
