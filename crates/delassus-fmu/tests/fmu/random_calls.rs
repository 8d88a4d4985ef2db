//! Random calls, legal and not, against a model of what each must return (R45, F14).

use crate::support::{DISCARD, ERROR, Fmu, OK, Three, Use};
use delassus_fmu::abi::fmi3;

/// A small generator of numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum At {
    Created,
    Starting,
    Stepping,
    Event,
    Continuous,
    Ended,
}

struct Saved {
    state: *mut std::ffi::c_void,
    at: At,
    time: f64,
}

/// The status that the standard and the book promise.
fn expected(ok: bool) -> i32 {
    if ok { OK } else { ERROR }
}

fn play(fmu: &Fmu, solver: bool, seed: u64, calls: usize) {
    let what = if solver {
        Use::ModelExchange
    } else {
        Use::CoSimulation { early: seed.is_multiple_of(2) }
    };
    let i: Three = fmu.three(what);
    let [input, out] = [fmu.vr("torque"), fmu.vr("angle")];
    let mut r = Random(seed * 0x9E37_79B9 + 1);
    let (mut at, mut time) = (At::Created, 0.0);
    let mut saved: Option<Saved> = None;
    let n = fmu.variables.states;
    let mut x = vec![0.0; n];
    for k in 0..calls {
        let call = r.next(18);
        let (status, right) = match call {
            0 => {
                let ok = at == At::Created;
                if ok {
                    (at, time) = (At::Starting, 0.0);
                }
                (i.enter(0.0), expected(ok))
            }
            1 => {
                let ok = at == At::Starting;
                if ok {
                    at = if solver { At::Event } else { At::Stepping };
                }
                (i.leave(), expected(ok))
            }
            2..=5 => {
                let h = [0.01, 0.003, 0.0, -0.01, f64::NAN, f64::INFINITY][r.next(6) as usize];
                let from = if r.next(8) == 0 { time + 1.0 } else { time };
                let (status, _, reached) = i.step(from, h);
                let ok = at == At::Stepping && from == time && h > 0.0 && h.is_finite();
                if status == OK {
                    time = reached;
                }
                (status, expected(ok))
            }
            6 | 7 => {
                let u = [0.0, 1.5, -3.0, 51.0, f64::NAN][r.next(5) as usize];
                (i.set(input, u), expected(at != At::Ended && u.abs() <= 50.0))
            }
            8 => (i.try_get(out), expected(at != At::Created)),
            9 if r.next(6) == 0 => {
                let ok = matches!(at, At::Stepping | At::Event | At::Continuous);
                if ok {
                    at = At::Ended;
                }
                (fmi3::fmi3Terminate(i.i), expected(ok))
            }
            10 if r.next(4) == 0 => {
                (at, time) = (At::Created, 0.0);
                (fmi3::fmi3Reset(i.i), OK)
            }
            11 => {
                if let Some(old) = saved.take() {
                    i.free_state(old.state);
                }
                saved = Some(Saved { state: i.save(), at, time });
                continue;
            }
            12 => {
                let Some(s) = &saved else { continue };
                (at, time) = (s.at, s.time);
                (i.restore(s.state), OK)
            }
            13 => {
                let ok = solver && matches!(at, At::Continuous | At::Event);
                if ok {
                    at = At::Event;
                }
                (fmi3::fmi3EnterEventMode(i.i), expected(ok))
            }
            14 => {
                let ok = solver && at == At::Event;
                if ok {
                    at = At::Continuous;
                }
                (fmi3::fmi3EnterContinuousTimeMode(i.i), expected(ok))
            }
            15 => {
                let ok = solver && !matches!(at, At::Created | At::Stepping);
                (fmi3::fmi3GetContinuousStateDerivatives(i.i, x.as_mut_ptr(), n), expected(ok))
            }
            16 => {
                let ok = solver && !matches!(at, At::Created | At::Stepping);
                let status = fmi3::fmi3GetContinuousStates(i.i, x.as_mut_ptr(), n);
                assert_eq!(status, expected(ok), "{call} at {at:?}, seed {seed}, {k}");
                i.log.take();
                x[r.next(n as u64) as usize] += [0.0, 0.01, f64::NAN][r.next(3) as usize];
                let ok = solver
                    && matches!(at, At::Continuous | At::Event)
                    && x.iter().all(|x| x.is_finite());
                let status = fmi3::fmi3SetContinuousStates(i.i, x.as_ptr(), n);
                x.fill(0.0);
                (status, expected(ok))
            }
            17 => {
                let t = [time + 0.01, f64::NAN][r.next(2) as usize];
                let ok = solver && matches!(at, At::Continuous | At::Event) && t.is_finite();
                if ok {
                    time = t;
                }
                (fmi3::fmi3SetTime(i.i, t), expected(ok))
            }
            _ => continue,
        };
        assert_ne!(status, DISCARD, "{:?}", i.log.take());
        assert_eq!(status, right, "call {call} at {at:?}, seed {seed}, {k}: {:?}", i.log.take());
        let said = i.log.take();
        assert_eq!(said.len(), usize::from(status != OK), "a refusal is told once: {said:?}");
    }
    if let Some(old) = saved {
        i.free_state(old.state);
    }
}

#[test]
fn rel_r45_random_calls() {
    let fmu = Fmu::of_file("arm_by_torque.toml");
    for seed in 0..40_u64 {
        play(&fmu, seed.is_multiple_of(3), seed, 150);
    }
}
