//! Rotations and vectors: only what the descriptions need.

/// A vector.
pub type V3 = [f64; 3];

/// How a frame is turned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Turn {
    /// About z, rad; not wrapped, because planar models may contain 7 rad.
    Angle(f64),
    /// Unit quaternion, scalar first.
    Quat([f64; 4]),
}

impl Turn {
    /// No rotation.
    pub const NONE: Turn = Turn::Angle(0.0);

    /// About an axis of unit length.
    pub fn about(axis: V3, angle: f64) -> Turn {
        let (s, c) = (angle / 2.0).sin_cos();
        Turn::Quat([c, s * axis[0], s * axis[1], s * axis[2]])
    }

    /// The quaternion.
    pub fn quat(self) -> [f64; 4] {
        match self {
            Turn::Angle(0.0) => [1.0, 0.0, 0.0, 0.0],
            Turn::Angle(a) => [(a / 2.0).cos(), 0.0, 0.0, (a / 2.0).sin()],
            Turn::Quat(q) => q,
        }
    }

    /// The rotation that applies `inner` first, then this one.
    pub fn after(self, inner: Turn) -> Turn {
        match (self, inner) {
            (Turn::Angle(a), Turn::Angle(b)) => Turn::Angle(a + b),
            _ => {
                let ([a, b, c, d], [e, f, g, h]) = (self.quat(), inner.quat());
                Turn::Quat([
                    a * e - b * f - c * g - d * h,
                    a * f + b * e + c * h - d * g,
                    a * g - b * h + c * e + d * f,
                    a * h + b * g - c * f + d * e,
                ])
            }
        }
    }

    /// The vector, turned.
    pub fn of(self, v: V3) -> V3 {
        if let Turn::Angle(a) = self {
            let (s, c) = if a == 0.0 { (0.0, 1.0) } else { a.sin_cos() };
            return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]];
        }
        let [w, x, y, z] = self.quat();
        let u = [x, y, z];
        let t = cross(u, v).map(|c| 2.0 * c);
        let d = cross(u, t);
        [v[0] + w * t[0] + d[0], v[1] + w * t[1] + d[1], v[2] + w * t[2] + d[2]]
    }

    /// The inverse.
    pub fn back(self) -> Turn {
        match self {
            Turn::Angle(a) => Turn::Angle(-a),
            Turn::Quat([w, x, y, z]) => Turn::Quat([w, -x, -y, -z]),
        }
    }
}

/// a × b.
pub fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a + b.
pub fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b.
pub fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// c a.
pub fn times(c: f64, a: V3) -> V3 {
    a.map(|x| c * x)
}

/// |a|.
pub fn norm(a: V3) -> f64 {
    a[0].hypot(a[1]).hypot(a[2])
}

/// A unit vector perpendicular to a unit vector.
pub fn perpendicular(a: V3) -> V3 {
    let helper = if a[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let p = cross(a, helper);
    times(1.0 / norm(p), p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_turn_alike() {
        let v = [0.3, -1.2, 0.5];
        let (plane, space) = (Turn::Angle(2.5), Turn::about([0.0, 0.0, 1.0], 2.5));
        assert!(norm(sub(plane.of(v), space.of(v))) < 1e-15);
        let other = Turn::about([0.6, 0.0, 0.8], 0.7);
        let twice = other.of(plane.of(v));
        assert!(norm(sub(other.after(plane).of(v), twice)) < 1e-15);
        assert!(norm(sub(other.back().of(other.of(v)), v)) < 1e-15);
    }
}
