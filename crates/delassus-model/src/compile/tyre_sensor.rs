//! Sensors of tyres.

use super::repeat::Expanded;
use super::sensors::{Column, Entry, column};
use crate::fields::TYRE;
use crate::{Measure, TyreMeasure};

/// The forces of a model by name, before they are compiled.
#[derive(Clone, Copy)]
pub(super) struct Forces<'p> {
    pub(super) names: &'p Expanded,
    /// Whether one is a tyre.
    pub(super) is_tyre: &'p dyn Fn(usize) -> bool,
}

/// Unit and meaning of a column.
fn meaning(word: &str) -> (&'static str, TyreMeasure) {
    use TyreMeasure as M;
    match word {
        "fx" => ("N", M::Force(0)),
        "fy" => ("N", M::Force(1)),
        "fz" => ("N", M::Force(2)),
        "mz" => ("N*m", M::Aligning),
        "slip" => ("1", M::Slip),
        "angle" => ("rad", M::SlipAngle),
        "depth" => ("m", M::Depth),
        "camber" => ("rad", M::Camber),
        "x" => ("m", M::Point(0)),
        "y" => ("m", M::Point(1)),
        "z" => ("m", M::Point(2)),
        "height" => ("m", M::Height),
        "ux" => ("m", M::Deflection(0)),
        _ => ("m", M::Deflection(1)),
    }
}

impl Entry<'_> {
    /// The columns of a tyre, and its name as their frame.
    pub(super) fn tyre(&self) -> Option<(Vec<Column>, String)> {
        let component = self.component();
        let Some(text) = &self.spec.tyre else {
            self.env.needed(self.path, self.spec.kind.entry(), "tyre");
            return None;
        };
        let path = self.path.field("tyre");
        let name = self.env.text(text, &path)?;
        let Forces { names, is_tyre } = self.parts.forces;
        let Some(&force) = names.ids.get(&*name) else {
            if !names.incomplete {
                let tyres = names.ids.iter().filter(|(_, k)| is_tyre(**k));
                self.env.unknown(&path, "tyre", &name, tyres.map(|(name, _)| name.as_str()));
            }
            return None;
        };
        if !is_tyre(force) {
            let message = format!("`{name}` is not a force of type `tyre`");
            self.env.range(&path, message, "name a force of type `tyre`");
            return None;
        }
        let make = |suffix, word| {
            let (unit, what) = meaning(word);
            column(suffix, unit, Measure::Tyre(force, what))
        };
        let columns = match component? {
            Some(word) => vec![make("", word)],
            None => TYRE.iter().map(|word| make(*word, word)).collect(),
        };
        Some((columns, name.into_owned()))
    }
}
