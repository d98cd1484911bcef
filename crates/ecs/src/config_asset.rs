//! The configuration as a file among the game's assets.

use std::sync::Arc;

use bevy_app::{App, Plugin, PostUpdate};
use bevy_asset::{
    Asset, AssetApp, AssetEvent, AssetEventSystems, AssetLoader, AssetServer, Assets, Handle, LoadContext,
    io::Reader,
};
use bevy_ecs::prelude::*;
use bevy_reflect::TypePath;
use nightfold_memory::{Config, ValidConfig, config::ConfigError};

use crate::NightConfig;

/// Configuration of the nights, read from a TOML file of the game's assets (extension `nightfold.toml`).
#[derive(Asset, TypePath, Debug, Clone)]
pub struct ConfigAsset(pub Arc<ValidConfig>);

/// Plugin that keeps [`NightConfig`] equal to a file of the game's assets: nights that begin after the file was loaded, or
/// changed while bevy watches its assets, follow it. A file that is refused leaves the configuration as it was; bevy's
/// asset server reports the error. To be added after bevy's `AssetPlugin`.
#[derive(Debug, Clone)]
pub struct ConfigAssetPlugin {
    path: String,
}

/// Refusal of a configuration file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigAssetError {
    /// The file cannot be read.
    #[error("cannot be read")]
    Read(#[from] std::io::Error),
    /// The file is not UTF-8.
    #[error("is not UTF-8")]
    Encoding(#[from] std::string::FromUtf8Error),
    /// The file is not TOML, or has an unknown key or a value of another type.
    #[error("is not a configuration")]
    Toml(#[from] toml::de::Error),
    /// A value is out of its range.
    #[error(transparent)]
    Value(#[from] ConfigError),
}

#[derive(TypePath, Default)]
struct ConfigLoader;

/// The file that [`NightConfig`] follows.
#[derive(Resource)]
struct FollowedConfig(Handle<ConfigAsset>);

impl ConfigAssetPlugin {
    /// Creates the plugin for a path within the game's assets, such as `town.nightfold.toml`.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }
}

impl Plugin for ConfigAssetPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<ConfigAsset>().register_asset_loader(ConfigLoader);
        let handle = app.world().resource::<AssetServer>().load(self.path.clone());
        app.insert_resource(FollowedConfig(handle));
        app.add_systems(PostUpdate, follow.after(AssetEventSystems));
    }
}

#[expect(clippy::needless_pass_by_value, reason = "systems take what bevy hands them")]
fn follow(
    mut events: MessageReader<AssetEvent<ConfigAsset>>,
    followed: Res<FollowedConfig>,
    assets: Res<Assets<ConfigAsset>>,
    config: Option<ResMut<NightConfig>>,
) {
    let id = followed.0.id();
    let is_news = events.read().any(|event| event.is_added(id) || event.is_modified(id));
    let Some(mut config) = config else { return };
    // Ports that come after the file bring a configuration of their own.
    if (is_news || config.is_added())
        && let Some(asset) = assets.get(id)
    {
        config.0 = Arc::clone(&asset.0);
    }
}

impl AssetLoader for ConfigLoader {
    type Asset = ConfigAsset;
    type Settings = ();
    type Error = ConfigAssetError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        _: &mut LoadContext<'_>,
    ) -> Result<ConfigAsset, ConfigAssetError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        let config: Config = toml::from_str(&String::from_utf8(bytes)?)?;
        Ok(ConfigAsset(Arc::new(config.check()?)))
    }

    fn extensions(&self) -> &[&str] {
        &["nightfold.toml"]
    }
}
