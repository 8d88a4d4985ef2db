//! Drawing.

use super::scale::{Label, Scale, fits};
use super::style::{colour, marker};
use super::{Plot, Series};
use std::fmt::Write as _;

/// Sizes, in pixels.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 76.0;
const TOP: f64 = 34.0;
const BELOW: f64 = 52.0;
const LEGEND: f64 = 190.0;
const LINE: f64 = 18.0;
const INK: &str = "#222222";
const GRID: &str = "#dddddd";

/// Plots below each other with one legend for all: series of the same name are shown once.
/// Styles that were left at 0 are numbered by the names.
pub fn panels(plots: &[Plot]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for series in plots.iter().flat_map(|p| &p.series) {
        if !names.contains(&series.name.as_str()) {
            names.push(&series.name);
        }
    }
    let numbered = plots.iter().flat_map(|p| &p.series).all(|s| s.style == 0);
    let style = |s: &Series| match numbered {
        true => names.iter().position(|n| *n == s.name).unwrap_or(0),
        false => s.style,
    };
    let panel = TOP + HEIGHT + BELOW;
    let height = (panel * plots.len() as f64).max(TOP + LINE * (names.len() as f64 + 2.0));
    let width = LEFT + WIDTH + LEGEND;
    // writing to a String cannot fail
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"{INK}\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    );
    for (k, plot) in plots.iter().enumerate() {
        let _ = writeln!(out, "<g transform=\"translate({LEFT},{})\">", panel * k as f64 + TOP);
        draw(&mut out, plot, &style);
        out.push_str("</g>\n");
    }
    let _ = writeln!(out, "<g transform=\"translate({},{TOP})\">", LEFT + WIDTH + 16.0);
    for (k, name) in names.iter().enumerate() {
        let series = plots.iter().flat_map(|p| &p.series).find(|s| s.name == **name);
        let Some(series) = series else { continue };
        let (y, look) = (LINE * (k as f64 + 0.5), style(series));
        let _ = writeln!(
            out,
            "<line x1=\"0\" y1=\"{y}\" x2=\"26\" y2=\"{y}\" stroke=\"{}\" stroke-width=\"1.6\"/>",
            colour(look)
        );
        if series.markers {
            out.push_str(&marker(look, 13.0, y));
        }
        let _ = writeln!(out, "<text x=\"34\" y=\"{:.1}\">{}</text>", y + 4.0, text(name));
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn draw(out: &mut String, plot: &Plot, style: &dyn Fn(&Series) -> usize) {
    let points = || {
        let all = plot.series.iter().flat_map(|s| s.points.iter().copied());
        all.filter(|(x, y)| fits(&plot.x, *x) && fits(&plot.y, *y))
    };
    let level = plot.level.iter().map(|(y, _)| *y);
    let xs = Scale::around(&plot.x, points().map(|p| p.0));
    let ys = Scale::around(&plot.y, points().map(|p| p.1).chain(level)).padded();
    let (px, py) = (|x: f64| xs.place(x) * WIDTH, |y: f64| (1.0 - ys.place(y)) * HEIGHT);
    let _ = writeln!(
        out,
        "<text x=\"0\" y=\"-12\" font-size=\"14\" font-weight=\"bold\">{}</text>",
        text(&plot.title)
    );
    for tick in xs.ticks() {
        let x = tick.at * WIDTH;
        grid(out, [x, 0.0, x, HEIGHT], tick.label.is_some());
        if let Some(label) = &tick.label {
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                HEIGHT + 16.0,
                number(label)
            );
        }
    }
    for tick in ys.ticks() {
        let y = (1.0 - tick.at) * HEIGHT;
        grid(out, [0.0, y, WIDTH, y], tick.label.is_some());
        if let Some(label) = &tick.label {
            let _ = writeln!(
                out,
                "<text x=\"-8\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                y + 4.0,
                number(label)
            );
        }
    }
    let _ = writeln!(
        out,
        "<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"{INK}\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(-56,{}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        WIDTH / 2.0,
        HEIGHT + 38.0,
        text(&plot.x.label),
        HEIGHT / 2.0,
        text(&plot.y.label)
    );
    if let Some((y, name)) = plot.level.as_ref().filter(|(y, _)| fits(&plot.y, *y)) {
        let y = py(*y);
        let _ = writeln!(
            out,
            "<line x1=\"0\" y1=\"{y:.1}\" x2=\"{WIDTH}\" y2=\"{y:.1}\" stroke=\"{INK}\" \
             stroke-dasharray=\"6 4\"/>\n<text x=\"6\" y=\"{:.1}\" font-size=\"11\">{}</text>",
            y - 4.0,
            text(name)
        );
    }
    for series in &plot.series {
        let look = style(series);
        let places: Vec<(f64, f64)> = series
            .points
            .iter()
            .filter(|(x, y)| fits(&plot.x, *x) && fits(&plot.y, *y))
            .map(|(x, y)| (px(*x), py(*y)))
            .collect();
        let mut path = String::new();
        for (k, (x, y)) in places.iter().enumerate() {
            let _ = match (k, series.stairs) {
                (0, _) => write!(path, "M{x:.1},{y:.1}"),
                (_, true) => write!(path, "H{x:.1}V{y:.1}"),
                (_, false) => write!(path, "L{x:.1},{y:.1}"),
            };
        }
        if places.len() > 1 {
            let _ = writeln!(
                out,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>",
                colour(look)
            );
        }
        if series.markers {
            out.extend(places.iter().map(|(x, y)| marker(look, *x, *y)));
        }
    }
}

fn grid(out: &mut String, [x1, y1, x2, y2]: [f64; 4], strong: bool) {
    let width = if strong { 1.0 } else { 0.4 };
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{GRID}\" \
         stroke-width=\"{width}\"/>"
    );
}

fn number(label: &Label) -> String {
    match label {
        Label::Plain(s) => text(s),
        Label::Power(0) => "1".to_owned(),
        Label::Power(k) => format!("10<tspan dy=\"-5\" font-size=\"9\">{k}</tspan>"),
    }
}

/// Text as XML wants it, without characters that XML does not have.
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
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
        assert_eq!(svg.matches(">one</text>").count(), 1, "one legend for both panels");
        // three places that can be drawn in each panel, two in the legend
        assert_eq!(svg.matches("transform=\"translate(").count(), 3 + 2 + 3 * 2 + 2);
        assert_eq!(svg.matches("known to").count(), 2);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn nothing_to_draw() {
        let p = Plot::new("", Axis::log("x"), Axis::linear("y"));
        let svg = p.svg();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    }
}
