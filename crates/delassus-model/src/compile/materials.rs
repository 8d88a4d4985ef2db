//! Materials, for the stiffness of compliant contacts and for beams.

use super::context::{Env, Path};
use crate::spec::{MaterialSpec, ModelSpec, Scalar};
use delassus_expr::Dim;
use std::collections::BTreeMap;

/// All materials; `None` of those that are faulty.
pub(super) type Materials = BTreeMap<String, Option<Material>>;

/// An elastic material.
#[derive(Debug, Clone, Copy)]
pub(super) struct Material {
    /// Young's modulus, Pa.
    pub(super) young: f64,
    /// Poisson's ratio.
    pub(super) poisson: f64,
    /// Shear modulus, Pa.
    pub(super) shear: f64,
    /// kg/m³, where given.
    pub(super) density: Option<f64>,
    /// Time of stiffness-proportional damping, s.
    pub(super) damping: f64,
}

impl Material {
    /// (1 − ν²)/E, 1/Pa.
    pub(super) fn softness(&self) -> f64 {
        (1.0 - self.poisson * self.poisson) / self.young
    }
}

/// All materials.
pub(super) fn compile(env: Env<'_>, spec: &ModelSpec) -> Materials {
    let root = Path::root("material");
    let one = |(entry, (name, m)): (usize, (&str, &MaterialSpec))| {
        (name.to_owned(), material(&env.at(entry, &[]), m, &root.field(name)))
    };
    spec.material.iter().enumerate().map(one).collect()
}

fn material(env: &Env<'_>, spec: &MaterialSpec, path: &Path<'_>) -> Option<Material> {
    const YOUNG: &str = "give Young's modulus, such as \"207 GPa\"";
    let read = |value: &Option<Scalar>, field: &str, dim: Dim| match value {
        Some(value) => env.constant(value, &path.field(field), dim).map(Some),
        None => Some(None),
    };
    let positive = |value: Option<Option<f64>>, field: &str, unit: &str, help: &str| match value? {
        Some(x) if !(x > 0.0) => {
            let text = format!("`{field}` is {x} {unit}, but must be more than 0");
            env.range(&path.field(field), text, help);
            None
        }
        x => Some(x),
    };
    if spec.young.is_none() {
        env.missing(&path.field("young"), "a material", YOUNG);
    }
    if spec.poisson.is_none() && spec.shear.is_none() {
        let help = "give Poisson's ratio, such as 0.3, or the shear modulus as `shear`";
        env.missing(&path.field("poisson"), "a material", help);
    }
    let young = positive(read(&spec.young, "young", Dim::PRESSURE), "young", "Pa", YOUNG);
    let help = "give the shear modulus, such as \"80 GPa\"";
    let shear = positive(read(&spec.shear, "shear", Dim::PRESSURE), "shear", "Pa", help);
    let help = "give the density, such as 7850";
    let density = positive(read(&spec.density, "density", Dim::DENSITY), "density", "kg/m^3", help);
    let poisson = read(&spec.poisson, "poisson", Dim::NONE);
    let damping = read(&spec.damping, "damping", Dim::TIME);
    let (young, shear, density) = (young??, shear?, density?);
    let damping = damping?.unwrap_or(0.0);
    if damping < 0.0 {
        let text = format!("`damping` is {damping} s, but must not be negative");
        env.range(&path.field("damping"), text, "give a time of zero or more");
        return None;
    }
    let poisson = match (poisson?, shear) {
        (Some(poisson), _) => poisson,
        // of an isotropic material
        (None, Some(shear)) => young / (2.0 * shear) - 1.0,
        (None, None) => return None,
    };
    if !(poisson > -1.0 && poisson <= 0.5) {
        if spec.poisson.is_some() {
            let text = format!("`poisson` is {poisson}, but must be above -1 and at most 0.5");
            env.range(&path.field("poisson"), text, "metals have about 0.3, rubber almost 0.5");
        } else {
            let text = format!(
                "`young` and `shear` give a Poisson's ratio of {poisson}, but it must be above -1 and at most 0.5"
            );
            env.range(
                &path.field("shear"),
                text,
                "give `poisson` too where the material is not isotropic",
            );
        }
        return None;
    }
    let shear = shear.unwrap_or(0.5 * young / (1.0 + poisson));
    Some(Material { young, poisson, shear, density, damping })
}
