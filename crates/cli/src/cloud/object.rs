//! Objects through `object_store`. Credentials, regions and endpoints come from the environment, under the names that other
//! programs use (`AWS_ACCESS_KEY_ID`, `AWS_REGION`, `AWS_ENDPOINT`, `GOOGLE_SERVICE_ACCOUNT`, `AZURE_STORAGE_ACCOUNT_NAME`, …).

use std::{
    env,
    fs::File,
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use bytes::Bytes;
use nightfold_formats::parquet::RangeSource;
use object_store::{
    ObjectStore, ObjectStoreExt as _, WriteMultipart, parse_url_opts, path::Path as ObjectPath,
};
use tokio::runtime::{Builder, Runtime};
use url::Url;

/// Bytes of a part of an upload: five are on their way at a time.
const PART: usize = 8 << 20;
const PARTS: usize = 5;

/// Prefixes of the variables of the environment that say how to reach a storage: others may mean anything.
const OPTIONS: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];

/// An object that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CloudError {
    #[error("{address} is no address")]
    Address { address: String, source: url::ParseError },
    #[error("{address}: an address with a query, a fragment or a password is not read")]
    Signed { address: String },
    #[error("{address}: packs are written to s3://, gs:// and az://")]
    ReadOnly { address: String },
    #[error("cannot reach {address}")]
    Object { address: String, source: object_store::Error },
    #[error("cannot reach {address}")]
    Io { address: String, source: io::Error },
}

/// A place in object storage, and what waits for it.
struct Place {
    runtime: Runtime,
    store: Arc<dyn ObjectStore>,
    path: ObjectPath,
    address: String,
}

impl Place {
    fn of(address: &str) -> Result<Self, CloudError> {
        let shown = super::shown(address);
        let url =
            Url::parse(address).map_err(|source| CloudError::Address { address: shown.clone(), source })?;
        if url.query().is_some() || url.fragment().is_some() || url.password().is_some() {
            return Err(CloudError::Signed { address: shown });
        }
        let of_object = |source| CloudError::Object { address: shown.clone(), source };
        // Whoever installed one before has chosen.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let options = env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(key, _)| OPTIONS.iter().any(|prefix| key.starts_with(prefix)));
        let (store, path) = parse_url_opts(&url, options).map_err(of_object)?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|source| CloudError::Io { address: shown.clone(), source })?;
        Ok(Self { runtime, store: Arc::from(store), path, address: shown })
    }

    fn object(&self, source: object_store::Error) -> CloudError {
        CloudError::Object { address: self.address.clone(), source }
    }
}

/// A file that is read by ranges.
pub(crate) struct CloudFile {
    place: Place,
    size: u64,
}

impl CloudFile {
    pub(crate) fn open(address: &str) -> Result<Self, CloudError> {
        let place = Place::of(address)?;
        let about = place.runtime.block_on(place.store.head(&place.path));
        let size = about.map_err(|source| place.object(source))?.size;
        Ok(Self { place, size })
    }
}

impl RangeSource for CloudFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_range(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let Place { runtime, store, path, .. } = &self.place;
        let read = runtime.block_on(store.get_range(path, start..start + length as u64));
        read.map_err(|source| io::Error::other(self.place.object(source)))
    }
}

/// An object to be written.
pub(crate) struct Upload(Place);

impl Upload {
    /// Prepares an upload, before any work is done for it.
    pub(crate) fn prepare(address: &str) -> Result<Self, CloudError> {
        if address.starts_with("http") {
            return Err(CloudError::ReadOnly { address: super::shown(address) });
        }
        Place::of(address).map(Self)
    }

    /// Copies a file: the object is there whole or not at all.
    pub(crate) fn finish(self, file: &Path) -> Result<(), CloudError> {
        let Self(place) = self;
        let of_file = |source| CloudError::Io { address: place.address.clone(), source };
        let mut file = File::open(file).map_err(of_file)?;
        let Place { runtime, store, path, .. } = &place;
        runtime.block_on(async {
            let begun = store.put_multipart(path).await.map_err(|source| place.object(source))?;
            let mut upload = WriteMultipart::new_with_chunk_size(begun, PART);
            let mut part = vec![0; PART];
            let copied = loop {
                let read = match file.read(&mut part) {
                    Ok(0) => break Ok(()),
                    Ok(read) => read,
                    Err(source) => break Err(of_file(source)),
                };
                upload.write(&part[..read]);
                if let Err(source) = upload.wait_for_capacity(PARTS).await {
                    break Err(place.object(source));
                }
            };
            match copied {
                Ok(()) => upload.finish().await.map(drop).map_err(|source| place.object(source)),
                Err(error) => {
                    // Parts that are left are the storage's to remove.
                    let _ = upload.abort().await;
                    Err(error)
                }
            }
        })
    }
}
