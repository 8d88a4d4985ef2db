//! What a reduction keeps.

use crate::FlexError;

/// Which modes a body gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// How the body is held while it vibrates.
    pub boundary: Boundary,
    /// How many modes.
    pub keep: Keep,
    /// Where points may move.
    pub motion: Motion,
    /// Whether the second-order displacement ψ of the axis is there, which stiffens a beam that turns.
    pub shortening: bool,
    /// Damping.
    pub damping: Damping,
}

/// How the body is held.
#[derive(Debug, Clone, PartialEq)]
pub enum Boundary {
    /// The floating frame follows this node: modes of the body clamped there.
    Clamped {
        /// Name of the node.
        at: String,
    },
    /// The floating frame follows the mean motion: modes of the free body. They have neither momentum nor angular
    /// momentum (s_i = h_i = 0), so that the frame with its origin at the mass centre is that of the mean axes.
    Free,
    /// The floating frame follows the first of these nodes. Modes are those of the body clamped there, made of the
    /// shapes that displacements and rotations of the other nodes make, and of vibrations with all of them held (Craig
    /// and Bampton).
    Interface {
        /// Names of the nodes.
        nodes: Vec<String>,
    },
}

/// How many modes.
#[derive(Debug, Clone, PartialEq)]
pub enum Keep {
    /// The lowest ones. With [`Boundary::Interface`]: vibrations with all nodes held.
    Lowest(usize),
    /// Those up to this angular frequency, rad/s.
    Below(f64),
    /// These, counted from 1 in the order of frequencies.
    Numbers(Vec<usize>),
}

/// Where points may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// Everywhere.
    Spatial,
    /// In the x-y plane of the body.
    Planar,
}

/// Damping of the modes.
#[derive(Debug, Clone, PartialEq)]
pub enum Damping {
    /// D = α M + β K.
    Rayleigh {
        /// α, 1/s.
        mass: f64,
        /// β, s.
        stiffness: f64,
    },
    /// Parts of the critical damping: one of all modes, or one of each.
    Ratios(Vec<f64>),
}

impl Damping {
    /// Damping of modes of so much mass and stiffness.
    pub(crate) fn of(&self, mass: &[f64], stiffness: &[f64]) -> Result<Vec<f64>, FlexError> {
        let n = mass.len();
        let good = |x: &f64| *x >= 0.0 && x.is_finite();
        let numbers = match self {
            Damping::Rayleigh { mass, stiffness } => vec![*mass, *stiffness],
            Damping::Ratios(ratios) => ratios.clone(),
        };
        if let Some(x) = numbers.iter().find(|x| !good(x)) {
            return Err(FlexError::Option(format!("damping of {x} would feed energy in")));
        }
        Ok(match self {
            Damping::Rayleigh { mass: a, stiffness: b } => {
                (0..n).map(|i| a * mass[i] + b * stiffness[i]).collect()
            }
            Damping::Ratios(ratios) => {
                if ratios.len() != 1 && ratios.len() != n {
                    let what = "the list of damping ratios".to_owned();
                    return Err(FlexError::Size { what, expected: n, got: ratios.len() });
                }
                let ratio = |i: usize| if ratios.len() == 1 { ratios[0] } else { ratios[i] };
                (0..n).map(|i| 2.0 * ratio(i) * (mass[i] * stiffness[i]).sqrt()).collect()
            }
        })
    }
}

impl Keep {
    /// Which of the modes with these angular frequencies, ascending, are kept.
    pub(crate) fn of(
        &self,
        frequencies: &[f64],
        freedoms: usize,
        or_none: bool,
    ) -> Result<Vec<usize>, FlexError> {
        let there = frequencies.len();
        let enough = |asked: usize| {
            if asked <= there {
                return Ok(());
            }
            let massless = match freedoms - there {
                0 => String::new(),
                k => format!(", {k} of them without mass"),
            };
            Err(FlexError::TooManyModes { asked, there, freedoms, massless })
        };
        match self {
            Keep::Lowest(n) => enough(*n).map(|()| (0..*n).collect()),
            Keep::Below(limit) => {
                if !(*limit > 0.0) {
                    let text = format!("a frequency limit of {limit} rad/s leaves no modes");
                    return Err(FlexError::Option(text));
                }
                let n = frequencies.partition_point(|w| w <= limit);
                match frequencies.first() {
                    Some(&lowest) if n == 0 && !or_none => {
                        Err(FlexError::NoModes { limit: *limit, lowest })
                    }
                    _ => Ok((0..n).collect()),
                }
            }
            Keep::Numbers(numbers) => {
                for (k, number) in numbers.iter().enumerate() {
                    enough(*number)?;
                    if *number == 0 || numbers[..k].contains(number) {
                        let text = format!(
                            "mode {number} in the list of modes: they are counted from 1, each once"
                        );
                        return Err(FlexError::Option(text));
                    }
                }
                let mut sorted: Vec<usize> = numbers.iter().map(|k| k - 1).collect();
                sorted.sort_unstable();
                Ok(sorted)
            }
        }
    }
}
