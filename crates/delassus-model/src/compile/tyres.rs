//! Tyres: properties that wheels share.

use super::context::{Env, Path};
use super::scalars::{Vars, constants};
use crate::fields::EntryType;
use crate::spec::{ModelSpec, RateSpec, Scalar, SlipCurveSpec, SlipSpec, TyreSpec, TyreType};
use crate::{SlipLaw, TyreData, Vertical, var};
use delassus_expr::Dim;
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

/// All tyres; `None` of those that are faulty.
pub(super) type Tyres = BTreeMap<String, Option<Arc<TyreData>>>;

/// Speed below which slip is regularised unless another is given, m/s.
const LOW_SPEED: f64 = 0.5;
/// Force without depth that counts as zero, in nominal loads.
const NO_FORCE: f64 = 1e-9;
const SLIP_HELP: &str = "give a force larger than 0";

pub(super) fn compile(env: Env<'_>, spec: &ModelSpec) -> Tyres {
    let root = Path::root("tyre");
    let one = |(entry, (name, t)): (usize, (&str, &TyreSpec))| {
        let (env, path) = (env.at(entry, &[]), root.field(name));
        env.check_fields(&path, t.kind.entry(), t);
        (name.to_owned(), Entry { env: &env, spec: t, path: &path }.tyre().map(Arc::new))
    };
    spec.tyre.iter().enumerate().map(one).collect()
}

struct Entry<'e> {
    env: &'e Env<'e>,
    spec: &'e TyreSpec,
    path: &'e Path<'e>,
}

impl Entry<'_> {
    fn entry(&self) -> &'static EntryType {
        self.spec.kind.entry()
    }

    fn number(&self, name: &str, value: &Option<Scalar>, default: f64) -> Option<f64> {
        let x = self.env.number(self.path, self.entry(), name, value.as_ref())?;
        Some(x.unwrap_or(default))
    }

    fn tyre(&self) -> Option<TyreData> {
        let s = self.spec;
        let radius = self.number("radius", &s.radius, 0.0);
        let load = self.number("load", &s.load, 0.0);
        let friction = self.number("friction", &s.friction, 1.0);
        let vertical = self.vertical(load);
        let damping = self.number("damping", &s.damping, 0.0);
        let lateral = match &s.lateral {
            Some(law) => self.law(law, "lateral", load, friction),
            None => {
                self.env.needed(self.path, self.entry(), "lateral");
                None
            }
        };
        let longitudinal = match &s.longitudinal {
            Some(law) => self.law(law, "longitudinal", load, friction),
            None => lateral,
        };
        let relaxation = self.relaxation(radius);
        let slip_damping = self.number("slip_damping", &s.slip_damping, 0.0);
        let low_speed = self.number("low_speed", &s.low_speed, LOW_SPEED);
        let trail = self.number("trail", &s.trail, 0.0);
        let camber = self.number("camber", &s.camber, 0.0);
        let rolling_resistance = self.number("rolling_resistance", &s.rolling_resistance, 0.0);
        Some(TyreData {
            radius: radius?,
            load: load?,
            vertical: vertical?,
            damping: damping?,
            slip: [longitudinal?, lateral?],
            relaxation: relaxation?,
            slip_damping: slip_damping?,
            low_speed: low_speed?,
            trail: trail?,
            camber: camber?,
            rolling_resistance: rolling_resistance?,
        })
    }

    fn vertical(&self, load: Option<f64>) -> Option<Vertical> {
        let (env, s) = (self.env, self.spec);
        let Some(force) = &s.force else {
            if s.stiffness.is_none() {
                let help = "give the vertical stiffness, such as \"200 kN/m\", or `force` as an expression of `depth`";
                env.missing(&self.path.field("stiffness"), "a tyre", help);
                return None;
            }
            let k = self.number("stiffness", &s.stiffness, 0.0);
            let k2 = self.number("progression", &s.progression, 0.0);
            return Some(Vertical::Polynomial([k?, k2?]));
        };
        let given =
            [("stiffness", s.stiffness.is_some()), ("progression", s.progression.is_some())];
        env.unused(self.path, "a tyre with a `force` expression", &given, &["force"]);
        let path = self.path.field("force");
        let vars = Vars { locals: &[("depth", var::COORDINATE)], sensors: None };
        let e = env.expression(force, &path, Dim::FORCE, vars)?;
        if e.variables().contains(&var::T) {
            let message = "the force changes with time, but may depend on `depth` only".to_owned();
            env.range(&path, message, "use `depth`");
            return None;
        }
        let at_zero = e.eval(&[0.0, 0.0]);
        if !(at_zero.abs() <= NO_FORCE * load?) {
            let message =
                format!("the force at depth 0 is {at_zero} N, so it would jump at contact");
            env.range(&path, message, "begin with no force");
            return None;
        }
        Some(Vertical::Expression(e))
    }

    fn relaxation(&self, radius: Option<f64>) -> Option<[f64; 2]> {
        let path = self.path.field("relaxation");
        let list = match &self.spec.relaxation {
            None => return radius.map(|r| [r, r]),
            Some(RateSpec::Planar(x)) => vec![self.env.constant(x, &path, Dim::LENGTH)?],
            Some(RateSpec::Spatial(list)) => constants(self.env, list, &path, Dim::LENGTH)?,
        };
        let both = match list[..] {
            [x] => [x, x],
            [x, y] => [x, y],
            _ => {
                self.env.shape(&path, list.len(), "one length, or two along and across the wheel");
                return None;
            }
        };
        if let Some(x) = both.into_iter().find(|x| !(*x >= 0.0)) {
            let message = format!("`relaxation` is {x} m, but must not be negative");
            self.env.range(&path, message, "give a length, or 0 for forces without delay");
            return None;
        }
        Some(both)
    }

    fn law(
        &self,
        spec: &SlipSpec,
        field: &str,
        load: Option<f64>,
        friction: Option<f64>,
    ) -> Option<SlipLaw> {
        let path = self.path.field(field);
        match (self.spec.kind, spec) {
            (TyreType::Linear | TyreType::Tanh, SlipSpec::Stiffness(value)) => {
                let slope = self.positive(value, &path, Dim::FORCE, "the slip stiffness")?;
                Some(match self.spec.kind {
                    TyreType::Tanh => SlipLaw::Tanh { slope, friction: friction? },
                    _ => SlipLaw::Linear { slope },
                })
            }
            (TyreType::Tmeasy, SlipSpec::Curve(curve)) => self.tmeasy(curve, &path),
            (TyreType::MagicFormula, SlipSpec::Curve(curve)) => {
                load.and(self.magic_formula(curve, &path))
            }
            (TyreType::Linear | TyreType::Tanh, _) => {
                self.env.wrong_form(&path, "a table", "one number, N per unit of slip or radian");
                None
            }
            (TyreType::Tmeasy, _) => {
                let wanted = "a table with slope, peak_slip, peak, slide_slip and slide";
                self.env.wrong_form(&path, "one number", wanted);
                None
            }
            (TyreType::MagicFormula, _) => {
                self.env.wrong_form(&path, "one number", "a table with B, C, D and E");
                None
            }
        }
    }

    fn positive(&self, value: &Scalar, path: &Path<'_>, dim: Dim, what: &str) -> Option<f64> {
        let x = self.env.constant(value, path, dim)?;
        if x > 0.0 {
            return Some(x);
        }
        self.env.range(path, format!("{what} is {x}, but must be more than 0"), SLIP_HELP);
        None
    }

    /// A number of a curve that must be given.
    fn of_curve(
        &self,
        value: &Option<Scalar>,
        path: &Path<'_>,
        name: &str,
        dim: Dim,
    ) -> Option<f64> {
        let path = path.field(name);
        match value {
            Some(value) => self.positive(value, &path, dim, &format!("`{name}`")),
            None => {
                self.env.missing(&path, "the curve", "see the page on tyres for what it means");
                None
            }
        }
    }

    fn tmeasy(&self, c: &SlipCurveSpec, path: &Path<'_>) -> Option<SlipLaw> {
        let foreign = [
            ("B", c.b.is_some()),
            ("C", c.c.is_some()),
            ("D", c.d.is_some()),
            ("E", c.e.is_some()),
            ("D_load", c.d_load.is_some()),
            ("stiffest_load", c.stiffest_load.is_some()),
        ];
        let own = ["slope", "peak_slip", "peak", "slide_slip", "slide", "double"];
        self.env.unused(path, "a TMeasy curve", &foreign, &own);
        let one = [
            self.of_curve(&c.slope, path, "slope", Dim::FORCE),
            self.of_curve(&c.peak_slip, path, "peak_slip", Dim::NONE),
            self.of_curve(&c.peak, path, "peak", Dim::FORCE),
            self.of_curve(&c.slide_slip, path, "slide_slip", Dim::NONE),
            self.of_curve(&c.slide, path, "slide", Dim::FORCE),
        ];
        let [Some(a), Some(b), Some(p), Some(d), Some(q)] = one else { return None };
        let one = [a, b, p, d, q];
        let two = match c.double.len() {
            0 => [2.0 * a, b, 2.0 * p, d, 2.0 * q],
            5 => {
                let at = path.field("double");
                let mut two = [0.0; 5];
                for (k, value) in c.double.iter().enumerate() {
                    let dim = if matches!(k, 1 | 3) { Dim::NONE } else { Dim::FORCE };
                    two[k] = self.positive(value, &at.index(k), dim, own[k])?;
                }
                two
            }
            n => {
                self.env.shape(&path.field("double"), n, "5 numbers, as those at the nominal load");
                return None;
            }
        };
        for (k, [_, s_top, top, s_last, last]) in [one, two].into_iter().enumerate() {
            if !(s_top < s_last) || !(last <= top) {
                let at = path.field(if k == 0 { "slide_slip" } else { "double" });
                let message = format!(
                    "sliding begins at slip {s_last} with {last} N, but the peak is at {s_top} with {top} N"
                );
                self.env.range(&at, message, "sliding comes after the peak, with no larger force");
                return None;
            }
            // beyond twice the load slips go on in a straight line and must stay apart
            if k == 1
                && (2.0 * one[1] <= s_top
                    || 2.0 * one[3] <= s_last
                    || one[1] > s_top
                    || one[3] > s_last)
            {
                let message = "slips at twice the load must be at least those at the load, and less than twice them".to_owned();
                self.env.range(
                    &path.field("double"),
                    message,
                    "peaks move out a little with the load",
                );
                return None;
            }
        }
        Some(SlipLaw::Tmeasy { one, two })
    }

    fn magic_formula(&self, s: &SlipCurveSpec, path: &Path<'_>) -> Option<SlipLaw> {
        let foreign = [
            ("slope", s.slope.is_some()),
            ("peak_slip", s.peak_slip.is_some()),
            ("peak", s.peak.is_some()),
            ("slide_slip", s.slide_slip.is_some()),
            ("slide", s.slide.is_some()),
            ("double", !s.double.is_empty()),
        ];
        let own = ["B", "C", "D", "E", "D_load", "stiffest_load"];
        self.env.unused(path, "the magic formula", &foreign, &own);
        let b = self.of_curve(&s.b, path, "B", Dim::NONE);
        let c = self.of_curve(&s.c, path, "C", Dim::NONE);
        let d = self.of_curve(&s.d, path, "D", Dim::NONE);
        let read = |value: &Option<Scalar>, name: &str| match value {
            Some(value) => self.env.constant(value, &path.field(name), Dim::NONE).map(Some),
            None => Some(None),
        };
        let e = read(&s.e, "E")?.unwrap_or(0.0);
        if e > 1.0 {
            let message = format!("E is {e}, but must be at most 1");
            self.env.range(&path.field("E"), message, "above 1 the curve has no meaning");
            return None;
        }
        let d_load = read(&s.d_load, "D_load")?.unwrap_or(0.0);
        let stiffest_load = read(&s.stiffest_load, "stiffest_load")?;
        if let Some(p) = stiffest_load.filter(|p| !(*p > 0.0)) {
            let message = format!("`stiffest_load` is {p}, but must be more than 0");
            self.env.range(&path.field("stiffest_load"), message, "give nominal loads, such as 2");
            return None;
        }
        let (b, c, d) = (b?, c?, d?);
        if c >= 2.0 {
            let message = format!("C is {c}, but must be less than 2");
            self.env.range(&path.field("C"), message, "at 2 and above the force turns round");
            return None;
        }
        if !(d > d_load && d + d_load > 0.0) {
            let message = format!("`D_load` is {d_load}, but must be between -D and D = {d}");
            self.env.range(
                &path.field("D_load"),
                message,
                "it is the change of D per nominal load",
            );
            return None;
        }
        let peak = magic_formula_peak(c, e);
        Some(SlipLaw::MagicFormula { b, c, d, e, d_load, stiffest_load, peak })
    }
}

/// B s of the largest force; where there is none, that at which a straight line would reach D.
pub(crate) fn magic_formula_peak(c: f64, e: f64) -> f64 {
    let straight = 1.0 / c;
    if c <= 1.0 {
        return straight;
    }
    // x (1 − E) + E atan x rises for E ≤ 1
    let wanted = (FRAC_PI_2 / c).tan();
    let rises = |x: f64| x * (1.0 - e) + e * x.atan() >= wanted;
    let Some(mut high) = (0..60).map(|k| f64::from(k).exp2()).find(|x| rises(*x)) else {
        return straight;
    };
    let mut low = 0.0;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if rises(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
