//! The status word: what was unusual in a cycle.
//!
//! The lower 16 bits are told by the loop, the upper ones by the model's step.

/// The step before this one ended after its time.
pub const LATE: u32 = 1 << 0;
/// No message with inputs has come yet; the defaults act.
pub const WAITING: u32 = 1 << 1;
/// No good message came in this cycle; the last values are held.
pub const HELD: u32 = 1 << 2;
/// None came for longer than allowed.
pub const TIMEOUT: u32 = 1 << 3;
/// A message that is none, or of a wrong size, was refused.
pub const MALFORMED: u32 = 1 << 4;
/// A message with NaN or an infinite number was refused.
pub const NOT_FINITE: u32 = 1 << 5;
/// A message that is not newer than the last one was refused.
pub const STALE: u32 = 1 << 6;
/// A message with an input that the model does not have, or for another model, was refused.
pub const UNKNOWN: u32 = 1 << 7;
/// A value beyond the limits of its input was cut.
pub const CLAMPED: u32 = 1 << 8;
/// A message of a second sender was refused.
pub const FOREIGN: u32 = 1 << 9;
/// The step failed: values are those before it.
pub const FAILED: u32 = 1 << 14;
/// This is the last message of the run.
pub const ENDED: u32 = 1 << 15;

/// Names of the flags, in the order of their bits.
pub const NAMES: [(u32, &str); 12] = [
    (LATE, "late"),
    (WAITING, "waiting"),
    (HELD, "held"),
    (TIMEOUT, "timeout"),
    (MALFORMED, "malformed"),
    (NOT_FINITE, "not_finite"),
    (STALE, "stale"),
    (UNKNOWN, "unknown"),
    (CLAMPED, "clamped"),
    (FOREIGN, "foreign"),
    (FAILED, "failed"),
    (ENDED, "ended"),
];

/// Places the flags of the model's step above those of the loop.
pub fn of_model(bits: u32) -> u32 {
    bits << 16
}
