//! How a point slides in space at the start of a step, and how close to rest the step may lead it.
//!
//! Where a point comes to rest its velocity has no direction, and a stage of a method at that very moment would take an
//! arbitrary one. So steps end before, as predicted from its speed and its rate, and the final remainder is removed.

use delassus_math::remember;

/// Smallest fraction of its speed that a step leaves to a point whose deceleration is not known to last.
const SLOWED: f64 = 0.1;

/// A point that slides in space, at the start of a step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slide {
    /// Size of its velocity, m/s.
    pub speed: f64,
    /// Speed that counts as rest, m/s. Below it a velocity has no direction of its own: a point that sets off keeps the
    /// one that the forces gave it until it is faster.
    pub rest: f64,
    /// Speed that a point may lose at once where friction will hold it, m/s: it would lose it within a short time
    /// anyway, and the distance it does not slide meanwhile is of second order.
    pub hold: f64,
    /// Since it became that slow, it was checked whether friction would hold it.
    asked: bool,
    /// Acceleration along its velocity, m/s²; zero before its first step.
    change: f64,
    /// Fraction of its speed that the step leaves.
    left: f64,
}
remember!(Slide { speed, rest, hold, asked, change, left });

impl Slide {
    /// Starts the next step. A deceleration that has hardly changed in the step before lasts until rest: it predicts
    /// the speed as well as it has lasted, and steps approach rest by ever larger fractions.
    pub fn start(&mut self, speed: f64, [rest, hold]: [f64; 2], change: f64) {
        let lasts = self.change < 0.0 && change < 0.0;
        self.left = if lasts { (1.0 - self.change / change).abs().min(SLOWED) } else { SLOWED };
        (self.speed, self.change) = (speed, change);
        (self.rest, self.hold) = (rest, hold);
        self.asked &= speed <= hold;
    }

    /// Forgets the observed deceleration.
    pub fn forget(&mut self) {
        self.change = 0.0;
        self.asked = false;
    }

    /// It slows down and has just become so slow that friction may hold it; true once.
    pub fn asks(&mut self) -> bool {
        let asks = self.slows() && self.speed <= self.hold && !self.asked;
        self.asked |= asks;
        asks
    }

    /// It comes to rest if it continues like this.
    fn slows(&self) -> bool {
        self.speed > self.rest && self.change < 0.0
    }

    /// Speed at which the step ends at the latest, m/s: practically at rest, but not past it.
    fn target(&self) -> f64 {
        (self.left * self.speed).max(0.5 * self.rest)
    }

    /// Time until it is as slow as a step may leave it, s.
    pub fn lasts(&self) -> f64 {
        if self.slows() { (self.speed - self.target()) / -self.change } else { f64::INFINITY }
    }

    /// The same for a point whose direction is followed all the way, for a step of length h.
    pub fn turns_for(&self, h: f64) -> f64 {
        if self.slows() { h.min((1.0 - SLOWED) * self.speed / -self.change) } else { h }
    }

    /// Velocity along its direction below which a step has gone too far, m/s, where the largest so far was `peak`.
    pub fn floor(&self, peak: f64) -> f64 {
        if !(peak > self.rest) {
            -0.5 * self.rest
        } else if self.slows() {
            0.5 * self.target() / self.speed * peak
        } else {
            SLOWED * peak
        }
    }
}
