//! Numbers as text: little-endian, compressed, base64.

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// Bits at the end of a number that [`Array::short_f64`] leaves out: 35 of 52 stay.
const DROPPED: u32 = 17;

/// An array as the page reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Array {
    /// `f32`, `f64` or `u32`.
    pub dtype: String,
    /// Size in each dimension; the last one varies fastest.
    pub shape: Vec<usize>,
    /// `deflate` (in zlib format) or `raw`.
    pub encoding: String,
    /// Base64.
    pub data: String,
}

impl Array {
    /// Single precision: seven digits, enough for display.
    pub fn f32(shape: &[usize], values: impl ExactSizeIterator<Item = f64>) -> Array {
        let mut bytes = Vec::with_capacity(4 * values.len());
        for x in values {
            bytes.extend_from_slice(&(x as f32).to_le_bytes());
        }
        Array::new("f32", shape, &bytes)
    }

    /// Double precision, for times.
    pub fn f64(shape: &[usize], values: impl ExactSizeIterator<Item = f64>) -> Array {
        let mut bytes = Vec::with_capacity(8 * values.len());
        for x in values {
            bytes.extend_from_slice(&x.to_le_bytes());
        }
        Array::new("f64", shape, &bytes)
    }

    /// Ten digits in double precision: the rest of each number is zero, which needs little room.
    pub(crate) fn short_f64(shape: &[usize], values: impl ExactSizeIterator<Item = f64>) -> Array {
        let short = |x: f64| match x.is_finite() {
            // half of the last place that stays
            true => f64::from_bits((x.to_bits() + (1 << (DROPPED - 1))) >> DROPPED << DROPPED),
            false => x,
        };
        Array::f64(shape, values.map(short))
    }

    /// Indices.
    pub fn u32(shape: &[usize], values: impl ExactSizeIterator<Item = u32>) -> Array {
        let mut bytes = Vec::with_capacity(4 * values.len());
        for x in values {
            bytes.extend_from_slice(&x.to_le_bytes());
        }
        Array::new("u32", shape, &bytes)
    }

    /// Decodes the numbers; `None` if they cannot be read.
    pub(crate) fn numbers(&self) -> Option<Vec<f64>> {
        let wide = if self.dtype == "f64" { 8 } else { 4 };
        let size = self.shape.iter().try_fold(wide, |n: usize, k| n.checked_mul(*k))?;
        let packed = unbase64(&self.data)?;
        let bytes = match self.encoding.as_str() {
            "raw" => packed,
            _ => {
                let mut out = Vec::new();
                ZlibDecoder::new(&packed[..]).take(size as u64 + 1).read_to_end(&mut out).ok()?;
                out
            }
        };
        let word = |b: &[u8]| -> Option<[u8; 4]> { b.try_into().ok() };
        let number = |b: &[u8]| -> Option<f64> {
            Some(match self.dtype.as_str() {
                "f64" => f64::from_le_bytes(b.try_into().ok()?),
                "u32" => f64::from(u32::from_le_bytes(word(b)?)),
                _ => f64::from(f32::from_le_bytes(word(b)?)),
            })
        };
        (bytes.len() == size).then(|| bytes.chunks_exact(wide).map(number).collect())?
    }

    fn new(dtype: &str, shape: &[usize], bytes: &[u8]) -> Array {
        let (encoding, data) = match deflate(bytes) {
            Some(small) if small.len() < bytes.len() => ("deflate", base64(&small)),
            _ => ("raw", base64(bytes)),
        };
        Array {
            dtype: dtype.to_owned(),
            shape: shape.to_vec(),
            encoding: encoding.to_owned(),
            data,
        }
    }
}

fn deflate(bytes: &[u8]) -> Option<Vec<u8>> {
    // Writing to memory does not fail; if it did, the numbers would be sent uncompressed.
    let mut out = ZlibEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::new(6));
    out.write_all(bytes).ok()?;
    out.finish().ok()
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding (RFC 4648).
pub fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |k: usize| u32::from(group.get(k).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * k) & 63) as usize];
            out.push(if k <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

/// The bytes of a base64 text; `None` if it is not valid.
fn unbase64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.as_bytes().chunks(4) {
        let pads = group.iter().rev().take_while(|c| **c == b'=').count();
        if group.len() != 4 || pads > 2 {
            return None;
        }
        let mut word = 0u32;
        for c in &group[..4 - pads] {
            let value = match c {
                b'A'..=b'Z' => c - b'A',
                b'a'..=b'z' => c - b'a' + 26,
                b'0'..=b'9' => c - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            word = word << 6 | u32::from(value);
        }
        word <<= 6 * pads as u32;
        out.extend_from_slice(&word.to_be_bytes()[1..4 - pads]);
    }
    Some(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;

    /// Decodes as the page does.
    pub(crate) fn decode(a: &Array) -> Vec<f64> {
        a.numbers().unwrap()
    }

    #[test]
    fn the_known_texts() {
        // RFC 4648, section 10
        for (plain, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), text);
            assert_eq!(unbase64(text).unwrap(), plain.as_bytes());
        }
        for bad in ["Z", "Zg=", "Z===", "Zm9%", "====", "Zg==Zg="] {
            assert!(unbase64(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn numbers_come_back() {
        let values: Vec<f64> = (0..1000).map(|k| (f64::from(k) * 0.01).sin()).collect();
        let a = Array::f32(&[10, 100], values.iter().copied());
        assert_eq!((a.encoding.as_str(), a.shape.as_slice()), ("deflate", &[10, 100][..]));
        let back = decode(&a);
        assert_eq!(back.len(), 1000);
        assert!(back.iter().zip(&values).all(|(b, v)| *b == f64::from(*v as f32)));
        let cut = Array { data: a.data[..a.data.len() / 8 * 4].to_owned(), ..a.clone() };
        assert_eq!(cut.numbers(), None);
        assert_eq!(decode(&Array::u32(&[2], [7, u32::MAX].into_iter())), [7.0, 4294967295.0]);
        let t = Array::f64(&[3], [0.1, f64::NAN, 1e300].into_iter());
        let back = decode(&t);
        assert!(back[0] == 0.1 && back[1].is_nan() && back[2] == 1e300);
        assert_eq!(decode(&Array::f32(&[0], [].into_iter())), [0.0; 0]);
        let short = decode(&Array::short_f64(&[4], [0.1, -1e-7 / 3.0, 0.0, f64::NAN].into_iter()));
        assert!((short[0] - 0.1).abs() < 3e-12 && (short[1] * -3e7 - 1.0).abs() < 3e-11);
        assert!(short[2] == 0.0 && short[3].is_nan());
        let beyond = decode(&Array::f32(&[1], [1e300].into_iter()));
        assert_eq!(beyond, [f64::INFINITY], "too large for single precision: a gap in the plot");
    }
}
