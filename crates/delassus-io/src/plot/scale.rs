//! From values to positions on an axis, and where its ticks are.

use super::Axis;

/// Room for a number beside the vertical axis, in characters.
const ROOM: usize = 7;

/// A range of values on an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    log: bool,
    /// In decades for a logarithmic axis.
    from: f64,
    to: f64,
}

/// A tick, or only a thin grid line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    /// Position from 0 to 1.
    pub at: f64,
    /// Text; none for a thin line between decades.
    pub label: Option<Label>,
}

/// Text of a tick.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Label {
    /// A number as it is.
    Plain(String),
    /// Ten to this power.
    Power(i32),
}

/// Whether a value can be placed on the axis.
pub(super) fn fits(axis: &Axis, x: f64) -> bool {
    x.is_finite() && (!axis.log || x > 0.0)
}

impl Scale {
    /// The range of the given values, rounded out to whole decades or padded a little.
    pub fn around(axis: &Axis, values: impl Iterator<Item = f64>) -> Scale {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in values.filter(|x| fits(axis, *x)) {
            from = from.min(x);
            to = to.max(x);
        }
        if from > to {
            (from, to) = (if axis.log { 0.1 } else { 0.0 }, 1.0);
        }
        if axis.log {
            let (mut from, mut to) = (from.log10().floor(), to.log10().ceil());
            if from == to {
                from -= 1.0;
                to += 1.0;
            }
            return Scale { log: true, from, to };
        }
        if from == to {
            let pad = if from == 0.0 { 1.0 } else { from.abs() * 0.5 };
            (from, to) = (from - pad, to + pad);
        }
        Scale { log: false, from, to }
    }

    /// The same range with margins at both ends; decades have them already.
    pub fn padded(self) -> Scale {
        if self.log {
            return self;
        }
        let pad = 0.04 * (self.to - self.from);
        Scale { from: self.from - pad, to: self.to + pad, ..self }
    }

    /// Both axes with the same length per unit, in a frame that is `ratio` times as wide as high; the range that is too
    /// narrow is widened about its middle.
    pub fn alike(x: Scale, y: Scale, ratio: f64) -> (Scale, Scale) {
        let span = |s: &Scale| s.to - s.from;
        let wider = |s: Scale, by: f64| {
            let (middle, half) = ((s.from + s.to) / 2.0, by / 2.0);
            Scale { from: middle - half, to: middle + half, ..s }
        };
        match span(&x) < ratio * span(&y) {
            true => (wider(x, ratio * span(&y)), y),
            false => (x, wider(y, span(&x) / ratio)),
        }
    }

    /// Position of a value from 0 to 1.
    pub fn place(&self, x: f64) -> f64 {
        let x = if self.log { x.log10() } else { x };
        (x - self.from) / (self.to - self.from)
    }

    /// Ticks from left to right.
    pub fn ticks(&self) -> Vec<Tick> {
        if self.log { self.decades() } else { self.round_numbers() }
    }

    fn decades(&self) -> Vec<Tick> {
        let (from, to) = (self.from as i32, self.to as i32);
        let every = (to - from) / 10 + 1;
        let mut ticks = Vec::new();
        for k in from..=to {
            let at = self.place(10f64.powi(k));
            let label = ((k - from) % every == 0).then_some(Label::Power(k));
            ticks.push(Tick { at, label });
            if to - from <= 4 && k < to {
                let between = (2..10).map(|m| f64::from(m) * 10f64.powi(k));
                ticks.extend(between.map(|x| Tick { at: self.place(x), label: None }));
            }
        }
        ticks
    }

    fn round_numbers(&self) -> Vec<Tick> {
        let rough = (self.to - self.from) / 6.0;
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|m| m * decade)
            .find(|s| *s >= rough)
            .unwrap_or(rough);
        let first = (self.from / step - 1e-9).ceil() as i64;
        let last = (self.to / step + 1e-9).floor() as i64;
        let numbers: Vec<f64> = (first..=last).map(|k| k as f64 * step).collect();
        let labels = labels(&numbers, step);
        numbers
            .iter()
            .zip(labels)
            .map(|(x, label)| Tick { at: self.place(*x), label: Some(Label::Plain(label)) })
            .collect()
    }
}

/// Decimal numbers if they fit, or if powers of ten are no shorter.
fn labels(numbers: &[f64], step: f64) -> Vec<String> {
    let digits = (-step.log10().floor()).max(0.0) as usize;
    let plain: Vec<String> = numbers.iter().map(|x| format!("{x:.digits$}")).collect();
    let power = |x: &f64| {
        let digits = (x.abs().log10().floor() - step.log10().floor()).max(0.0) as usize;
        if *x == 0.0 { "0".to_owned() } else { format!("{x:.digits$e}") }
    };
    let powers: Vec<String> = numbers.iter().map(power).collect();
    let longest = |list: &[String]| list.iter().map(String::len).max().unwrap_or(0);
    if longest(&plain) <= ROOM || longest(&plain) <= longest(&powers) { plain } else { powers }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_decades() {
        let s = Scale::around(&Axis::log(""), [3e-3, 0.0, -1.0, f64::NAN, 40.0].into_iter());
        assert_eq!((s.place(1e-3), s.place(1e2)), (0.0, 1.0));
        let labels: Vec<_> = s.ticks().into_iter().filter_map(|t| t.label).collect();
        assert_eq!(labels, [-3, -2, -1, 0, 1, 2].map(Label::Power));
        let one = Scale::around(&Axis::log(""), std::iter::once(1.0));
        assert_eq!(
            (one.place(1.0), one.ticks().iter().filter(|t| t.label.is_some()).count()),
            (0.5, 3)
        );
        let none = Scale::around(&Axis::log(""), std::iter::empty());
        assert_eq!(none.place(1.0), 1.0);
    }

    #[test]
    fn labels_are_short() {
        let of = |from: f64, to: f64| {
            let s = Scale::around(&Axis::linear(""), [from, to].into_iter());
            let text = |t: Tick| match t.label {
                Some(Label::Plain(text)) => text,
                _ => String::new(),
            };
            s.ticks().into_iter().map(text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(-6e-6, 6e-6), "-6e-6 -4e-6 -2e-6 0 2e-6 4e-6 6e-6");
        assert_eq!(of(0.0, 1.2e-5), "0 2e-6 4e-6 6e-6 8e-6 1.0e-5 1.2e-5");
        assert_eq!(of(0.0, 3e9), "0 5e8 1.0e9 1.5e9 2.0e9 2.5e9 3.0e9");
        assert_eq!(of(-5e-4, 5e-4), "-0.0004 -0.0002 0.0000 0.0002 0.0004");
        // powers would be no shorter
        assert_eq!(
            of(0.010050, 0.010053),
            "0.0100500 0.0100505 0.0100510 0.0100515 0.0100520 0.0100525 0.0100530"
        );
    }

    #[test]
    fn round_numbers() {
        let s = Scale::around(&Axis::linear(""), [0.0, 2.0].into_iter());
        let labels: Vec<_> = s.ticks().into_iter().filter_map(|t| t.label).collect();
        let expected = ["0.0", "0.5", "1.0", "1.5", "2.0"].map(|t| Label::Plain(t.to_owned()));
        assert_eq!(labels, expected);
        assert_eq!(s.place(1.0), 0.5);
    }
}
