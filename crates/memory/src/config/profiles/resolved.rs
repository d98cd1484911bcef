//! Checked profiles, each with the configuration of its NPCs.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    MAX_MATCHES, MAX_PROFILES, Profile, ProfileError, ProfileName, lineage::lineage,
    name_pattern::NamePattern,
};
use crate::{
    config::{Config, ConfigError},
    id::NpcId,
};

/// Profile that applies to an NPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileMatch<'a> {
    /// Name of the profile.
    pub name: &'a ProfileName,
    /// Entry of the profile that matches the NPC.
    pub by: MatchedBy<'a>,
}

/// Entry of a profile that matches an NPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedBy<'a> {
    /// Whole name of the NPC.
    Name,
    /// Pattern of names.
    Pattern(&'a str),
    /// Tag of the NPC.
    Tag(&'a str),
}

/// Checked profiles in the order of their names.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ResolvedProfiles {
    /// Name of each profile, with the configuration of its NPCs.
    profiles: Vec<(ProfileName, Arc<Config>)>,
    /// Configuration of the NPCs without a profile, if there are profiles.
    pub(crate) others: Option<Arc<Config>>,
    /// Profile of each NPC that is named in full, as an index.
    by_name: BTreeMap<NpcId, usize>,
    /// Patterns as written, each with its profile; the longest first.
    patterns: Vec<(String, NamePattern, usize)>,
    /// Profile of each tag, as an index.
    by_tag: BTreeMap<String, usize>,
}

impl ResolvedProfiles {
    /// Checks the profiles of a configuration whose other values lie in their ranges.
    ///
    /// # Errors
    /// [`ConfigError`] names the profile and the key.
    pub(crate) fn of(config: &Config) -> Result<Self, ConfigError> {
        let profiles = &config.profiles;
        let mut resolved = Self::default();
        if profiles.is_empty() {
            return Ok(resolved);
        }
        if profiles.len() > MAX_PROFILES {
            return Err(ProfileError::TooMany { given: profiles.len() }.into());
        }
        let names = profiles.keys().map(|name| ProfileName::new(name)).collect::<Result<Vec<_>, _>>()?;
        for (index, (name, profile)) in profiles.iter().enumerate() {
            if let Some((key, why)) = profile.shared_key() {
                return Err(ProfileError::WholeRun { profile: name.clone(), key: key.to_owned(), why }.into());
            }
            resolved.add_matches(index, name, profile)?;
        }
        resolved.patterns.sort_by(|(_, a, i), (_, b, j)| a.cmp_by_length(b).then(i.cmp(j)));

        let mut base = config.clone();
        base.profiles.clear();
        let mut lines = Vec::with_capacity(profiles.len());
        for name in profiles.keys() {
            lines.push(lineage(profiles, name)?);
        }
        // Ancestors first: a value outside its range is reported of the profile that sets it.
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|index| lines[*index].len());
        let mut configs: BTreeMap<usize, Arc<Config>> = BTreeMap::new();
        for index in order {
            let mut config = base.clone();
            lines[index].iter().rev().for_each(|(_, profile)| config.apply(profile));
            config.check_values().map_err(|error| error.in_profile(names[index].as_str()))?;
            configs.insert(index, config.into());
        }
        resolved.others = Some(base.into());
        resolved.profiles = names.into_iter().zip(configs.into_values()).collect();
        Ok(resolved)
    }

    fn add_matches(&mut self, index: usize, name: &str, profile: &Profile) -> Result<(), ProfileError> {
        for (list, given) in [("npcs", profile.npcs.len()), ("tags", profile.tags.len())] {
            if given > MAX_MATCHES {
                return Err(ProfileError::TooManyMatches { profile: name.to_owned(), list, given });
            }
        }
        let refused = |list, given: &str, problem: String| ProfileError::Match {
            profile: name.to_owned(),
            list,
            given: given.to_owned(),
            problem,
        };
        for given in &profile.npcs {
            match NamePattern::parse(given).map_err(|problem| refused("npcs", given, problem.to_string()))? {
                // Of profiles that name the same NPC, the first in the order of names applies.
                NamePattern::Name(npc) => _ = self.by_name.entry(npc).or_insert(index),
                pattern @ NamePattern::Part { .. } => self.patterns.push((given.clone(), pattern, index)),
            }
        }
        for tag in &profile.tags {
            // Tags follow the rules of names.
            NpcId::new(tag).map_err(|problem| refused("tags", tag, problem.to_string()))?;
            self.by_tag.entry(tag.clone()).or_insert(index);
        }
        Ok(())
    }

    /// Returns the profile of an NPC and the configuration: by its name, else by the longest pattern, else by a
    /// tag; of several profiles the first in the order of names.
    pub(crate) fn find<'a>(
        &'a self,
        npc: &NpcId,
        tags: &'a [String],
    ) -> Option<(ProfileMatch<'a>, &'a Arc<Config>)> {
        let by_name = || Some((*self.by_name.get(npc)?, MatchedBy::Name));
        let by_pattern = || {
            let (text, _, index) = self.patterns.iter().find(|(_, pattern, _)| pattern.matches(npc))?;
            Some((*index, MatchedBy::Pattern(text)))
        };
        let by_tag = || {
            let tagged = tags.iter().filter_map(|tag| Some((*self.by_tag.get(tag)?, tag.as_str())));
            tagged.min().map(|(index, tag)| (index, MatchedBy::Tag(tag)))
        };
        let (index, by) = by_name().or_else(by_pattern).or_else(by_tag)?;
        let (name, config) = self.profiles.get(index)?;
        Some((ProfileMatch { name, by }, config))
    }
}

impl Config {
    /// Changes the settings that a profile changes.
    fn apply(&mut self, profile: &Profile) {
        let Profile {
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
        } = profile;
        cluster.apply_to(&mut self.cluster);
        cohesion.apply_to(&mut self.cohesion);
        themes.apply_to(&mut self.themes);
        budget.apply_to(&mut self.budget);
        salience.apply_to(&mut self.salience);
        sleep.apply_to(&mut self.sleep);
        triage.apply_to(&mut self.triage);
        synthesis.apply_to(&mut self.synthesis);
        reconcile.apply_to(&mut self.reconcile);
        judge.apply_to(&mut self.judge);
        cap.apply_to(&mut self.cap);
        maintain.apply_to(&mut self.maintain);
        recall.apply_to(&mut self.recall);
    }
}
