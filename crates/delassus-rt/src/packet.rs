//! Messages as bytes: the layout is described for users in the book (how-to "Real time").
//!
//! All numbers are little-endian.
//!
//! ```text
//! 0   "DLRT"
//! 4   version   u16, 1
//! 6   kind      u16: 1 inputs, 2 outputs, 3 question for the names, 4 answer to it
//! 8   sequence  u64
//! 16  layout    u32
//! 20  count     u32
//! 24  inputs: count doubles
//!     outputs: status u32, late steps u32, sequence of the last inputs u64, time f64, count doubles
//!     answer: count bytes of JSON
//! ```

use crate::layout::Layout;

/// Version of the layout.
pub const VERSION: u16 = 1;
/// First bytes of every message.
pub const MAGIC: [u8; 4] = *b"DLRT";
/// Largest message that fits into a datagram, bytes.
pub const LARGEST: usize = 65_507;
/// Bytes before the inputs, and before the outputs.
pub const HEADS: [usize; 2] = [24, 48];

const INPUTS: u16 = 1;
const OUTPUTS: u16 = 2;
const QUESTION: u16 = 3;
const ANSWER: u16 = 4;

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Incoming {
    /// Inputs, with their number if they have one.
    Inputs(Option<u64>),
    /// The sender asks for the names.
    Question,
}

/// Why a message is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is none, or of a wrong size.
    Malformed,
    /// It contains NaN or an infinite number.
    NotFinite,
    /// It is not newer than the last one.
    Stale,
    /// It has an input that the model does not have, or is for another model.
    Unknown,
    /// It comes from a second sender.
    Foreign,
}

/// What one cycle tells.
#[derive(Debug, Clone, Copy)]
pub struct Cycle<'a> {
    /// Its number, from 1.
    pub sequence: u64,
    /// Status word.
    pub status: u32,
    /// Steps so far that ended after their time.
    pub late: u64,
    /// Number of the last inputs that act; 0 before the first.
    pub inputs: u64,
    /// Time of the model, s.
    pub t: f64,
    /// The outputs.
    pub values: &'a [f64],
}

fn take<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

/// Reads a message in bytes; the inputs go to `values`. Does not allocate.
pub fn read(bytes: &[u8], layout: &Layout, values: &mut [f64]) -> Result<Incoming, Refusal> {
    let word = |at| take::<4>(bytes, at).map(u32::from_le_bytes).ok_or(Refusal::Malformed);
    let short = |at| take::<2>(bytes, at).map(u16::from_le_bytes).ok_or(Refusal::Malformed);
    let sequence = take::<8>(bytes, 8).map(u64::from_le_bytes).ok_or(Refusal::Malformed)?;
    if !bytes.starts_with(&MAGIC) || short(4)? != VERSION {
        return Err(Refusal::Malformed);
    }
    let (kind, count) = (short(6)?, word(20)? as usize);
    let body = &bytes[HEADS[0]..];
    match kind {
        QUESTION if body.is_empty() && count == 0 => return Ok(Incoming::Question),
        INPUTS if body.len() == 8 * count && count == values.len() => {}
        _ => return Err(Refusal::Malformed),
    }
    if ![0, layout.id()].contains(&word(16)?) {
        return Err(Refusal::Unknown);
    }
    for (value, bits) in values.iter_mut().zip(body.as_chunks::<8>().0) {
        *value = f64::from_le_bytes(*bits);
    }
    match values.iter().all(|x| x.is_finite()) {
        true => Ok(Incoming::Inputs(Some(sequence))),
        false => Err(Refusal::NotFinite),
    }
}

fn head(out: &mut Vec<u8>, kind: u16, sequence: u64, layout: u32, count: usize) {
    out.clear();
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&sequence.to_le_bytes());
    out.extend_from_slice(&layout.to_le_bytes());
    out.extend_from_slice(&(count as u32).to_le_bytes());
}

/// Writes the outputs of a cycle. Does not allocate where there is room for them.
pub fn write_outputs(out: &mut Vec<u8>, layout: &Layout, cycle: &Cycle<'_>) {
    head(out, OUTPUTS, cycle.sequence, layout.id(), cycle.values.len());
    out.extend_from_slice(&cycle.status.to_le_bytes());
    out.extend_from_slice(&u32::try_from(cycle.late).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(&cycle.inputs.to_le_bytes());
    out.extend_from_slice(&cycle.t.to_le_bytes());
    for x in cycle.values {
        out.extend_from_slice(&x.to_le_bytes());
    }
}

/// Writes inputs: for programs in Rust that talk to a loop. With layout 0 the names are not compared.
pub fn write_inputs(out: &mut Vec<u8>, sequence: u64, layout: u32, values: &[f64]) {
    head(out, INPUTS, sequence, layout, values.len());
    for x in values {
        out.extend_from_slice(&x.to_le_bytes());
    }
}

/// Writes the question for the names.
pub fn write_question(out: &mut Vec<u8>) {
    head(out, QUESTION, 0, 0, 0);
}

/// The answer to it.
pub fn answer(layout: &Layout, rate: f64) -> Vec<u8> {
    let (text, mut out) = (layout.describe(rate).to_string(), Vec::new());
    head(&mut out, ANSWER, 0, layout.id(), text.len());
    out.extend_from_slice(text.as_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::layout;

    fn inputs(sequence: u64, id: u32, values: &[f64]) -> Vec<u8> {
        let mut out = Vec::new();
        write_inputs(&mut out, sequence, id, values);
        out
    }

    #[test]
    fn inputs_arrive_as_they_were_sent() {
        let (l, mut values) = (layout(), [0.0; 2]);
        for id in [l.id(), 0] {
            let read = read(&inputs(7, id, &[0.1, -3e300]), &l, &mut values);
            assert_eq!((read, values), (Ok(Incoming::Inputs(Some(7))), [0.1, -3e300]));
        }
        let mut question = Vec::new();
        write_question(&mut question);
        assert_eq!(read(&question, &l, &mut values), Ok(Incoming::Question));
    }

    #[test]
    fn what_is_no_message_is_refused_by_its_reason() {
        let (l, mut values) = (layout(), [0.0; 2]);
        let good = inputs(7, l.id(), &[0.1, 2.0]);
        let mut refused = |bytes: &[u8]| read(bytes, &l, &mut values).unwrap_err();
        // every shorter message, and longer ones
        for n in 0..good.len() {
            assert_eq!(refused(&good[..n]), Refusal::Malformed, "{n}");
        }
        let longer = [&good[..], &[0]].concat();
        assert_eq!(refused(&longer), Refusal::Malformed);
        for count in [0, 1, 3, 1000] {
            let values = vec![1.0; count];
            assert_eq!(refused(&inputs(7, l.id(), &values)), Refusal::Malformed, "{count}");
        }
        for (at, byte) in [(0, b'X'), (4, 2), (6, 9), (6, 2), (20, 77)] {
            let mut bad = good.clone();
            bad[at] = byte;
            assert_eq!(refused(&bad), Refusal::Malformed, "{at}");
        }
        assert_eq!(refused(&inputs(7, 3, &[0.1, 2.0])), Refusal::Unknown);
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(refused(&inputs(7, 0, &[0.1, x])), Refusal::NotFinite);
        }
    }

    #[test]
    fn outputs_have_the_documented_places() {
        let l = layout();
        let cycle = Cycle { sequence: 3, status: 5, late: 2, inputs: 9, t: 0.25, values: &[1.5] };
        let mut out = Vec::new();
        write_outputs(&mut out, &l, &cycle);
        assert_eq!(out.len(), HEADS[1] + 8);
        let double = |at| f64::from_le_bytes(take(&out, at).unwrap());
        let word = |at| u32::from_le_bytes(take(&out, at).unwrap());
        let long = |at| u64::from_le_bytes(take(&out, at).unwrap());
        assert_eq!((&out[..4], &out[4..8]), (&b"DLRT"[..], &[1, 0, 2, 0][..]));
        assert_eq!((long(8), word(16), word(20)), (3, l.id(), 1));
        assert_eq!((word(24), word(28), long(32)), (5, 2, 9));
        assert_eq!((double(40), double(48)), (0.25, 1.5));
    }
}
