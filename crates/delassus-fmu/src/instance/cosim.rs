//! A model that runs by itself between the times at which the host looks at it.
//!
//! Samples are those of `delassus run`, bit for bit, if the host looks at the times at which a run would sample. Steps of a
//! model without inputs do not know these times. Where there are inputs, steps end at them, so that a value that the host
//! sets there acts from there.
//!
//! A run cannot be saved after every step. So the last state that could be saved is kept, with what the host has asked for
//! since: to restore, that is done again. A step that fails is undone in the same way.

use super::Stepped;
use super::saved;
use crate::variables::Role;
use delassus::math::memory::{Memory, Remember, restore, save};
use delassus::math::remember;
use delassus::model::Assembled;
use delassus::model::spec::SchemeType;
use delassus::sim::{RunOptions, SimError, Simulation};

/// Requests after which the state is saved anew.
const RENEW: usize = 100;

/// What the host asked for.
#[derive(Debug, Clone, Default)]
struct Request {
    /// Time to reach, s.
    t: f64,
    /// Time before it, s.
    from: f64,
    /// Values of the inputs from the time before; none if they are as they were.
    inputs: Vec<f64>,
}

remember!(Request { t, from, inputs });

/// A running model.
pub struct CoSim {
    model: Assembled,
    options: RunOptions,
    early: bool,
    sim: Simulation,
    /// If the last step was ended by an event: what was saved before it.
    rewind: Option<Vec<u8>>,
    /// Columns at the present time, and room for those after the next step.
    values: Vec<f64>,
    next: Vec<f64>,
    time: f64,
    /// The last state that was saved, and the one before it.
    anchor: Anchor,
    previous: Option<Anchor>,
    /// A restored run does not know the contact forces in its last step, so that one more step must be done again.
    forgets: bool,
}

/// A saved state.
#[derive(Debug, Clone, Default)]
struct Anchor {
    bytes: Vec<u8>,
    /// What `rewind` was there.
    rewind: Option<Vec<u8>>,
    /// What was asked for since.
    since: Vec<Request>,
    /// Steps until then.
    steps: u64,
}

impl Remember for Anchor {
    fn remember(&mut self, m: &mut Memory<'_>) {
        saved::bytes(&mut self.bytes, m);
        let mut rewinds = self.rewind.is_some();
        rewinds.remember(m);
        let mut list = self.rewind.take().unwrap_or_default();
        if rewinds {
            saved::bytes(&mut list, m);
        }
        self.rewind = rewinds.then_some(list);
        self.since.remember(m);
        self.steps.remember(m);
    }
}

impl CoSim {
    /// At the start.
    pub fn new(model: Assembled, options: RunOptions, early: bool) -> Result<CoSim, String> {
        let mut sim = Simulation::new(&model, &options).map_err(|e| e.to_string())?;
        let mut values = Vec::new();
        sample(&sim, &mut values);
        if values.iter().any(|x| !x.is_finite()) {
            return Err("a value at the start is not finite".to_owned());
        }
        let anchor = Anchor { bytes: sim.save(), ..Anchor::default() };
        let time = model.state.t;
        let contacts = model.system.has_contacts() || options.scheme == SchemeType::TimeStepping;
        let forgets = contacts && options.scheme != SchemeType::EventDriven;
        Ok(CoSim {
            model,
            options,
            early,
            sim,
            rewind: None,
            next: Vec::with_capacity(values.len()),
            values,
            time,
            anchor,
            previous: None,
            forgets,
        })
    }

    /// Present value of a variable that the model computes.
    pub fn value(&self, role: Role) -> f64 {
        let found = match role {
            Role::Output(k) => self.values.get(k).copied(),
            Role::Derived(k) => self.model.system.model().parameters.get(k).map(|(_, x)| *x),
            _ => None,
        };
        found.unwrap_or(f64::NAN)
    }

    /// Moves on to a time, with inputs that act from now on. If that fails, nothing has happened.
    pub fn step(&mut self, t: f64, inputs: &[f64]) -> Result<Stepped, String> {
        let same = self.sim.inputs().map(|(_, x)| x).eq(inputs.iter().copied());
        let inputs = if same { Vec::new() } else { inputs.to_vec() };
        let request = Request { t, from: self.time, inputs };
        let made = self.play(&request).and_then(|stepped| {
            sample(&self.sim, &mut self.next);
            match self.next.iter().all(|x| x.is_finite()) {
                true => Ok(stepped),
                false => Err(format!("E_NONFINITE: an output is not finite at {t} s")),
            }
        });
        match made {
            Ok(stepped) => {
                std::mem::swap(&mut self.values, &mut self.next);
                self.time = stepped.time;
                self.anchor.since.push(request);
                if self.anchor.since.len() >= RENEW && self.sim.can_pause() {
                    self.renew();
                }
                Ok(stepped)
            }
            Err(why) => {
                self.back_to(self.last())?;
                Err(why)
            }
        }
    }

    fn renew(&mut self) {
        let rewind = self.rewind.clone();
        let steps = self.sim.steps();
        // their room serves again
        let mut since = self.previous.take().map_or_else(Vec::new, |p| p.since);
        since.clear();
        let anchor = Anchor { bytes: self.sim.save(), rewind, since, steps };
        self.previous = Some(std::mem::replace(&mut self.anchor, anchor));
    }

    /// The saved state from which the present one is reached.
    fn last(&self) -> Anchor {
        let stepped = self.sim.steps() > self.anchor.steps;
        match &self.previous {
            Some(before) if self.forgets && !stepped => {
                let mut before = before.clone();
                before.since.extend(self.anchor.since.iter().cloned());
                before
            }
            _ => self.anchor.clone(),
        }
    }

    /// Does what was asked for.
    fn play(&mut self, request: &Request) -> Result<Stepped, String> {
        let Request { t, from, inputs } = request;
        let exactly = self.sim.inputs().next().is_some();
        let fails = |e: SimError| match e.blame.is_empty() {
            true => format!("{e} ({})", e.help),
            false => format!("{e}: {} ({})", e.blame.join(", "), e.help),
        };
        if !inputs.is_empty() {
            // the step that an event began is made again, with the new values
            if let Some(before) = self.rewind.take() {
                let again = Simulation::restored(&self.model, &self.options, &before);
                self.sim = again.map_err(|e| e.to_string())?;
            }
            for (k, x) in inputs.iter().enumerate() {
                self.sim.set_input_at(k, *x).map_err(|e| e.to_string())?;
            }
        }
        self.rewind = None;
        if !self.early {
            let sim = &mut self.sim;
            let done = if exactly { sim.sample_exactly(*t) } else { sim.sample(*t) };
            done.map_err(fails)?;
            return Ok(Stepped { time: *t, early: false });
        }
        let found = self.sim.sample_to_event(*t, *from, exactly).map_err(fails)?;
        self.rewind = found.before;
        Ok(Stepped { time: found.t, early: found.t < *t })
    }

    /// To a saved state, and from there through what was asked for since.
    fn back_to(&mut self, anchor: Anchor) -> Result<(), String> {
        let lost = |e: &dyn std::fmt::Display| format!("E_FMU_STATE: the state is lost: {e}");
        let sim = Simulation::restored(&self.model, &self.options, &anchor.bytes);
        self.sim = sim.map_err(|e| lost(&e))?;
        self.rewind.clone_from(&anchor.rewind);
        for request in &anchor.since {
            self.play(request).map_err(|e| lost(&e))?;
        }
        (self.anchor, self.previous) = (anchor, None);
        Ok(())
    }

    /// Its memory.
    pub fn save(&mut self) -> Vec<u8> {
        if !self.forgets && self.sim.can_pause() {
            self.renew();
        }
        save(&mut Kept { anchor: self.last(), values: self.values.clone(), time: self.time })
    }

    /// Continues from its memory.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut kept = Kept::default();
        restore(&mut kept, bytes).map_err(|e| e.to_string())?;
        if kept.values.len() != self.values.len() {
            return Err("it has other columns".to_owned());
        }
        self.back_to(kept.anchor)?;
        (self.values, self.time) = (kept.values, kept.time);
        Ok(())
    }
}

/// What is saved.
#[derive(Default)]
struct Kept {
    anchor: Anchor,
    values: Vec<f64>,
    time: f64,
}
remember!(Kept { anchor, values, time });

/// Copies the columns of the last sample.
fn sample(sim: &Simulation, out: &mut Vec<f64>) {
    out.clear();
    out.extend(sim.results().data.iter().map(|c| c.last().copied().unwrap_or(f64::NAN)));
}
