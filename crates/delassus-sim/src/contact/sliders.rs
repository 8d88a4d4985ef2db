//! Closed points that slide in space: how fast, how friction turns them, and when they come to rest.

use super::closed_points::{ClosedPoints, Function};
use super::slide::Slide;
use delassus_dae::{PointId, Problem, State, Unilateral};
use delassus_math::largest;
use delassus_nonsmooth::{Active, Mode, SlipState};

/// How a point slides in space.
pub(crate) struct Sliding {
    /// Velocity along its direction at the start of the step, m/s.
    pub along: f64,
    /// Size of its velocity, m/s.
    pub speed: f64,
    /// Speed that counts as rest, m/s.
    pub rest: f64,
}

impl<P: Unilateral> ClosedPoints<P> {
    /// Rate at which friction turns the direction of sliding in space at a state, 1/s, for the fastest of the points.
    pub fn turning_rate(&mut self, mode: &Mode<P>, s: &State) -> f64 {
        mode.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        mode.realize_velocity(&s.v, &s.z, &mut self.ws);
        let sliders = mode.sliders(&self.ws);
        largest(sliders.map(|(k, friction, speed)| friction / speed * self.mobility[k]))
    }

    /// How often friction would turn the direction of sliding in space round within a step of length h from a state
    /// with accelerations a, for the fastest of the points. It turns ever faster where a point comes to rest, but the
    /// step ends before, and ever slower where one sets off.
    pub fn turning_in(&mut self, mode: &Mode<P>, s: &State, a: &[f64], h: f64) -> f64 {
        mode.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        mode.realize_velocity(&s.v, &s.z, &mut self.ws);
        let turning = |(k, friction, speed): (usize, f64, f64)| {
            let SlipState::Slip(d) = mode.active()[k].motion else { return 0.0 };
            let change = self.ws.points[k].acceleration_along(d, a);
            let lasts = self.slides[k].turns_for(h);
            friction * self.mobility[k] * lasts / (speed + 0.5 * change * lasts)
        };
        largest(mode.sliders(&self.ws).map(turning))
    }

    /// Records speeds and directions of points that slide in space, at the start of a step from a state with
    /// accelerations a at which the scratch of the base is realised; `slow` gives the speed of a point with these
    /// coordinates that counts as rest, and the one it may lose at once where it is held, m/s.
    pub fn follow(
        &mut self,
        mode: &mut Mode<P>,
        ws: &P::Ws,
        a: &[f64],
        slow: impl Fn(PointId, &[usize]) -> [f64; 2],
    ) {
        for k in 0..mode.active().len() {
            if !mode.slides_in_space(k) {
                continue;
            }
            let Active { id, features, .. } = mode.active()[k];
            mode.base().position(ws, id, true, Some(features), &mut self.point);
            mode.base().rates(ws, id, &mut self.point);
            let u = [self.point.rate[1], self.point.rate[2]];
            let (speed, slow) = (u[0].hypot(u[1]), slow(id, &self.point.cols));
            self.slides[k].start(speed, slow, self.point.acceleration_along(u, a) / speed);
            if speed > self.slides[k].rest {
                mode.set_direction(k, u);
            }
        }
    }

    /// Forgets the earlier steps, which say nothing about the next one.
    pub fn forget_slides(&mut self) {
        self.slides.iter_mut().for_each(Slide::forget);
    }

    /// A point that slides in space and has just become so slow that friction may hold it.
    pub fn asks(&mut self, mode: &Mode<P>) -> Option<PointId> {
        let mut sliders = (0..self.slides.len()).filter(|k| mode.slides_in_space(*k));
        sliders.find(|k| self.slides[*k].asks()).map(|k| mode.active()[k].id)
    }

    /// Time until the first point that slides in space is as slow as a step may leave it, s.
    pub fn slides_for(&self, mode: &Mode<P>) -> f64 {
        let sliders = (0..self.slides.len()).filter(|k| mode.slides_in_space(*k));
        sliders.map(|k| self.slides[k].lasts()).fold(f64::INFINITY, f64::min)
    }

    /// A point slides in space so slowly that its friction may be rounded off.
    pub fn creeps(&self, mode: &Mode<P>) -> bool {
        let mut sliders = (0..self.slides.len()).filter(|k| mode.slides_in_space(*k));
        sliders.any(|k| self.slides[k].speed <= self.slides[k].hold)
    }

    /// How a point slides in space at a state; `None` if it does not.
    pub fn sliding(&mut self, mode: &Mode<P>, s: &State, id: PointId) -> Option<Sliding> {
        let k = mode.active().iter().position(|a| a.id == id)?;
        if !mode.slides_in_space(k) {
            return None;
        }
        mode.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        mode.realize_velocity(&s.v, &s.z, &mut self.ws);
        let point = &self.ws.points[k];
        let speed = point.rate[1].hypot(point.rate[2]);
        let along = self.function(mode, k, Function::Sliding);
        Some(Sliding { along, speed, rest: self.slides[k].rest })
    }
}
