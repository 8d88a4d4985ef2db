//! From plots to a picture: axes, grid, curves, legend.

use super::marks::{Anchor, INK, Mark, Picture, Words};
use super::scale::{Label, Scale, fits};
use super::style::colour;
use super::{Plot, Series};

/// Sizes, in pixels.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 76.0;
const TOP: f64 = 34.0;
const BELOW: f64 = 52.0;
const LEGEND: f64 = 190.0;
const LINE: f64 = 18.0;
const GRID: &str = "#dddddd";

/// Plots stacked vertically with one legend for all: series of the same name are listed once. Styles left at 0 are
/// numbered by name.
pub(super) fn picture(plots: &[Plot]) -> Picture {
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
    let mut marks = Vec::new();
    for (k, plot) in plots.iter().enumerate() {
        draw(&mut marks, plot, (LEFT, panel * k as f64 + TOP), &style);
    }
    let x = LEFT + WIDTH + 16.0;
    for (k, name) in names.iter().enumerate() {
        let series = plots.iter().flat_map(|p| &p.series).find(|s| s.name == **name);
        let Some(series) = series else { continue };
        let (y, look) = (TOP + LINE * (k as f64 + 0.5), style(series));
        let (from, to) = ((x, y), (x + 26.0, y));
        marks.push(Mark::Line { from, to, colour: colour(look), width: 1.6, dashed: false });
        if series.markers {
            marks.push(Mark::Marker { style: look, at: (x + 13.0, y) });
        }
        marks.push(Mark::text((x + 34.0, y + 4.0), name, Anchor::Start));
    }
    Picture { width: LEFT + WIDTH + LEGEND, height, marks }
}

fn draw(
    out: &mut Vec<Mark>,
    plot: &Plot,
    (left, top): (f64, f64),
    style: &dyn Fn(&Series) -> usize,
) {
    let points = || {
        let all = plot.series.iter().flat_map(|s| s.points.iter().copied());
        all.filter(|(x, y)| fits(&plot.x, *x) && fits(&plot.y, *y))
    };
    let level = plot.level.iter().map(|(y, _)| *y);
    let xs = Scale::around(&plot.x, points().map(|p| p.0));
    let ys = Scale::around(&plot.y, points().map(|p| p.1).chain(level)).padded();
    let (xs, ys) = match plot.equal && !plot.x.log && !plot.y.log {
        true => Scale::alike(xs.padded(), ys, WIDTH / HEIGHT),
        false => (xs, ys),
    };
    let px = |x: f64| left + xs.place(x) * WIDTH;
    let py = |y: f64| top + (1.0 - ys.place(y)) * HEIGHT;
    let title = Mark::text((left, top - 12.0), &plot.title, Anchor::Start);
    out.push(sized(title, 14.0, true, false));
    let grid = |from, to, strong: bool| {
        let width = if strong { 1.0 } else { 0.4 };
        Mark::Line { from, to, colour: GRID, width, dashed: false }
    };
    for tick in xs.ticks() {
        let x = left + tick.at * WIDTH;
        out.push(grid((x, top), (x, top + HEIGHT), tick.label.is_some()));
        out.extend(number((x, top + HEIGHT + 16.0), &tick.label, Anchor::Middle));
    }
    for tick in ys.ticks() {
        let y = top + (1.0 - tick.at) * HEIGHT;
        out.push(grid((left, y), (left + WIDTH, y), tick.label.is_some()));
        out.extend(number((left - 8.0, y + 4.0), &tick.label, Anchor::End));
    }
    out.push(Mark::Frame { at: (left, top), size: (WIDTH, HEIGHT) });
    let below = (left + WIDTH / 2.0, top + HEIGHT + 38.0);
    out.push(Mark::text(below, &plot.x.label, Anchor::Middle));
    let beside = Mark::text((left - 56.0, top + HEIGHT / 2.0), &plot.y.label, Anchor::Middle);
    out.push(sized(beside, 12.0, false, true));
    if let Some((y, name)) = plot.level.as_ref().filter(|(y, _)| fits(&plot.y, *y)) {
        let y = py(*y);
        let (from, to) = ((left, y), (left + WIDTH, y));
        out.push(Mark::Line { from, to, colour: INK, width: 1.0, dashed: true });
        let name = Mark::text((left + 6.0, y - 4.0), name, Anchor::Start);
        out.push(sized(name, 11.0, false, false));
    }
    for series in &plot.series {
        let look = style(series);
        // a point that cannot be placed is a gap in the curve
        let place = |(x, y): &(f64, f64)| {
            (fits(&plot.x, *x) && fits(&plot.y, *y)).then(|| (px(*x), py(*y)))
        };
        let places: Vec<Option<(f64, f64)>> = series.points.iter().map(place).collect();
        for piece in places.split(Option::is_none) {
            let mut points: Vec<(f64, f64)> = Vec::with_capacity(piece.len());
            for (x, y) in piece.iter().flatten() {
                if let Some((_, before)) = points.last().copied().filter(|_| series.stairs) {
                    points.push((*x, before));
                }
                points.push((*x, *y));
            }
            if points.len() > 1 {
                out.push(Mark::Curve { points, colour: colour(look) });
            }
        }
        if series.markers {
            let marks = places.iter().flatten();
            out.extend(marks.map(|at| Mark::Marker { style: look, at: *at }));
        }
    }
}

fn sized(mark: Mark, new_size: f64, heavy: bool, up: bool) -> Mark {
    match mark {
        Mark::Text { at, words, anchor, .. } => {
            Mark::Text { at, words, size: new_size, bold: heavy, anchor, rising: up }
        }
        other => other,
    }
}

fn number(at: (f64, f64), label: &Option<Label>, anchor: Anchor) -> Option<Mark> {
    let words = match label.as_ref()? {
        Label::Plain(s) => Words::Plain(s.clone()),
        Label::Power(0) => Words::Plain("1".to_owned()),
        Label::Power(k) => Words::Power(*k),
    };
    Some(Mark::Text { at, words, size: 12.0, bold: false, anchor, rising: false })
}
