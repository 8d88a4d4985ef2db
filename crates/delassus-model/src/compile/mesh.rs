//! Meshes: closed, oriented outwards, finite. The triangles come with the model.

use super::context::{Env, Path};
use crate::spec::{ShapeSpec, Triangles};
use crate::{Diagnostic, Form};
use delassus_expr::Dim;
use delassus_math::Vec3;
use std::collections::BTreeMap;

pub(super) fn compile(env: &Env<'_>, spec: &ShapeSpec, path: &Path<'_>) -> Option<Form> {
    let scale = match &spec.scale {
        None => Some(1.0),
        Some(value) => env.constant(value, &path.field("scale"), Dim::Any).filter(|s| {
            let good = *s > 0.0;
            if !good {
                env.range(
                    &path.field("scale"),
                    format!("the scale is {s}, but must be more than 0"),
                    "give metres per unit of the file, such as 0.001 for millimetres",
                );
            }
            good
        }),
    };
    let file = path.field("file");
    let Some(triangles) = &spec.triangles else {
        match &spec.file {
            None => env.missing(&file, "a mesh", "name an STL or OBJ file beside the model"),
            Some(name) => fault(
                env,
                &file,
                format!("the triangles of \"{name}\" are not loaded"),
                "load the model from a file, or fill `triangles` in the program",
            ),
        }
        return None;
    };
    check(triangles).map_err(|(what, help)| fault(env, &file, what, help)).ok()?;
    Some(Form::Mesh { triangles: triangles.clone(), scale: scale? })
}

fn fault(env: &Env<'_>, path: &Path<'_>, message: String, help: &str) {
    env.report(Diagnostic::error("E_MESH", path.to_string(), message).help(help));
}

/// What is wrong with a mesh, and what to do.
fn check(mesh: &Triangles) -> Result<(), (String, &'static str)> {
    let corners = &mesh.corners;
    if corners.len() < 4 {
        let what = format!("the mesh has {} triangles, but a solid has at least 4", corners.len());
        return Err((what, "export a closed surface"));
    }
    for (k, triangle) in corners.iter().enumerate() {
        if triangle.iter().flatten().any(|x| !x.is_finite()) {
            let what = format!("a corner of triangle {} is not a finite number", k + 1);
            return Err((what, "repair the file in the program that made it"));
        }
    }
    // every edge must be walked once in each direction
    let key = |p: &[f64; 3]| p.map(|x| (x + 0.0).to_bits());
    let mut edges: BTreeMap<([u64; 3], [u64; 3]), i32> = BTreeMap::new();
    for t in corners {
        for i in 0..3 {
            let (a, b) = (key(&t[i]), key(&t[(i + 1) % 3]));
            if a < b {
                *edges.entry((a, b)).or_default() += 1;
            } else if b < a {
                *edges.entry((b, a)).or_default() -= 1;
            }
        }
    }
    let open = edges.values().filter(|n| **n != 0).count();
    if open > 0 {
        let what = format!("the mesh is open: {open} edges do not have a triangle on each side");
        return Err((what, "close the holes, and give all triangles the same orientation"));
    }
    let vec = |p: &[f64; 3]| Vec3::new(p[0], p[1], p[2]);
    let volume: f64 =
        corners.iter().map(|t| vec(&t[0]).dot(&vec(&t[1]).cross(&vec(&t[2])))).sum::<f64>() / 6.0;
    if volume <= 0.0 {
        let what =
            format!("the mesh is inside out: its volume is {volume:e} (in units of the file)");
        return Err((what, "turn the triangles round, so that their normals point outwards"));
    }
    Ok(())
}
