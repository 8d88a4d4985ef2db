//! A picture as SVG text.

use super::Plot;
use super::layout::picture;
use super::marks::{Anchor, INK, Mark, Words};
use super::style::marker;
use std::fmt::Write as _;

/// Plots stacked vertically with one legend for all: series of the same name are listed once. Styles left at 0 are
/// numbered by name.
pub fn panels(plots: &[Plot]) -> String {
    let p = picture(plots);
    let (width, height) = (p.width, p.height);
    // writing to a String cannot fail
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"{INK}\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    );
    for mark in &p.marks {
        write(&mut out, mark);
    }
    out.push_str("</svg>\n");
    out
}

fn write(out: &mut String, mark: &Mark) {
    let _ = match mark {
        Mark::Line { from: (x1, y1), to: (x2, y2), colour, width, dashed } => {
            let dash = if *dashed { " stroke-dasharray=\"6 4\"" } else { "" };
            writeln!(
                out,
                "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" \
                 stroke=\"{colour}\" stroke-width=\"{width}\"{dash}/>"
            )
        }
        Mark::Frame { at: (x, y), size: (w, h) } => writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"none\" \
             stroke=\"{INK}\"/>"
        ),
        Mark::Curve { points, colour } => {
            out.push_str("<path d=\"");
            for (k, (x, y)) in points.iter().enumerate() {
                let _ = write!(out, "{}{x:.1},{y:.1}", if k == 0 { 'M' } else { 'L' });
            }
            writeln!(out, "\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>")
        }
        Mark::Marker { style, at: (x, y) } => {
            out.push_str(&marker(*style, *x, *y));
            Ok(())
        }
        Mark::Text { at: (x, y), words, size, bold, anchor, rising } => {
            let place = match rising {
                true => format!("transform=\"translate({x:.1},{y:.1}) rotate(-90)\""),
                false => format!("x=\"{x:.1}\" y=\"{y:.1}\""),
            };
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let size = if *size == 12.0 { String::new() } else { format!(" font-size=\"{size}\"") };
            let bold = if *bold { " font-weight=\"bold\"" } else { "" };
            let words = match words {
                Words::Plain(s) => text(s),
                Words::Power(k) => format!("10<tspan dy=\"-5\" font-size=\"9\">{k}</tspan>"),
            };
            writeln!(out, "<text {place}{anchor}{size}{bold}>{words}</text>")
        }
    };
}

/// Text escaped for XML, without characters that XML does not allow.
fn text(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    for c in s.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Plot, Series};
    use super::*;

    #[test]
    fn a_whole_picture() {
        let mut p = Plot::new("a < b & c", Axis::log("x, s"), Axis::log("y"));
        p.series.push(Series::new("one", vec![(1e-3, 1e-2), (1e-2, 0.0), (1e-1, 1e-6)]));
        p.series.push(Series::new("two", vec![(1e-2, 1e-3)]));
        p.level = Some((1e-5, "known to".to_owned()));
        let svg = panels(&[p.clone(), p]);
        assert!(svg.contains("a &lt; b &amp; c"));
        assert_eq!(svg.matches(">one</text>").count(), 1, "one legend for both panels");
        // labels that rise, three places that can be drawn in each panel, two in the legend
        assert_eq!(svg.matches("transform=\"translate(").count(), 2 + 3 * 2 + 2);
        assert_eq!(svg.matches("known to").count(), 2);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn what_has_no_place_is_a_gap() {
        let mut p = Plot::new("", Axis::linear("x"), Axis::linear("y"));
        let points = vec![(0.0, 0.0), (1.0, 1.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 0.0)];
        p.series.push(Series { markers: false, ..Series::new("one", points) });
        assert_eq!(p.svg().matches("stroke-width=\"1.6\"/>").count(), 2 + 1);
    }

    #[test]
    fn nothing_to_draw() {
        let p = Plot::new("", Axis::log("x"), Axis::linear("y"));
        let svg = p.svg();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    }
}
