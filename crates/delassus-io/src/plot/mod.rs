//! Line plots as SVG text or PNG: enough for comparisons of methods and for results over time,
//! without a plotting library.
//!
//! ```
//! use delassus_io::plot::{Axis, Plot, Series};
//! let mut plot = Plot::new("cost of accuracy", Axis::log("CPU time, s"), Axis::log("error"));
//! plot.series.push(Series::new("mdop5", vec![(1e-3, 1e-5), (2e-3, 1e-7)]));
//! let svg = plot.svg();
//! assert!(svg.starts_with("<svg") && svg.contains("mdop5"));
//! ```

mod layout;
mod letters;
mod marks;
mod raster;
mod scale;
mod style;
mod svg;

pub use raster::png;
pub use svg::panels;

/// The label and the kind of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Text along the axis, with the unit.
    pub label: String,
    /// Logarithmic; values that are not positive are left out.
    pub log: bool,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: &str) -> Axis {
        Axis { label: label.to_owned(), log: false }
    }

    /// A logarithmic axis.
    pub fn log(label: &str) -> Axis {
        Axis { label: label.to_owned(), log: true }
    }
}

/// A line with markers.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points in order.
    pub points: Vec<(f64, f64)>,
    /// Number of the colour and marker; series with the same number look the same in all plots.
    pub style: usize,
    /// Draw a marker at each point.
    pub markers: bool,
    /// Keep the value of a point up to the next one.
    pub stairs: bool,
}

impl Series {
    /// A line with markers; [`Plot::svg`] numbers the styles of all series made this way.
    pub fn new(name: &str, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.to_owned(), points, style: 0, markers: true, stairs: false }
    }
}

/// A plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Heading.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Lines.
    pub series: Vec<Series>,
    /// A dashed line at this height, with its name.
    pub level: Option<(f64, String)>,
    /// Both axes have the same scale: circles are round.
    pub equal: bool,
}

impl Plot {
    /// A plot without lines.
    pub fn new(title: &str, x: Axis, y: Axis) -> Plot {
        Plot { title: title.to_owned(), x, y, series: Vec::new(), level: None, equal: false }
    }

    /// The whole picture.
    pub fn svg(&self) -> String {
        panels(std::slice::from_ref(self))
    }
}
