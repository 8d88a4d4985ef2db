//! A picture before it is written: lines, curves and text at positions. The drawing of a plot is the same for SVG and
//! PNG; only the last step differs.

/// Colour of text and frames.
pub(super) const INK: &str = "#222222";

/// Which part of a text is at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Words {
    Plain(String),
    /// Ten to this power.
    Power(i32),
}

/// Something to draw; later ones lie above earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mark {
    Line {
        from: (f64, f64),
        to: (f64, f64),
        colour: &'static str,
        width: f64,
        dashed: bool,
    },
    /// The outline of a rectangle.
    Frame {
        at: (f64, f64),
        size: (f64, f64),
    },
    Curve {
        points: Vec<(f64, f64)>,
        colour: &'static str,
    },
    Marker {
        style: usize,
        at: (f64, f64),
    },
    Text {
        at: (f64, f64),
        words: Words,
        size: f64,
        bold: bool,
        anchor: Anchor,
        /// Reads from bottom to top.
        rising: bool,
    },
}

impl Mark {
    /// A plain text.
    pub fn text(at: (f64, f64), words: &str, anchor: Anchor) -> Mark {
        let words = Words::Plain(words.to_owned());
        Mark::Text { at, words, size: 12.0, bold: false, anchor, rising: false }
    }
}

/// A whole picture.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Picture {
    pub width: f64,
    pub height: f64,
    pub marks: Vec<Mark>,
}
