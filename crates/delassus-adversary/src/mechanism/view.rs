//! The same mechanism described in another way: moved, in other units, at another time, with other names.

use super::turn::{Turn, V3, add};

/// Powers of length, mass and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dim(pub i32, pub i32, pub i32);

impl Dim {
    pub const NONE: Dim = Dim(0, 0, 0);
    pub const LENGTH: Dim = Dim(1, 0, 0);
    pub const MASS: Dim = Dim(0, 1, 0);
    pub const TIME: Dim = Dim(0, 0, 1);
    pub const SPEED: Dim = Dim(1, 0, -1);
    pub const RATE: Dim = Dim(0, 0, -1);
    pub const ACCELERATION: Dim = Dim(1, 0, -2);
    pub const INERTIA: Dim = Dim(2, 1, 0);
    pub const FORCE: Dim = Dim(1, 1, -2);
    pub const TORQUE: Dim = Dim(2, 1, -2);

    /// Product.
    pub const fn times(self, o: Dim) -> Dim {
        Dim(self.0 + o.0, self.1 + o.1, self.2 + o.2)
    }

    /// Quotient.
    pub const fn over(self, o: Dim) -> Dim {
        Dim(self.0 - o.0, self.1 - o.1, self.2 - o.2)
    }

    /// Whole power.
    pub const fn power(self, n: i32) -> Dim {
        Dim(self.0 * n, self.1 * n, self.2 * n)
    }
}

/// How a mechanism is written into a file. The columns of the results are the same in all views, up to
/// [`View::unit`].
#[derive(Debug, Clone)]
pub struct View {
    /// Position of the stage on which everything happens.
    pub at: V3,
    /// Orientation of the stage.
    pub turn: Turn,
    /// Metres, kilograms and seconds of this view per unit of the mechanism.
    pub units: [f64; 3],
    /// Start time, in seconds of the mechanism.
    pub shift: f64,
    /// Where the run begins, in seconds after the start of the mechanism.
    pub begin: f64,
    /// The order of entries and the names are shuffled with this seed.
    pub mixed: Option<u64>,
    /// How many times every joint with rows of its own is written.
    pub copies: usize,
    /// End and number of samples that replace those of the mechanism.
    pub span: Option<(f64, u32)>,
    /// The `[method]` table.
    pub method: Method,
}

/// Settings of a run.
#[derive(Debug, Clone, Default)]
pub struct Method {
    pub name: Option<&'static str>,
    pub rtol: Option<f64>,
    pub max_step: Option<f64>,
    pub step: Option<f64>,
    pub scheme: Option<&'static str>,
}

impl View {
    /// The mechanism as it is.
    pub fn plain() -> View {
        View {
            at: [0.0; 3],
            turn: Turn::NONE,
            units: [1.0; 3],
            shift: 0.0,
            begin: 0.0,
            mixed: None,
            copies: 1,
            span: None,
            method: Method::default(),
        }
    }

    /// The mechanism as it is, with settings of a run.
    pub fn with(method: Method) -> View {
        View { method, ..View::plain() }
    }

    /// The value of one unit of the mechanism in this view.
    pub fn unit(&self, dim: Dim) -> f64 {
        let [l, m, t] = self.units;
        l.powi(dim.0) * m.powi(dim.1) * t.powi(dim.2)
    }

    /// A number as written in a file.
    pub fn bare(&self, x: f64, dim: Dim) -> String {
        let y = if x == 0.0 { 0.0 } else { x * self.unit(dim) };
        if y == y.round() && y.abs() < 1e9 { format!("{y:.0}") } else { format!("{y:?}") }
    }

    /// A number as written in a formula.
    pub fn number(&self, x: f64, dim: Dim) -> String {
        let text = self.bare(x, dim);
        if text.starts_with('-') { format!("({text})") } else { text }
    }

    /// A list of numbers.
    pub fn list(&self, v: &[f64], dim: Dim) -> String {
        let texts: Vec<String> = v.iter().map(|x| self.bare(*x, dim)).collect();
        format!("[{}]", texts.join(", "))
    }

    /// A point of the stage in the ground frame.
    pub fn place(&self, p: V3) -> V3 {
        add(self.at, self.turn.of(p))
    }

    /// Whether the stage coincides with the ground.
    pub fn stands_still(&self) -> bool {
        self.at == [0.0; 3] && self.turn == Turn::NONE
    }
}
