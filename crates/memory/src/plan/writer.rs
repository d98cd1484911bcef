//! Writing a plan night by night, for plans too large to hold in memory.

use std::{
    io::{self, Write},
    mem,
};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use super::{NpcNight, PLAN_FORMAT, RunReport, seal::Seal};

/// Writer of the JSON of a [`NightPlan`](super::NightPlan): byte for byte the output of `serde_json`, with a
/// line end.
#[derive(Debug)]
pub struct PlanWriter<W, F = CompactFormatter> {
    out: W,
    /// `None` writes what the seal reads.
    formatter: Option<F>,
    nights: usize,
    seal: Seal,
}

impl<W: Write> PlanWriter<W> {
    /// Begins a plan.
    ///
    /// # Errors
    /// Errors of writing to `out`.
    pub fn new(out: W) -> io::Result<Self> {
        Self::begin(out, None)
    }
}

impl<W: Write, F: Formatter + Clone> PlanWriter<W, F> {
    /// Begins a plan whose values are written by `formatter`.
    ///
    /// # Errors
    /// Errors of writing to `out`.
    pub fn with_formatter(out: W, formatter: F) -> io::Result<Self> {
        Self::begin(out, Some(formatter))
    }

    fn begin(mut out: W, formatter: Option<F>) -> io::Result<Self> {
        write!(out, r#"{{"format":{PLAN_FORMAT},"nights":["#)?;
        Ok(Self { out, formatter, nights: 0, seal: Seal::default() })
    }

    /// Writes the next night. Nights must come sorted by NPC and then by time.
    ///
    /// # Errors
    /// Errors of writing to `out`.
    pub fn night(&mut self, night: &NpcNight) -> io::Result<()> {
        if self.nights > 0 {
            self.out.write_all(b",")?;
        }
        self.nights += 1;
        let json = serde_json::to_vec(night)?;
        self.seal.night(&json);
        self.value(night, &json)
    }

    /// Ends the plan with the sums over all its nights, and returns the underlying writer.
    ///
    /// # Errors
    /// Errors of writing to `out`.
    pub fn finish(mut self, report: &RunReport) -> io::Result<W> {
        self.out.write_all(br#"],"report":"#)?;
        let json = serde_json::to_vec(report)?;
        let seal = mem::take(&mut self.seal).finish(&json);
        self.value(report, &json)?;
        writeln!(self.out, r#","seal":"{seal}"}}"#)?;
        Ok(self.out)
    }

    fn value(&mut self, value: &impl Serialize, json: &[u8]) -> io::Result<()> {
        let Some(formatter) = self.formatter.clone() else { return self.out.write_all(json) };
        Ok(value.serialize(&mut Serializer::with_formatter(&mut self.out, formatter))?)
    }
}
