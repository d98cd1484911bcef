//! A profile as a user writes it.

use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};

use crate::config::{
    BudgetChanges, CapChanges, ClusterChanges, CohesionChanges, Config, JudgeConfig, MaintainChanges,
    RecallChanges, ReconcileChanges, SalienceChanges, SleepChanges, SynthesisChanges, ThemesChanges,
    TriageChanges,
};

/// Declares a struct of a profile. Keys of the configuration that all NPCs of a run share are read, too: they
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
        /// Changes of the thresholds of `[judge]`.
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

profile_part! {
    /// Thresholds of [`JudgeConfig`] that a profile changes; the others stay as they are.
    pub struct JudgeChanges {
        /// Least probability at which two statements say the same [0.5; 0 to 1].
        #[cfg_attr(feature = "schema", schemars(with = "f64"))]
        pub same_from: Option<f64>,
        /// Least probability at which two statements contradict each other [0.9; 0 to 1].
        #[cfg_attr(feature = "schema", schemars(with = "f64"))]
        pub contradiction_from: Option<f64>,
        /// Maximum number of pairs of a night that are searched for contradictions [32; 0 to 100000].
        #[cfg_attr(feature = "schema", schemars(with = "usize"))]
        pub max_pairs: Option<usize>,
    }
    shared by the whole run {
        by: "one judge serves the whole run",
        batch: "one judge serves the whole run",
    }
}

impl JudgeChanges {
    fn apply_to(&self, judge: &mut JudgeConfig) {
        let Self { same_from, contradiction_from, max_pairs, whole_run: _ } = self;
        judge.same_from = same_from.unwrap_or(judge.same_from);
        judge.contradiction_from = contradiction_from.unwrap_or(judge.contradiction_from);
        judge.max_pairs = max_pairs.unwrap_or(judge.max_pairs);
    }
}

impl Profile {
    /// Changes the settings of a configuration.
    pub(super) fn apply_to(&self, config: &mut Config) {
        let Self {
            inherits: _,
            npcs: _,
            tags: _,
            cluster,
            cohesion,
            themes,
            budget,
            salience,
            sleep,
            triage,
            synthesis,
            reconcile,
            judge,
            cap,
            maintain,
            recall,
            whole_run: _,
        } = self;
        cluster.apply_to(&mut config.cluster);
        cohesion.apply_to(&mut config.cohesion);
        themes.apply_to(&mut config.themes);
        budget.apply_to(&mut config.budget);
        salience.apply_to(&mut config.salience);
        sleep.apply_to(&mut config.sleep);
        triage.apply_to(&mut config.triage);
        synthesis.apply_to(&mut config.synthesis);
        reconcile.apply_to(&mut config.reconcile);
        judge.apply_to(&mut config.judge);
        cap.apply_to(&mut config.cap);
        maintain.apply_to(&mut config.maintain);
        recall.apply_to(&mut config.recall);
    }

    /// Returns the first key that all NPCs of a run share, with the reason.
    pub(super) fn shared_key(&self) -> Option<(String, &'static str)> {
        let section = self.whole_run.first().map(|(key, why)| ((*key).to_owned(), *why));
        section.or_else(|| self.judge.whole_run.first().map(|(key, why)| (format!("judge.{key}"), *why)))
    }

    /// Returns a profile with some of its settings changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
