//! A saved instance, as an object and as bytes.

use super::phase::Phase;
use delassus::math::memory::{Memory, Remember, restore, save};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// What an instance was when it was saved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Saved {
    pub(super) token: String,
    pub(super) exchange: bool,
    pub(super) phase: Phase,
    pub(super) parameters: BTreeMap<usize, f64>,
    pub(super) start_inputs: BTreeMap<usize, f64>,
    pub(super) start: Option<f64>,
    pub(super) tolerance: Option<f64>,
    pub(super) inputs: Vec<f64>,
    pub(super) time: f64,
    pub(super) reached: f64,
    pub(super) live: bool,
    /// Memory of the running model.
    pub(super) memory: Vec<u8>,
}

impl Remember for Saved {
    fn remember(&mut self, m: &mut Memory<'_>) {
        self.token.remember(m);
        self.exchange.remember(m);
        self.phase.remember(m);
        self.parameters.remember(m);
        self.start_inputs.remember(m);
        self.start.remember(m);
        self.tolerance.remember(m);
        self.inputs.remember(m);
        self.time.remember(m);
        self.reached.remember(m);
        self.live.remember(m);
        bytes(&mut self.memory, m);
    }
}

/// Visits bytes, in words.
pub(super) fn bytes(list: &mut Vec<u8>, m: &mut Memory<'_>) {
    let mut len = list.len();
    len.remember(m);
    let word = |c: &[u8]| {
        let mut w = [0; 8];
        w[..c.len()].copy_from_slice(c);
        u64::from_le_bytes(w)
    };
    let mut words: Vec<u64> = list.chunks(8).map(word).collect();
    words.remember(m);
    if m.reads() && !m.failed() {
        if len.div_ceil(8) != words.len() {
            m.fail("a list has another length");
            return;
        }
        *list = words.iter().flat_map(|w| w.to_le_bytes()).take(len).collect();
    }
}

/// What bytes begin with: which program wrote them, in which version of the layout.
const MAGIC: &[u8] = b"delassus-fmu-state-1\n";
/// Length of the checksum that follows.
const CHECK: usize = 32;

impl Saved {
    /// Its bytes, with a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let body = save(&mut self.clone());
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&Sha256::digest(&body));
        out.extend_from_slice(&body);
        out
    }

    /// From bytes; says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Saved, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("it was not written by this version")?;
        let (check, body) = rest.split_at_checked(CHECK).ok_or("it is cut off")?;
        if Sha256::digest(body).as_slice() != check {
            return Err("its checksum is wrong".to_owned());
        }
        let mut saved = Saved::default();
        restore(&mut saved, body).map_err(|e| e.to_string())?;
        Ok(saved)
    }
}
