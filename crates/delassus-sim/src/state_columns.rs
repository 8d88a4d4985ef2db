//! Names for the numbers of a state.

use delassus_dae::Problem;
use delassus_model::{Body, System};

/// Names of the columns of [`crate::StateRing`]: `t`, `h`, then `q.<body>.<coordinate>`,
/// `v.<body>.<coordinate>` and `z.<number>` (states of controllers, from 0). Coordinates are
/// those of the mass centre; rotation rates of a rigid body are in its own axes.
pub fn state_columns(sys: &System) -> Vec<String> {
    let bodies = &sys.model().bodies;
    let mut names = vec!["t".to_owned(), "h".to_owned()];
    for (prefix, labels) in
        [("q", Body::coordinate_names as fn(&Body) -> _), ("v", Body::velocity_names)]
    {
        for b in bodies {
            names.extend(labels(b).iter().map(|label| format!("{prefix}.{}.{label}", b.name)));
        }
    }
    names.extend((0..sys.dims().nz).map(|i| format!("z.{i}")));
    names
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use delassus_model::compile;
    use delassus_model::spec::{BodySpec, BodyType, InertiaSpec, ModelSpec};

    #[test]
    fn as_many_as_numbers_and_named_as_in_messages() {
        let mut spec = ModelSpec { schema: 1, ..ModelSpec::default() };
        for (name, kind) in [
            ("disc", BodyType::Planar),
            ("top", BodyType::Rigid),
            ("bob", BodyType::Point),
            ("bead", BodyType::PlanarPoint),
        ] {
            let inertia = match kind {
                BodyType::Planar => Some(InertiaSpec::Planar(1.0.into())),
                BodyType::Rigid => Some(InertiaSpec::List(vec![1.0.into(); 3])),
                _ => None,
            };
            let body = BodySpec { kind, mass: Some(1.0.into()), inertia, ..BodySpec::default() };
            spec.body.set(name, body);
        }
        let sys = System::new(compile(&spec).unwrap()).unwrap();
        let (d, names) = (sys.dims(), state_columns(&sys));
        assert_eq!(names.len(), 2 + d.nq + d.nv + d.nz);
        assert_eq!(names[..5], ["t", "h", "q.disc.x", "q.disc.y", "q.disc.angle"]);
        for (dof, name) in names[2 + d.nq..].iter().enumerate() {
            let mut parts = name.split('.');
            let (v, body, label) = (parts.next(), parts.next(), parts.next());
            assert_eq!(v, Some("v"));
            let label = label.unwrap().replace('_', " ");
            assert_eq!(sys.dof_name(dof), format!("body \"{}\" ({label})", body.unwrap()));
        }
    }
}
