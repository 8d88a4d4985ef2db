//! All pairs of features against differences along motions with given accelerations.

use super::contract::close;
use super::moving::Moving;
use super::touch::{Leaving, Piece, Side, touch};
use crate::joint::contract::Rng;
use crate::system::body::FrameKin;
use delassus_geom::{Feature, Pose};
use delassus_math::{Quat, Vec3};

#[test]
fn features() {
    let mut rng = Rng(5);
    let ball = |rng: &mut Rng, radius: f64| Feature::Ball { center: rng.vec3() * 0.3, radius };
    let line = |rng: &mut Rng| Feature::Line {
        point: rng.vec3() * 0.3,
        direction: rng.vec3().normalize(),
        radius: 0.1,
    };
    let plane =
        |rng: &mut Rng| Feature::Plane { point: rng.vec3() * 0.3, normal: rng.vec3().normalize() };
    for _ in 0..10 {
        let f = [ball(&mut rng, 0.2), ball(&mut rng, -4.0), line(&mut rng), plane(&mut rng)];
        let g = [ball(&mut rng, 0.1), line(&mut rng)];
        for (i, j) in [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (2, 1)] {
            motion(&f[i], &g[j], &mut rng);
            motion(&g[j], &f[i], &mut rng);
        }
    }
}

/// A body that moves by x + v t + a t²/2 and turns likewise.
struct Flight {
    x: Vec3,
    r: Quat,
    v: Vec3,
    w: Vec3,
    a: Vec3,
    alpha: Vec3,
}

impl Flight {
    fn new(rng: &mut Rng, x: Vec3) -> Flight {
        let r = Quat::exp(&rng.vec3());
        Flight { x, r, v: rng.vec3(), w: rng.vec3(), a: rng.vec3(), alpha: rng.vec3() }
    }

    /// To first order in v and second in x, which is all that a first derivative needs.
    fn at(&self, t: f64) -> FrameKin {
        let turn = Quat::exp(&(self.w * t + self.alpha * (t * t / 2.0)));
        let mut f = FrameKin::default();
        f.p += self.x + self.v * t + self.a * (t * t / 2.0);
        f.axes = turn.mul(&self.r).matrix();
        f.v = self.v + self.a * t;
        f.w = self.w + self.alpha * t;
        f
    }
}

fn motion(fa: &Feature, fb: &Feature, rng: &mut Rng) {
    let shift = rng.vec3() + Vec3::new(1.3, 0.2, -0.4);
    let (a, b) = (Flight::new(rng, Vec3::zeros()), Flight::new(rng, shift));
    let at = |t: f64| {
        let (ka, kb) = (a.at(t), b.at(t));
        let (sa, sb) = (
            Side { on: &ka, pose: Pose::new(ka.p, ka.axes) },
            Side { on: &kb, pose: Pose::new(kb.p, kb.axes) },
        );
        let touch = touch(&Piece::Fixed(*fa), &sa, &Piece::Fixed(*fb), &sb);
        let [t1, t2] = touch.tangents(&ka, 0);
        let e: [Moving; 3] = [touch.n, t1, t2];
        let leaving = Leaving::new(&touch.c, &ka, &kb);
        let rates = e.map(|e| leaving.along(&e));
        let (gap, n, _) = delassus_geom::feature_gap(fa, &sa.pose, fb, &sb.pose);
        close(&[gap], &[touch.gap], 1e-12, "gap");
        close(n.as_slice(), touch.n.x.as_slice(), 1e-12, "normal");
        (touch, e, rates)
    };
    let h = 1e-4;
    let slope = |of: &dyn Fn(f64) -> f64| {
        (8.0 * (of(h) - of(-h)) - (of(2.0 * h) - of(-2.0 * h))) / (12.0 * h)
    };
    let (touch, e, rates) = at(0.0);
    let what = format!("{fa:?} {fb:?}");
    close(&[slope(&|t| at(t).0.gap)], &[rates[0].0], 1e-7, &what);
    for k in 0..3 {
        let (ra, rb) = (touch.c.x - a.x, touch.c.x - b.x);
        let material = b.a + b.alpha.cross(&rb) - a.a - a.alpha.cross(&ra);
        let wanted = e[k].x.dot(&material) + rates[k].1;
        close(&[slope(&|t| at(t).2[k].0)], &[wanted], 1e-5, &what);
    }
}
