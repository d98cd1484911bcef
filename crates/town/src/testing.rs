//! For tests of games and of bindings: an embedder of letters, which needs no model, and a teller of stories.

use crate::{Town, TownError, TownOptions};
use nightfold_ecs::memory::{Embedded, Embedder, EmbedderError, ModelId, Vectors};

/// Embedder that counts pairs of letters. Texts with the same words are close; it knows no meaning.
#[derive(Debug)]
pub struct Letters(ModelId);

/// Numbers of a vector of [`Letters`].
const DIMENSIONS: usize = 64;

impl Letters {
    /// Creates the embedder.
    #[expect(clippy::new_without_default, reason = "it opens nothing, but says what it makes")]
    pub fn new() -> Self {
        Self("letters@1".parse().unwrap_or_else(|_| unreachable!("the name is valid")))
    }

    /// Returns the vector of a text.
    pub fn vector(text: &str) -> Vec<f32> {
        let mut row = vec![1e-3_f32; DIMENSIONS];
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            let bytes = word.as_bytes();
            for pair in bytes.windows(2) {
                row[(usize::from(pair[0]) * 31 + usize::from(pair[1])) % DIMENSIONS] += 1.0;
            }
            row[bytes.iter().map(|b| usize::from(*b)).sum::<usize>() % DIMENSIONS] += 2.0;
        }
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        row.iter_mut().for_each(|x| *x /= length);
        row
    }
}

impl Embedder for Letters {
    fn model(&self) -> &ModelId {
        &self.0
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let mut vectors = Vectors::with_capacity(DIMENSIONS, texts.len());
        for text in texts {
            vectors.push(&Self::vector(text)).map_err(|error| EmbedderError::Run(error.into()))?;
        }
        Ok(Embedded::without_grammar(vectors, vec![false; texts.len()]))
    }
}

/// Tells a story: does the commands of its lines in a town with these options, and returns the replies and events, one a line. A
/// refusal is `refused` and its code. The last saved town stands for `"@saved"`, and the last plan for `"@plan"`. Every binding has such a
/// teller; in lockstep they all tell the same.
///
/// # Errors
/// [`TownError`] if the town cannot be opened.
pub fn tell_story(story: &str, options: TownOptions) -> Result<String, TownError> {
    let mut town = Town::open(options)?;
    let (mut saved, mut plan, mut told) = (String::new(), String::new(), String::new());
    let mut tell = |line: &str| {
        told.push_str(line);
        told.push('\n');
    };
    for line in story.lines() {
        match town.do_json(&line.replace("\"@saved\"", &saved).replace("\"@plan\"", &plan)) {
            Ok(reply) => {
                let within = |key: &str| Some(reply.strip_prefix(key)?.strip_suffix('}')?.to_owned());
                saved = within("{\"saved\":").unwrap_or(saved);
                plan = within("{\"plan\":").unwrap_or(plan);
                tell(&reply);
            }
            Err(error) => tell(&format!("refused {}", error.code())),
        }
        while let Some(event) = town.next_event() {
            tell(&serde_json::to_string(&event)?);
        }
    }
    Ok(told)
}
