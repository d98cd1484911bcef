//! A profile as a user writes it.

use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};

use crate::config::{
    BudgetChanges, CapChanges, ClusterChanges, CohesionChanges, JudgeChanges, MaintainChanges, RecallChanges,
    ReconcileChanges, SalienceChanges, SleepChanges, SynthesisChanges, ThemesChanges, TriageChanges,
};

/// Declares the struct of a profile. Keys of the configuration that all NPCs of a run share are read, too: they
/// are listed in `whole_run`, each with the reason, so that the check can say why they are refused.
macro_rules! profile_part {
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $( $(#[$field_meta:meta])* pub $field:ident: $type:ty, )* }
        shared by the whole run { $( $shared:ident: $why:literal, )* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[$field_meta])*
                #[serde(skip_serializing_if = "is_default")]
                pub $field: $type,
            )*
            /// Keys that were given and that all NPCs of a run share, each with the reason.
            #[serde(skip)]
            pub(super) whole_run: Vec<(&'static str, &'static str)>,
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(Deserialize)]
                #[serde(deny_unknown_fields, expecting = "a table of settings")]
                struct PartialSection {
                    $( #[serde(default)] $field: $type, )*
                    $( $shared: Option<IgnoredAny>, )*
                }
                let given = PartialSection::deserialize(deserializer)?;
                let shared = [$( given.$shared.map(|_| (stringify!($shared), $why)), )*];
                Ok(Self { $( $field: given.$field, )* whole_run: shared.into_iter().flatten().collect() })
            }
        }
    };
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

profile_part! {
    /// `[profiles.NAME]`: settings of the NPCs that it names. Settings that it leaves out are those of the
    /// profile that it inherits from, or else those of the sections outside of `[profiles]`.
    ///
    /// ```
    /// use nightfold_memory::Config;
    ///
    /// let config: Config = serde_json::from_str(
    ///     r#"{"profiles": {"guard": {"npcs": ["Guard *"], "budget": {"storage": 0.3}}}}"#,
    /// )?;
    /// let config = config.check()?;
    /// assert_eq!(config.for_npc(&"Guard 12".parse()?, &[]).budget.storage, 0.3);
    /// assert_eq!(config.for_npc(&"Mara Thorne".parse()?, &[]).budget.storage, 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub struct Profile {
        /// Name of the profile that it inherits settings from; names and tags are not inherited.
        pub inherits: Option<String>,
        /// Names of NPCs; a `*` at the beginning or at the end stands for any characters. At most 4096.
        pub npcs: Vec<String>,
        /// Tags of NPCs, as their days give them (`npc_tags`), such as a role or a faction. At most 4096.
        pub tags: Vec<String>,
        /// Changes of `[cluster]`.
        pub cluster: ClusterChanges,
        /// Changes of `[cohesion]`.
        pub cohesion: CohesionChanges,
        /// Changes of `[themes]`.
        pub themes: ThemesChanges,
        /// Changes of `[budget]`.
        pub budget: BudgetChanges,
        /// Changes of `[salience]`.
        pub salience: SalienceChanges,
        /// Changes of `[sleep]`.
        pub sleep: SleepChanges,
        /// Changes of `[triage]`.
        pub triage: TriageChanges,
        /// Changes of `[synthesis]`.
        pub synthesis: SynthesisChanges,
        /// Changes of `[reconcile]`.
        pub reconcile: ReconcileChanges,
        /// Changes of the thresholds of `[judge]`; `by` is refused.
        pub judge: JudgeChanges,
        /// Changes of `[cap]`.
        pub cap: CapChanges,
        /// Changes of `[maintain]`.
        pub maintain: MaintainChanges,
        /// Changes of `[recall]`.
        pub recall: RecallChanges,
    }
    shared by the whole run {
        seed: "all random choices of a run follow from one seed",
        input: "files are read before anybody knows whose memories they hold",
        day: "a new day begins at one moment for everybody",
        embed: "the texts of all NPCs are embedded together",
        collapse: "what a status line is follows from the game, not from the NPC",
        language: "one language model serves the whole run, within its limits",
        review: "a plan is approved as a whole",
        run: "it says how many NPCs sleep together",
        http: "it limits a server, whoever is asked about",
        profiles: "a profile holds no profiles; `inherits` builds one on another",
    }
}

impl Profile {
    /// Returns the first key that all NPCs of a run share, with the reason.
    pub(super) fn shared_key(&self) -> Option<(&'static str, &'static str)> {
        let judge = self.judge.by.map(|_| ("judge.by", "one judge serves the whole run"));
        self.whole_run.first().copied().or(judge)
    }

    /// Returns a profile with some of its settings changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
