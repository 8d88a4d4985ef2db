//! A picture as PNG: lines by their distance from each pixel, letters made of strokes, no library.

use super::Plot;
use super::layout::picture;
use super::letters;
use super::marks::{Anchor, INK, Mark, Words};
use super::style::{colour, outline};
use crate::results::crc32;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// Pixels per unit of the picture: sharp on paper and on high-resolution screens.
const FINE: f64 = 2.0;
/// Width and height of a unit of a letter's grid, and the gap after it, in multiples of the text size.
const LETTER: (f64, f64) = (0.098, 0.12);
const GAP: f64 = 1.9;

/// Plots stacked vertically as in [`super::panels`], as the bytes of a PNG file.
pub fn png(plots: &[Plot]) -> Vec<u8> {
    let p = picture(plots);
    let mut canvas = Canvas::new((p.width * FINE) as usize, (p.height * FINE) as usize);
    for mark in &p.marks {
        canvas.mark(mark);
    }
    canvas.png()
}

struct Canvas {
    width: usize,
    height: usize,
    /// Red, green, blue of each pixel.
    pixels: Vec<[u8; 3]>,
    /// How much of a pixel the current stroke covers; 0 between strokes.
    cover: Vec<u8>,
    /// Rows and columns that the current stroke touches.
    touched: [usize; 4],
}

type Point = (f64, f64);

impl Canvas {
    fn new(width: usize, height: usize) -> Canvas {
        let n = width * height;
        let touched = [usize::MAX, 0, usize::MAX, 0];
        Canvas { width, height, pixels: vec![[255; 3]; n], cover: vec![0; n], touched }
    }

    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Line { from, to, colour, width, dashed: false } => {
                self.stroke(&[*from, *to], *width);
                self.paint(colour);
            }
            Mark::Line { from, to, colour, width, .. } => {
                let (dx, dy) = (to.0 - from.0, to.1 - from.1);
                let length = dx.hypot(dy);
                let at = |s: f64| (from.0 + dx * s / length, from.1 + dy * s / length);
                let mut s = 0.0;
                while s < length {
                    self.stroke(&[at(s), at((s + 6.0).min(length))], *width);
                    s += 10.0;
                }
                self.paint(colour);
            }
            Mark::Frame { at: (x, y), size: (w, h) } => {
                self.stroke(&[(*x, *y), (x + w, *y), (x + w, y + h), (*x, y + h), (*x, *y)], 1.0);
                self.paint(INK);
            }
            Mark::Curve { points, colour } => {
                self.stroke(points, 1.6);
                self.paint(colour);
            }
            Mark::Marker { style, at } => {
                for line in outline(*style) {
                    let moved = line.iter().map(|(x, y)| (at.0 + x, at.1 + y));
                    self.stroke(&moved.collect::<Vec<Point>>(), 1.8);
                }
                self.paint(colour(*style));
            }
            Mark::Text { at, words, size, bold, anchor, rising } => {
                self.words(*at, words, *size, *bold, *anchor, *rising);
                self.paint(INK);
            }
        }
    }

    fn words(&mut self, at: Point, w: &Words, size: f64, bold: bool, anchor: Anchor, up: bool) {
        // text, size and height above the baseline of each part
        let parts = match w {
            Words::Plain(s) => vec![(s.clone(), size, 0.0)],
            Words::Power(k) => vec![("10".to_owned(), size, 0.0), (k.to_string(), 9.0, 5.0)],
        };
        let advance = |c: char, size: f64| (letters::strokes(c).0 + GAP) * LETTER.0 * size;
        let total: f64 = parts
            .iter()
            .map(|(s, size, _)| s.chars().map(|c| advance(c, *size)).sum::<f64>())
            .sum();
        let mut x = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * total,
            Anchor::End => -total,
        };
        let width = if bold { 1.8 } else { 1.1 };
        for (text, size, raised) in &parts {
            for c in text.chars() {
                for stroke in letters::points(letters::strokes(c).1) {
                    let place = |(gx, gy): &Point| {
                        let (px, py) =
                            (x + gx * LETTER.0 * size, (gy - 6.0) * LETTER.1 * size - raised);
                        if up { (at.0 + py, at.1 - px) } else { (at.0 + px, at.1 + py) }
                    };
                    let points: Vec<Point> = stroke.iter().map(place).collect();
                    self.stroke(&points, width);
                }
                x += advance(c, *size);
            }
        }
    }

    /// Covers the pixels near a line through points. Strokes of one colour may cross: the coverage of a pixel is that
    /// of the nearest of them.
    fn stroke(&mut self, points: &[Point], width: f64) {
        let half = (0.5 * width * FINE).max(0.35);
        let fine: Vec<Point> = points.iter().map(|(x, y)| (x * FINE, y * FINE)).collect();
        for pair in fine.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let reach = half + 1.0;
            let range = |p: f64, q: f64, most: usize| {
                let low = (p.min(q) - reach).max(0.0) as usize;
                let high = ((p.max(q) + reach).max(0.0) as usize + 1).min(most);
                low..high
            };
            let (columns, rows) = (range(a.0, b.0, self.width), range(a.1, b.1, self.height));
            if columns.is_empty() || rows.is_empty() {
                continue;
            }
            let d = (b.0 - a.0, b.1 - a.1);
            let square = d.0 * d.0 + d.1 * d.1;
            for y in rows.clone() {
                for x in columns.clone() {
                    let (px, py) = (x as f64 + 0.5 - a.0, y as f64 + 0.5 - a.1);
                    let s = if square > 0.0 { (px * d.0 + py * d.1) / square } else { 0.0 };
                    let s = s.clamp(0.0, 1.0);
                    let distance = (px - s * d.0).hypot(py - s * d.1);
                    let cover = ((half + 0.5 - distance).clamp(0.0, 1.0) * 255.0) as u8;
                    let pixel = &mut self.cover[y * self.width + x];
                    *pixel = (*pixel).max(cover);
                }
            }
            let t = &mut self.touched;
            *t = [
                t[0].min(rows.start),
                t[1].max(rows.end),
                t[2].min(columns.start),
                t[3].max(columns.end),
            ];
        }
    }

    /// Gives the covered pixels a colour.
    fn paint(&mut self, colour: &str) {
        let channel = |k: usize| {
            colour.get(1 + 2 * k..3 + 2 * k).and_then(|h| u8::from_str_radix(h, 16).ok())
        };
        let ink = [0, 1, 2].map(|k| channel(k).unwrap_or(0));
        let [top, bottom, left, right] = self.touched;
        for y in top..bottom {
            for x in left..right {
                let at = y * self.width + x;
                let cover = u32::from(std::mem::take(&mut self.cover[at]));
                if cover > 0 {
                    for (pixel, ink) in self.pixels[at].iter_mut().zip(ink) {
                        let mixed = u32::from(*pixel) * (255 - cover) + u32::from(ink) * cover;
                        *pixel = (mixed / 255) as u8;
                    }
                }
            }
        }
        self.touched = [usize::MAX, 0, usize::MAX, 0];
    }

    fn png(&self) -> Vec<u8> {
        let mut rows = Vec::with_capacity(self.height * (3 * self.width + 1));
        for row in self.pixels.chunks_exact(self.width.max(1)) {
            // no filter: lines on white compress well as they are
            rows.push(0);
            rows.extend_from_slice(row.as_flattened());
        }
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::new(6));
        // writing to memory does not fail
        let packed = packed.write_all(&rows).and_then(|()| packed.finish()).unwrap_or_default();
        let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut head = Vec::new();
        head.extend_from_slice(&(self.width as u32).to_be_bytes());
        head.extend_from_slice(&(self.height as u32).to_be_bytes());
        // 8 bits, red green blue
        head.extend_from_slice(&[8, 2, 0, 0, 0]);
        for (name, data) in [(b"IHDR", &head), (b"IDAT", &packed), (b"IEND", &Vec::new())] {
            out.extend_from_slice(&(data.len() as u32).to_be_bytes());
            let from = out.len();
            out.extend_from_slice(name);
            out.extend_from_slice(data);
            let sum = crc32(&out[from..]);
            out.extend_from_slice(&sum.to_be_bytes());
        }
        out
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Axis, Series};
    use super::*;
    use std::io::Read;

    /// Width, height and pixels of a PNG file.
    fn read(bytes: &[u8]) -> (usize, usize, Vec<[u8; 3]>) {
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        let mut rest = &bytes[8..];
        let (mut size, mut packed) = ((0, 0), Vec::new());
        let word = |b: &[u8]| u32::from_be_bytes(b[..4].try_into().unwrap());
        while !rest.is_empty() {
            let n = word(rest) as usize;
            assert_eq!(word(&rest[8 + n..]), crc32(&rest[4..8 + n]));
            match &rest[4..8] {
                b"IHDR" => size = (word(&rest[8..]) as usize, word(&rest[12..]) as usize),
                b"IDAT" => packed.extend_from_slice(&rest[8..8 + n]),
                _ => {}
            }
            rest = &rest[12 + n..];
        }
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut rows).unwrap();
        let pixels = rows
            .chunks_exact(3 * size.0 + 1)
            .flat_map(|r| r[1..].chunks_exact(3).map(|p| [p[0], p[1], p[2]]))
            .collect();
        (size.0, size.1, pixels)
    }

    #[test]
    fn a_picture_with_ink_in_the_colour_of_its_line() {
        let mut p = Plot::new("Title", Axis::linear("time, s"), Axis::log("µm"));
        let points = (1..500).map(|k| (f64::from(k), 1.0 + f64::from(k).sin().abs())).collect();
        p.series.push(Series { markers: false, ..Series::new("one", points) });
        p.series.push(Series::new("two", vec![(1.0, 1.0), (400.0, 3.0)]));
        let (w, h, pixels) = read(&png(&[p.clone(), p]));
        assert_eq!((w, h, pixels.len()), (1652, 1704, 1652 * 1704));
        for ink in [[0x00, 0x72, 0xB2], [0xD5, 0x5E, 0x00], [0x22, 0x22, 0x22]] {
            assert!(pixels.iter().filter(|p| **p == ink).count() > 500, "{ink:?}");
        }
        assert_eq!(pixels[0], [255; 3]);
    }

    #[test]
    fn nothing_to_draw() {
        let (_, _, pixels) = read(&png(&[]));
        assert!(pixels.iter().all(|p| *p == [255; 3]));
    }
}
