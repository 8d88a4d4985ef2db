//! Cross-sections of beams: area, second moments, torsion constant and shear factors.
//!
//! Torsion constants are those of free warping. A rectangle has it by its series; an I as the sum of its thin parts.
//! Shear factors of rectangle, circle and tube are those of Cowper (1966), which depend on Poisson's ratio; an I carries
//! shear along y in its web and along z as two rectangles in its flanges.

use super::context::{Env, Path};
use super::scalars::constants;
use crate::spec::{ModelSpec, Scalar, SectionSpec, SectionType};
use delassus_expr::Dim;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// All sections; `None` of those that are faulty.
pub(super) type Sections = BTreeMap<String, Option<Section>>;

/// m⁴.
const SECOND_MOMENT: Dim = Dim::known(4, 0, 0);
/// Terms of the series of a rectangle's torsion constant: the sum of all others is below 1e-16.
const TORSION_TERMS: usize = 600;

/// A cross-section.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section {
    /// m².
    pub(super) area: f64,
    /// Second moments about y and z, m⁴.
    pub(super) inertia: [f64; 2],
    /// Torsion constant, m⁴, where it is known.
    pub(super) torsion: Option<f64>,
    factors: Factors,
    /// Half of its extent along y and z, m, for pictures.
    pub(super) reach: [f64; 2],
}

/// Shear factors along y and z.
#[derive(Debug, Clone, Copy)]
enum Factors {
    Given([f64; 2]),
    Rectangle,
    /// Inner radius over outer one.
    Tube(f64),
}

impl Section {
    /// Shear factors along y and z for a Poisson's ratio.
    pub(super) fn shear_factors(&self, nu: f64) -> [f64; 2] {
        match self.factors {
            Factors::Given(factors) => factors,
            Factors::Rectangle => [10.0 * (1.0 + nu) / (12.0 + 11.0 * nu); 2],
            Factors::Tube(ratio) => {
                let m = ratio * ratio;
                let square = (1.0 + m) * (1.0 + m);
                let below = (7.0 + 6.0 * nu) * square + (20.0 + 12.0 * nu) * m;
                [6.0 * (1.0 + nu) * square / below; 2]
            }
        }
    }
}

/// All sections.
pub(super) fn compile(env: Env<'_>, spec: &ModelSpec) -> Sections {
    let root = Path::root("section");
    let one = |(entry, (name, s)): (usize, (&str, &SectionSpec))| {
        let (env, path) = (env.at(entry, &[]), root.field(name));
        env.check_fields(&path, s.kind.entry(), s);
        (name.to_owned(), Entry { env: &env, spec: s, path: &path }.section())
    };
    spec.section.iter().enumerate().map(one).collect()
}

struct Entry<'e> {
    env: &'e Env<'e>,
    spec: &'e SectionSpec,
    path: &'e Path<'e>,
}

impl Entry<'_> {
    fn number(&self, name: &str, value: &Option<Scalar>) -> Option<f64> {
        self.env.number(self.path, self.spec.kind.entry(), name, value.as_ref())?
    }

    /// Two numbers above zero; `Some(None)` where none are given.
    fn two(&self, name: &str, list: &[Scalar], dim: Dim) -> Option<Option<[f64; 2]>> {
        let path = self.path.field(name);
        match list.len() {
            0 => return Some(None),
            2 => {}
            n => {
                self.env.shape(&path, n, "2 numbers, for y and z");
                return None;
            }
        }
        let values = constants(self.env, list, &path, dim)?;
        for (k, x) in values.iter().enumerate() {
            if !(*x > 0.0) {
                let text = format!("`{name}` is {x}, but must be more than 0");
                self.env.range(&path.index(k), text, "give numbers for y and z");
                return None;
            }
        }
        Some(Some([values[0], values[1]]))
    }

    fn section(&self) -> Option<Section> {
        let spec = self.spec;
        let shear = self.two("shear", &spec.shear, Dim::NONE);
        let own = match spec.kind {
            SectionType::Rectangle => self.rectangle(),
            SectionType::Circle => self.number("radius", &spec.radius).map(|r| ring(r, 0.0)),
            SectionType::Tube => self.tube(),
            SectionType::IBeam => self.i_beam(),
            SectionType::General => self.general(),
        };
        let (own, shear) = (own?, shear?);
        Some(Section { factors: shear.map_or(own.factors, Factors::Given), ..own })
    }

    fn rectangle(&self) -> Option<Section> {
        let height = self.number("height", &self.spec.height);
        let width = self.number("width", &self.spec.width);
        let (y, z) = (height?, width?);
        Some(Section {
            area: y * z,
            inertia: [y * z.powi(3) / 12.0, z * y.powi(3) / 12.0],
            torsion: Some(rectangle_torsion(y, z)),
            factors: Factors::Rectangle,
            reach: [0.5 * y, 0.5 * z],
        })
    }

    fn tube(&self) -> Option<Section> {
        let radius = self.number("radius", &self.spec.radius);
        let wall = self.number("thickness", &self.spec.thickness);
        let (radius, wall) = (radius?, wall?);
        if wall > radius {
            let text = format!("the wall is {wall} m thick, but the outer radius is {radius} m");
            self.env.range(&self.path.field("thickness"), text, "give a thinner wall, or a circle");
            return None;
        }
        Some(ring(radius, radius - wall))
    }

    fn i_beam(&self) -> Option<Section> {
        let height = self.number("height", &self.spec.height);
        let width = self.number("width", &self.spec.width);
        let web = self.number("web", &self.spec.web);
        let flange = self.number("flange", &self.spec.flange);
        let (height, width, web, flange) = (height?, width?, web?, flange?);
        if 2.0 * flange >= height || web > width {
            let field = if web > width { "web" } else { "flange" };
            let text = format!(
                "web of {web} m and flanges of {flange} m leave no I in {height} m by {width} m"
            );
            self.env.range(&self.path.field(field), text, "give thinner parts, or a rectangle");
            return None;
        }
        let clear = height - 2.0 * flange;
        let area = 2.0 * width * flange + web * clear;
        let about_y = (2.0 * flange * width.powi(3) + clear * web.powi(3)) / 12.0;
        let about_z = (width * height.powi(3) - (width - web) * clear.powi(3)) / 12.0;
        let thin = 2.0 * width * flange.powi(3) + (height - flange) * web.powi(3);
        Some(Section {
            area,
            inertia: [about_y, about_z],
            torsion: Some(thin / 3.0),
            factors: Factors::Given([web * height / area, 5.0 / 6.0 * 2.0 * width * flange / area]),
            reach: [0.5 * height, 0.5 * width],
        })
    }

    fn general(&self) -> Option<Section> {
        let area = self.number("area", &self.spec.area);
        let inertia = self.two("inertia", &self.spec.inertia, SECOND_MOMENT);
        let kind = self.spec.kind.entry();
        let torsion = self.env.number(self.path, kind, "torsion", self.spec.torsion.as_ref());
        if self.spec.inertia.is_empty() {
            self.env.needed(self.path, kind, "inertia");
        }
        let (area, inertia) = (area?, inertia??);
        // of a rectangle with the same area and moments
        let reach = [inertia[1], inertia[0]].map(|i| (3.0 * i / area).sqrt());
        Some(Section { area, inertia, torsion: torsion?, factors: Factors::Given([1.0; 2]), reach })
    }
}

/// A circle, with a hole where `inner` is not zero.
fn ring(outer: f64, inner: f64) -> Section {
    let moment = 0.25 * PI * (outer.powi(4) - inner.powi(4));
    Section {
        area: PI * (outer * outer - inner * inner),
        inertia: [moment; 2],
        torsion: Some(2.0 * moment),
        factors: Factors::Tube(inner / outer),
        reach: [outer; 2],
    }
}

/// J of a rectangle of sides a ≥ b: a b³ (1/3 − 64/π⁵ (b/a) Σ tanh(nπa/2b)/n⁵) over odd n.
fn rectangle_torsion(height: f64, width: f64) -> f64 {
    let (a, b) = (height.max(width), height.min(width));
    let term = |k: usize| {
        let n = (2 * k + 1) as f64;
        (0.5 * n * PI * a / b).tanh() / n.powi(5)
    };
    let sum: f64 = (0..TORSION_TERMS).rev().map(term).sum();
    a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * (b / a) * sum)
}

#[cfg(test)]
mod tests {
    use super::{rectangle_torsion, ring};

    #[test]
    fn torsion_of_rectangles() {
        // handbook: square 0.1405770, 2:1 0.228682, thin strip 1/3
        assert!((rectangle_torsion(1.0, 1.0) - 0.140_577_014_95).abs() < 1e-10);
        assert!((rectangle_torsion(1.0, 2.0) - 2.0 * 0.228_682).abs() < 2e-6);
        assert_eq!(rectangle_torsion(2.0, 1.0), rectangle_torsion(1.0, 2.0));
        assert!((rectangle_torsion(0.6, 30.0) - 2.132_773_25).abs() < 1e-8);
    }

    #[test]
    fn shear_factors_of_circle_and_thin_tube() {
        let nu = 0.3;
        let circle = ring(1.0, 0.0).shear_factors(nu)[0];
        assert!((circle - 6.0 * 1.3 / 8.8).abs() < 1e-15);
        // thin: 2(1 + ν)/(4 + 3ν)
        let thin = ring(1.0, 1.0 - 1e-9).shear_factors(nu)[1];
        assert!((thin - 2.6 / 4.9).abs() < 1e-8, "{thin}");
    }
}
