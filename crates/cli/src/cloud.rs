//! Files in the object storage of a cloud, named by an address such as `s3://bucket/day.parquet`: in builds with the feature
//! `cloud`, refused in others.

#[cfg(feature = "cloud")]
mod object;
#[cfg(all(feature = "parquet", not(feature = "cloud")))]
mod refused;

use std::path::Path;

#[cfg(feature = "cloud")]
pub(crate) use self::object::{CloudError, CloudFile, Upload};
#[cfg(all(feature = "parquet", not(feature = "cloud")))]
pub(crate) use self::refused::{CloudError, CloudFile, Upload};

/// Schemes of addresses.
const SCHEMES: [&str; 7] = ["s3", "s3a", "gs", "az", "abfss", "http", "https"];

/// Returns an address as it may be shown: without a password or a signature.
#[cfg(feature = "parquet")]
pub(crate) fn shown(address: &str) -> String {
    let place = address.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = place.split_once("://") else { return place.to_owned() };
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    format!("{scheme}://{host}")
}

/// Returns the address that a path is; none for a file of this machine.
pub(crate) fn address(path: &Path) -> Option<&str> {
    let (scheme, _) = path.to_str()?.split_once("://")?;
    SCHEMES.contains(&scheme).then(|| path.to_str()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "parquet")]
    #[test]
    fn addresses_are_shown_without_secrets() {
        assert_eq!(shown("https://me:s3cret@host/day.parquet?signature=abc"), "https://host/day.parquet");
        assert_eq!(shown("s3://town/day.parquet"), "s3://town/day.parquet");
    }

    #[test]
    fn addresses_are_told_from_files() {
        assert_eq!(address(Path::new("s3://town/day.parquet")), Some("s3://town/day.parquet"));
        for file in ["day.parquet", "s3/day.parquet", "postgres://h/d", "C://day.parquet", "-"] {
            assert_eq!(address(Path::new(file)), None);
        }
    }
}
