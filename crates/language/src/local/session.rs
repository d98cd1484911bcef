//! Running model: reads prompts and writes answers.

use std::num::NonZeroU32;

use llama_cpp_2::{
    DecodeError,
    context::{LlamaContext, params::LlamaContextParams},
    llama_backend::LlamaBackend,
    llama_batch::LlamaBatch,
    model::LlamaModel,
    token::{LlamaToken, logit_bias::LlamaLogitBias},
};

use super::{
    error::{LocalAskError, LocalError},
    prefix::{BLOCK, PrefixCache},
    sampler::{self, TokenSampler},
    settings::ValidLocalSettings,
    template::Template,
};
use crate::chat::{ChatAsk, ChatFailed, ChatSaid};

/// The only sequence in use.
const SEQUENCE: i32 = 0;

/// Model, with the computed state of the previous prompt.
pub(super) struct Session<'a> {
    model: &'a LlamaModel,
    context: LlamaContext<'a>,
    batch: LlamaBatch<'a>,
    context_tokens: u32,
    template: Template,
    unspoken: Vec<LlamaLogitBias>,
    prefix: PrefixCache<LlamaToken>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        backend: &LlamaBackend,
        model: &'a LlamaModel,
        settings: &ValidLocalSettings,
    ) -> Result<Self, LocalError> {
        let context_tokens = settings.context_tokens().min(model.n_ctx_train());
        let threads = i32::from(settings.threads());
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(context_tokens))
            .with_n_batch(BLOCK as u32)
            .with_n_ubatch(BLOCK as u32)
            .with_n_threads(threads)
            .with_n_threads_batch(threads);
        let context = model.new_context(backend, params).map_err(|source| LocalError::Context {
            path: settings.path().to_owned(),
            context_tokens,
            source,
        })?;
        let mut session = Self {
            model,
            context,
            batch: LlamaBatch::new(BLOCK, 1),
            context_tokens,
            template: Template::of(model),
            unspoken: sampler::unspoken(model),
            prefix: PrefixCache::new(),
        };
        // A model that makes vectors computes them and remembers nothing, so that nothing can be written after it.
        let first = session.model.vocab().tokenize(b"I", false, false);
        let read = session.read(&first);
        if read.is_err() || session.context.kv_cache_seq_pos_max(SEQUENCE) < 0 {
            return Err(LocalError::NoWriter { path: settings.path().to_owned() });
        }
        Ok(session)
    }

    /// Answers a question.
    pub(super) fn answer(&mut self, ask: &ChatAsk) -> Result<ChatSaid, ChatFailed> {
        let prompt = self.template.tokens(self.model, ask.system, &ask.user);
        if prompt.len() + ask.max_tokens as usize > self.context_tokens as usize {
            let too_long = LocalAskError::TooLong {
                prompt: prompt.len(),
                max_tokens: ask.max_tokens,
                context_tokens: self.context_tokens,
            };
            return Err(too_long.paid(Some(0)));
        }
        let mut written = PartialAnswer::default();
        let said = self
            .read(&prompt)
            .map_err(LocalAskError::from)
            .and_then(|()| self.write(ask, &prompt, &mut written));
        let tokens = written.tokens as usize;
        let text = said.and_then(|()| String::from_utf8(written.text).map_err(|_| LocalAskError::NoText));
        match text {
            Ok(text) => {
                Ok(ChatSaid { text, prompt_tokens: Some(prompt.len()), completion_tokens: Some(tokens) })
            }
            Err(error) => {
                if matches!(error, LocalAskError::Compute(_)) {
                    // What it left behind is not known.
                    self.prefix.clear();
                }
                Err(error.paid(Some(prompt.len() + tokens)))
            }
        }
    }

    /// Reads a prompt, except for the beginning that is cached from the previous one.
    fn read(&mut self, prompt: &[LlamaToken]) -> Result<(), DecodeError> {
        let mut from = self.prefix.keep(prompt);
        if !self.forget(from) {
            // Recurrent models keep one state for all they have read and cannot go back in it.
            self.prefix.clear();
            self.forget(0);
            from = 0;
        }
        let blocks = (prompt.len() - from).div_ceil(BLOCK);
        for (i, block) in prompt[from..].chunks(BLOCK).enumerate() {
            let last = i + 1 == blocks;
            self.compute(block, from + i * BLOCK, last)?;
            self.prefix.push(block, last);
        }
        Ok(())
    }

    /// Removes the computed state from a position on; returns false if the model does not support it.
    fn forget(&mut self, from: usize) -> bool {
        let removed = self.context.clear_kv_cache_seq(Some(SEQUENCE as u32), u32::try_from(from).ok(), None);
        removed.unwrap_or(false)
    }

    /// Writes the answer to the prompt that was just read.
    fn write(
        &mut self,
        ask: &ChatAsk,
        prompt: &[LlamaToken],
        written: &mut PartialAnswer,
    ) -> Result<(), LocalAskError> {
        let vocab = self.model.vocab();
        let mut sampler = TokenSampler::of(self.model, ask, &self.unspoken);
        loop {
            let row = self.batch.n_tokens() - 1;
            let token =
                sampler.next(&self.context, row).ok_or(LocalAskError::Stuck { tokens: written.tokens })?;
            if vocab.is_eog(token) {
                return Ok(());
            }
            // The mark that ends an answer is no part of it: an answer may have all its tokens.
            if written.tokens == ask.max_tokens {
                return Err(LocalAskError::CutShort { max_tokens: ask.max_tokens });
            }
            sampler.accept(token);
            vocab.token_to_piece_into(token, &mut written.text, false, None);
            self.compute(&[token], prompt.len() + written.tokens as usize, true)?;
            written.tokens += 1;
        }
    }

    /// Computes tokens at a position; `speaks` if a token may be sampled after them.
    fn compute(&mut self, tokens: &[LlamaToken], from: usize, speaks: bool) -> Result<(), DecodeError> {
        self.batch.clear();
        for (i, token) in tokens.iter().enumerate() {
            let chooses = speaks && i + 1 == tokens.len();
            let place = i32::try_from(from + i).expect("no context has as many tokens");
            self.batch.add(*token, place, &[SEQUENCE], chooses).expect("no block is longer than the batch");
        }
        self.context.decode(&mut self.batch)
    }
}

/// Answer as far as it is written.
#[derive(Default)]
struct PartialAnswer {
    text: Vec<u8>,
    tokens: u32,
}
