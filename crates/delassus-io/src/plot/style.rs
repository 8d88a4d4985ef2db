//! Colours and markers that every reader can tell apart, also in black and white.

/// Colours of M. Okabe and K. Ito that are dark enough for thin lines on white.
const COLOURS: [&str; 7] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];

/// Shapes around the origin, radius about 4. Their number has no common factor with that of the colours, so 56
/// combinations differ.
const MARKERS: [&str; 8] = [
    "M-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0Z",
    "M-3.2,-3.2H3.2V3.2H-3.2Z",
    "M0,-4.2L3.9,2.8H-3.9Z",
    "M0,-4.6L4,0L0,4.6L-4,0Z",
    "M0,4.2L3.9,-2.8H-3.9Z",
    "M-3.4,-3.4L3.4,3.4M-3.4,3.4L3.4,-3.4",
    "M-4.2,0H4.2M0,-4.2V4.2",
    "M-4,0L-2,-3.6H2L4,0L2,3.6H-2Z",
];

/// Markers made of strokes instead of filled areas.
const STROKES: [usize; 2] = [5, 6];

pub(super) fn colour(style: usize) -> &'static str {
    COLOURS[style % COLOURS.len()]
}

/// Marker at a place.
pub(super) fn marker(style: usize, x: f64, y: f64) -> String {
    let k = style % MARKERS.len();
    let colour = colour(style);
    let paint = if STROKES.contains(&k) {
        format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"")
    } else {
        format!("fill=\"{colour}\"")
    };
    format!("<path d=\"{}\" transform=\"translate({x:.1},{y:.1})\" {paint}/>\n", MARKERS[k])
}

/// The same marker as lines around the origin, for raster images.
pub(super) fn outline(style: usize) -> Vec<Vec<(f64, f64)>> {
    let ring = |n: u32, r: f64, turn: f64| -> Vec<(f64, f64)> {
        let angle = |k: u32| std::f64::consts::TAU * (f64::from(k) / f64::from(n) + turn);
        (0..=n).map(|k| (r * angle(k).cos(), r * angle(k).sin())).collect()
    };
    let cross = |r: f64| vec![vec![(-r, -r), (r, r)], vec![(-r, r), (r, -r)]];
    match style % MARKERS.len() {
        0 => vec![ring(12, 2.6, 0.0), ring(6, 1.2, 0.0)],
        1 => vec![ring(4, 3.4, 0.125), ring(4, 1.4, 0.125)],
        2 => vec![ring(3, 3.4, -0.25), ring(3, 1.2, -0.25)],
        3 => vec![ring(4, 3.6, 0.0), ring(4, 1.4, 0.0)],
        4 => vec![ring(3, 3.4, 0.25), ring(3, 1.2, 0.25)],
        5 => cross(3.4),
        6 => vec![vec![(-4.2, 0.0), (4.2, 0.0)], vec![(0.0, -4.2), (0.0, 4.2)]],
        _ => vec![ring(6, 3.4, 0.0), ring(6, 1.4, 0.0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_series_differ() {
        let looks: std::collections::BTreeSet<String> =
            (0..56).map(|k| marker(k, 0.0, 0.0)).collect();
        assert_eq!(looks.len(), 56);
    }
}
