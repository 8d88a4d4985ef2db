//! Numbers as text: little-endian, compressed, base64.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use std::io::Write;

/// An array as the page reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Array {
    /// `f32`, `f64` or `u32`.
    pub dtype: String,
    /// Size in each direction, the last one varies fastest.
    pub shape: Vec<usize>,
    /// `deflate` (in the wrapping of zlib) or `raw`.
    pub encoding: String,
    /// Base64.
    pub data: String,
}

impl Array {
    /// Single precision: seven digits, enough for what is seen.
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

    /// Indices.
    pub fn u32(shape: &[usize], values: impl ExactSizeIterator<Item = u32>) -> Array {
        let mut bytes = Vec::with_capacity(4 * values.len());
        for x in values {
            bytes.extend_from_slice(&x.to_le_bytes());
        }
        Array::new("u32", shape, &bytes)
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
    // Writing to memory does not fail; should it, the numbers go uncompressed.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;
    use std::io::Read;

    /// What the page does.
    pub(crate) fn decode(a: &Array) -> Vec<f64> {
        let bytes = unbase64(&a.data);
        let bytes = match a.encoding.as_str() {
            "raw" => bytes,
            _ => {
                let mut out = Vec::new();
                flate2::read::ZlibDecoder::new(&bytes[..]).read_to_end(&mut out).unwrap();
                out
            }
        };
        match a.dtype.as_str() {
            "f64" => {
                bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
            }
            _ => bytes
                .chunks_exact(4)
                .map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())))
                .collect(),
        }
    }

    pub(crate) fn unbase64(text: &str) -> Vec<u8> {
        let value = |c: u8| DIGITS.iter().position(|d| *d == c);
        let mut out = Vec::new();
        for group in text.as_bytes().chunks(4) {
            let word = group
                .iter()
                .fold(0u32, |w, c| w << 6 | u32::try_from(value(*c).unwrap_or(0)).unwrap());
            let pads = group.iter().filter(|c| **c == b'=').count();
            out.extend_from_slice(&word.to_be_bytes()[1..4 - pads]);
        }
        out
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
            assert_eq!(unbase64(text), plain.as_bytes());
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
        let t = Array::f64(&[3], [0.1, f64::NAN, 1e300].into_iter());
        let back = decode(&t);
        assert!(back[0] == 0.1 && back[1].is_nan() && back[2] == 1e300);
        assert_eq!(decode(&Array::f32(&[0], [].into_iter())), [0.0; 0]);
        let beyond = decode(&Array::f32(&[1], [1e300].into_iter()));
        assert_eq!(beyond, [f64::INFINITY], "too large for single precision: a gap in the plot");
    }
}
