//! Messages as JSON, one object each: `{"seq": 7, "inputs": {"torque": 1.5}}`, answered by
//! `{"seq":3,"t":0.003,"status":0,"late":0,"inputs":7,"outputs":{"angle":0.1}}`.
//!
//! Reads without memory of its own, which a general reader of JSON does not promise, and numbers to the last bit.
//! Inputs that are not named keep their values.

use crate::layout::Layout;
use crate::packet::{Cycle, Incoming, Refusal};

/// Bytes that one output needs at most beyond its name.
pub const PER_VALUE: usize = 32;
/// Bytes of the rest of the outputs at most.
pub const REST: usize = 192;

/// What is left of a message.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn space(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    /// Takes this byte after any space, if it is there.
    fn try_take(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.0.first() == Some(&byte);
        self.0 = &self.0[usize::from(found)..];
        found
    }

    fn take(&mut self, byte: u8) -> Result<(), Refusal> {
        if self.try_take(byte) { Ok(()) } else { Err(Refusal::Malformed) }
    }

    /// A text as written; names have no characters that need an escape.
    fn text(&mut self) -> Result<&'a [u8], Refusal> {
        self.take(b'"')?;
        let mut at = 0;
        loop {
            match self.0.get(at) {
                None | Some(0..0x20) => return Err(Refusal::Malformed),
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
            }
        }
        let text = &self.0[..at];
        self.0 = &self.0[at + 1..];
        Ok(text)
    }

    /// A number, or one of the words by which programs write what is none.
    fn number(&mut self) -> Result<f64, Refusal> {
        self.space();
        let part = |b: &u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
        let n = self.0.iter().position(|b| !part(b)).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(n);
        self.0 = rest;
        let word = std::str::from_utf8(word).map_err(|_| Refusal::Malformed)?;
        if ["NaN", "Infinity", "-Infinity"].contains(&word) {
            return Err(Refusal::NotFinite);
        }
        let first = word.trim_start_matches('-').as_bytes().first();
        let value = word.parse::<f64>().ok().filter(|_| first.is_some_and(u8::is_ascii_digit));
        let value = value.ok_or(Refusal::Malformed)?;
        if value.is_finite() { Ok(value) } else { Err(Refusal::NotFinite) }
    }

    /// A number of a message.
    fn count(&mut self) -> Result<u64, Refusal> {
        self.space();
        let n = self.0.iter().position(|b| !b.is_ascii_digit()).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(n);
        self.0 = rest;
        let word = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok());
        word.ok_or(Refusal::Malformed)
    }

    /// The entries of an object, one after the other.
    fn object(
        &mut self,
        mut entry: impl FnMut(&'a [u8], &mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.take(b'{')?;
        if self.try_take(b'}') {
            return Ok(());
        }
        loop {
            let name = self.text()?;
            self.take(b':')?;
            entry(name, self)?;
            if self.try_take(b'}') {
                return Ok(());
            }
            self.take(b',')?;
        }
    }
}

/// Reads a message; inputs that it does not name become NaN in `values`. Does not allocate.
pub fn read(bytes: &[u8], layout: &Layout, values: &mut [f64]) -> Result<Incoming, Refusal> {
    values.fill(f64::NAN);
    let (mut sequence, mut question, mut unknown) = (None, false, false);
    let mut not_finite = false;
    let mut rest = Rest(bytes);
    rest.object(|name, rest| match name {
        b"seq" => {
            sequence = Some(rest.count()?);
            Ok(())
        }
        b"names" => {
            question = true;
            rest.space();
            rest.0 = rest.0.strip_prefix(b"true").ok_or(Refusal::Malformed)?;
            Ok(())
        }
        b"inputs" => rest.object(|name, rest| {
            // the rest is read all the same: what is no message at all is told as such
            let value = match rest.number() {
                Err(Refusal::NotFinite) => {
                    not_finite = true;
                    return Ok(());
                }
                other => other?,
            };
            match layout.input(name).and_then(|k| values.get_mut(k)) {
                Some(slot) if slot.is_nan() => *slot = value,
                Some(_) => return Err(Refusal::Malformed),
                None => unknown = true,
            }
            Ok(())
        }),
        _ => Err(Refusal::Malformed),
    })?;
    rest.space();
    match (rest.0.is_empty(), unknown, not_finite, question) {
        (false, ..) => Err(Refusal::Malformed),
        (_, true, ..) => Err(Refusal::Unknown),
        (_, _, true, _) => Err(Refusal::NotFinite),
        (_, _, _, true) => Ok(Incoming::Question),
        _ => Ok(Incoming::Inputs(sequence)),
    }
}

/// Room for the largest message with the outputs.
pub fn room(layout: &Layout) -> usize {
    REST + layout.quoted().iter().map(|name| name.len() + PER_VALUE).sum::<usize>()
}

/// Writes the outputs of a cycle, without a line end. Does not allocate where there is [`room`] for them. What is not
/// finite becomes null.
pub fn write_outputs(out: &mut Vec<u8>, layout: &Layout, cycle: &Cycle<'_>) {
    out.clear();
    out.extend_from_slice(b"{\"seq\":");
    whole(out, cycle.sequence);
    out.extend_from_slice(b",\"t\":");
    double(out, cycle.t);
    let status = u64::from(cycle.status);
    for (name, number) in
        [(",\"status\":", status), (",\"late\":", cycle.late), (",\"inputs\":", cycle.inputs)]
    {
        out.extend_from_slice(name.as_bytes());
        whole(out, number);
    }
    out.extend_from_slice(b",\"outputs\":{");
    for (k, (output, x)) in layout.quoted().iter().zip(cycle.values).enumerate() {
        if k > 0 {
            out.push(b',');
        }
        out.extend_from_slice(output.as_bytes());
        out.push(b':');
        double(out, *x);
    }
    out.extend_from_slice(b"}}");
}

fn double(out: &mut Vec<u8>, x: f64) {
    if x.is_finite() {
        out.extend_from_slice(zmij::Buffer::new().format_finite(x).as_bytes());
    } else {
        out.extend_from_slice(b"null");
    }
}

fn whole(out: &mut Vec<u8>, mut n: u64) {
    let (mut digits, mut at) = ([b'0'; 20], 20);
    while at == 20 || n > 0 {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::layout;

    #[test]
    fn inputs_by_name_to_the_last_bit() {
        let (l, mut values) = (layout(), [0.0; 2]);
        let text = b" {\"seq\": 12 , \"inputs\":{\"brake\":0.1,\"torque\":-2.5e-3}} \n";
        assert_eq!(read(text, &l, &mut values), Ok(Incoming::Inputs(Some(12))));
        assert_eq!(values, [-2.5e-3, 0.1]);
        let x = 0.123_456_789_012_345_68_f64;
        let text = format!("{{\"inputs\":{{\"brake\":{x:?}}}}}");
        assert_eq!(read(text.as_bytes(), &l, &mut values), Ok(Incoming::Inputs(None)));
        assert_eq!((values[0].is_nan(), values[1].to_bits()), (true, x.to_bits()));
        for text in ["{}", "{\"inputs\":{}}"] {
            assert_eq!(read(text.as_bytes(), &l, &mut values), Ok(Incoming::Inputs(None)));
        }
        assert_eq!(read(b"{\"names\":true}", &l, &mut values), Ok(Incoming::Question));
    }

    #[test]
    fn everything_else_is_refused_by_its_reason() {
        use Refusal::{Malformed, NotFinite, Unknown};
        let (l, mut values) = (layout(), [0.0; 2]);
        let good = r#"{"seq":12,"inputs":{"brake":0.1,"torque":2}}"#;
        for n in 0..good.len() {
            assert_eq!(read(&good.as_bytes()[..n], &l, &mut values), Err(Malformed), "{n}");
        }
        for (text, why) in [
            (r#"{"inputs":{"tork":1}}"#, Unknown),
            (r#"{"inputs":{"tor\"k":1}}"#, Unknown),
            (r#"{"inputs":{"torque":NaN}}"#, NotFinite),
            (r#"{"inputs":{"torque":-Infinity}}"#, NotFinite),
            (r#"{"inputs":{"torque":1e999}}"#, NotFinite),
            (r#"{"inputs":{"torque":NaN}"#, Malformed),
            (r#"{"inputs":{"torque":nan}}"#, Malformed),
            (r#"{"inputs":{"torque":inf}}"#, Malformed),
            (r#"{"inputs":{"torque":+1}}"#, Malformed),
            (r#"{"inputs":{"torque":"1"}}"#, Malformed),
            (r#"{"inputs":{"torque":1,"torque":2}}"#, Malformed),
            (r#"{"inputs":{"torque":1,}}"#, Malformed),
            (r#"{"seq":-1}"#, Malformed),
            (r#"{"seq":1.5}"#, Malformed),
            (r#"{"seq":99999999999999999999}"#, Malformed),
            (r#"{"torque":1}"#, Malformed),
            (r#"{"names":false}"#, Malformed),
            ("{}{}", Malformed),
            ("\"\\", Malformed),
            ("{\"\\", Malformed),
            ("{\"a\u{7}\":1}", Malformed),
            ("[]", Malformed),
        ] {
            assert_eq!(read(text.as_bytes(), &l, &mut values), Err(why), "{text}");
        }
        assert_eq!(read(b"{\"\xff\":\xff}", &l, &mut values), Err(Malformed));
    }

    #[test]
    fn outputs_are_json_within_their_room() {
        let l = layout();
        let mut out = Vec::with_capacity(room(&l));
        for (x, status) in [(-f64::MAX, u32::MAX), (f64::NAN, 0), (f64::MIN_POSITIVE / 3.0, 1)] {
            let huge = u64::MAX;
            let cycle =
                Cycle { sequence: huge, status, late: huge, inputs: huge, t: x, values: &[x] };
            write_outputs(&mut out, &l, &cycle);
            let read: serde_json::Value = serde_json::from_slice(&out).unwrap();
            assert_eq!(read["seq"], huge);
            assert_eq!(read["status"], status);
            assert_eq!(read["outputs"]["angle"].as_f64(), x.is_finite().then_some(x));
            assert!(out.len() <= room(&l));
        }
    }
}
