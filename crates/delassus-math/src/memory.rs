//! What a running simulation must remember to continue where it was, as bytes.
//!
//! One traversal serves both directions: [`Remember::remember`] visits every number that a part carries from step to
//! step, and a [`Memory`] either records the number or restores the recorded one. So writing and reading cannot
//! disagree. [`remember!`](crate::remember) writes the traversal of a struct from two lists, what it remembers and what
//! it does not (structure that is rebuilt, and scratch that is overwritten before it is read); a field on neither list
//! does not compile.
//!
//! Numbers keep their bits. Reading never trusts a length: it is bounded by the remaining bytes.

use crate::Quat;
use nalgebra::SMatrix;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The stored memory does not match what is to be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryError {
    /// What did not match.
    pub what: &'static str,
    /// Byte at which it was noticed.
    pub at: usize,
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.at)
    }
}

impl std::error::Error for MemoryError {}

enum Direction<'a> {
    Write(Vec<u8>),
    Read(&'a [u8]),
}

/// Records numbers, or restores them.
pub struct Memory<'a> {
    direction: Direction<'a>,
    at: usize,
    fault: Option<MemoryError>,
}

/// A part with memory.
pub trait Remember {
    /// Visits all of its memory, always in the same order.
    fn remember(&mut self, m: &mut Memory<'_>);
}

/// The whole memory of a part.
pub fn save(part: &mut dyn Remember) -> Vec<u8> {
    let mut m = Memory { direction: Direction::Write(Vec::new()), at: 0, fault: None };
    part.remember(&mut m);
    match m.direction {
        Direction::Write(bytes) => bytes,
        Direction::Read(_) => Vec::new(),
    }
}

/// Restores what [`save`] took from an equally constructed part. After an error the part must not be used.
pub fn restore(part: &mut dyn Remember, bytes: &[u8]) -> Result<(), MemoryError> {
    let mut m = Memory { direction: Direction::Read(bytes), at: 0, fault: None };
    part.remember(&mut m);
    if m.fault.is_none() && m.at != bytes.len() {
        m.fail("more was remembered than there is room for");
    }
    m.fault.map_or(Ok(()), Err)
}

impl Memory<'_> {
    /// Whether numbers are being restored.
    pub fn reads(&self) -> bool {
        matches!(self.direction, Direction::Read(_))
    }

    /// What is being restored does not match; the rest is left unchanged.
    pub fn fail(&mut self, what: &'static str) {
        if self.fault.is_none() {
            self.fault = Some(MemoryError { what, at: self.at });
        }
    }

    /// Whether something did not match.
    pub fn failed(&self) -> bool {
        self.fault.is_some()
    }

    fn bytes<const N: usize>(&mut self, x: [u8; N]) -> [u8; N] {
        match &mut self.direction {
            Direction::Write(bytes) => bytes.extend_from_slice(&x),
            Direction::Read(bytes) => {
                if self.fault.is_some() {
                    return x;
                }
                match bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) {
                    Some(found) => {
                        self.at += N;
                        return *found;
                    }
                    None => self.fail("it ends too early"),
                }
            }
        }
        x
    }

    /// A length, which is rejected if fewer bytes are left.
    fn length(&mut self, len: usize) -> usize {
        let mut found = len as u64;
        found.remember(self);
        if let Direction::Read(bytes) = self.direction
            && (self.failed() || found > (bytes.len() - self.at) as u64)
        {
            self.fail("a list is longer than what is left");
            return len;
        }
        found as usize
    }

    /// A length that cannot change.
    pub fn same_length(&mut self, len: usize) {
        let mut found = len as u64;
        found.remember(self);
        if found != len as u64 {
            self.fail("a list has another length");
        }
    }

    /// A text that cannot change.
    pub fn same_text(&mut self, text: &str) {
        let mut found = text.to_owned();
        found.remember(self);
        if found != text {
            self.fail("it is another run");
        }
    }

    /// Which of `n` cases; the number of the present one goes in, that to be restored comes out.
    pub fn case(&mut self, present: u8, n: u8) -> u8 {
        let [found] = self.bytes([present]);
        if found >= n {
            self.fail("there is no such case");
            return present;
        }
        found
    }
}

macro_rules! plain {
    ($($t:ty),*) => {$(
        impl Remember for $t {
            fn remember(&mut self, m: &mut Memory<'_>) {
                *self = <$t>::from_le_bytes(m.bytes(self.to_le_bytes()));
            }
        }
    )*};
}
plain!(f64, u32, u64, i32, i64);

impl Remember for usize {
    fn remember(&mut self, m: &mut Memory<'_>) {
        let mut x = *self as u64;
        x.remember(m);
        *self = x as usize;
    }
}

impl Remember for bool {
    fn remember(&mut self, m: &mut Memory<'_>) {
        *self = m.case(u8::from(*self), 2) == 1;
    }
}

impl Remember for () {
    fn remember(&mut self, _: &mut Memory<'_>) {}
}

impl Remember for String {
    fn remember(&mut self, m: &mut Memory<'_>) {
        let mut bytes = std::mem::take(self).into_bytes();
        let n = m.length(bytes.len());
        bytes.resize(n, 0);
        for b in &mut bytes {
            [*b] = m.bytes([*b]);
        }
        match String::from_utf8(bytes) {
            Ok(text) => *self = text,
            Err(_) => m.fail("a text is none"),
        }
    }
}

impl<T: Remember + Default> Remember for Vec<T> {
    fn remember(&mut self, m: &mut Memory<'_>) {
        let n = m.length(self.len());
        if m.failed() {
            return;
        }
        self.resize_with(n, T::default);
        for x in self {
            x.remember(m);
            if m.failed() {
                return;
            }
        }
    }
}

impl<T: Remember + Default> Remember for Option<T> {
    fn remember(&mut self, m: &mut Memory<'_>) {
        match m.case(u8::from(self.is_some()), 2) {
            0 => *self = None,
            _ => self.get_or_insert_with(T::default).remember(m),
        }
    }
}

impl<T: Remember + ?Sized> Remember for Box<T> {
    fn remember(&mut self, m: &mut Memory<'_>) {
        (**self).remember(m);
    }
}

impl<T: Remember, const N: usize> Remember for [T; N] {
    fn remember(&mut self, m: &mut Memory<'_>) {
        for x in self {
            x.remember(m);
        }
    }
}

impl<A: Remember, B: Remember> Remember for (A, B) {
    fn remember(&mut self, m: &mut Memory<'_>) {
        self.0.remember(m);
        self.1.remember(m);
    }
}

impl<A: Remember, B: Remember, C: Remember> Remember for (A, B, C) {
    fn remember(&mut self, m: &mut Memory<'_>) {
        self.0.remember(m);
        self.1.remember(m);
        self.2.remember(m);
    }
}

impl<K: Remember + Default + Ord + Clone, V: Remember + Default> Remember for BTreeMap<K, V> {
    fn remember(&mut self, m: &mut Memory<'_>) {
        let mut entries: Vec<(K, V)> = std::mem::take(self).into_iter().collect();
        entries.remember(m);
        *self = entries.into_iter().collect();
    }
}

impl<K: Remember + Default + Ord> Remember for BTreeSet<K> {
    fn remember(&mut self, m: &mut Memory<'_>) {
        let mut entries: Vec<K> = std::mem::take(self).into_iter().collect();
        entries.remember(m);
        *self = entries.into_iter().collect();
    }
}

impl<const R: usize, const C: usize> Remember for SMatrix<f64, R, C> {
    fn remember(&mut self, m: &mut Memory<'_>) {
        for x in self.iter_mut() {
            x.remember(m);
        }
    }
}

impl Remember for Quat {
    fn remember(&mut self, m: &mut Memory<'_>) {
        self.0.remember(m);
    }
}

/// Writes the traversal of [`Remember`](crate::memory::Remember) for a struct:
/// `remember!(Name { what it remembers } where present { options } apart from { what it does not })`. Options that are
/// either present or absent from the start are remembered if present. The last two lists may be omitted.
///
/// ```
/// #[derive(Default)]
/// struct Counter { count: u64, scratch: Vec<f64> }
/// delassus_math::remember!(Counter { count } apart from { scratch });
///
/// let bytes = delassus_math::memory::save(&mut Counter { count: 7, scratch: vec![] });
/// let mut other = Counter::default();
/// delassus_math::memory::restore(&mut other, &bytes)?;
/// assert_eq!(other.count, 7);
/// # Ok::<(), delassus_math::memory::MemoryError>(())
/// ```
#[macro_export]
macro_rules! remember {
    ($name:ident $(<$($g:ident $(: $b:path)?),+>)? { $($kept:ident),* $(,)? }
     $(where present { $($there:ident),* $(,)? })?
     $(apart from { $($rest:ident),* $(,)? })?) => {
        impl $(<$($g $(: $b)?),+>)? $crate::memory::Remember for $name $(<$($g),+>)? {
            fn remember(&mut self, _memory: &mut $crate::memory::Memory<'_>) {
                let Self { $($kept,)* $($($there,)*)? $($($rest: _,)*)? } = self;
                $($crate::memory::Remember::remember($kept, _memory);)*
                $($(if let Some(there) = $there {
                    $crate::memory::Remember::remember(there, _memory);
                })*)?
            }
        }
    };
}

/// Writes the traversal for an enum whose cases carry nothing: `remember_cases!(Name { A, B, C })`.
#[macro_export]
macro_rules! remember_cases {
    ($name:ident { $($case:ident),+ $(,)? }) => {
        impl $crate::memory::Remember for $name {
            fn remember(&mut self, memory: &mut $crate::memory::Memory<'_>) {
                const CASES: &[$name] = &[$($name::$case),+];
                let present = match self { $($name::$case => $name::$case as usize),+ };
                let n = CASES.len() as u8;
                *self = CASES[usize::from(memory.case(present as u8, n))].clone();
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Default)]
    struct Part {
        x: f64,
        list: Vec<(u32, f64)>,
        maybe: Option<Vec<f64>>,
        name: String,
        map: BTreeMap<u64, [bool; 2]>,
        scratch: Vec<f64>,
    }
    remember!(Part { x, list, maybe, name, map } apart from { scratch });

    fn part() -> Part {
        Part {
            x: f64::NAN,
            list: vec![(1, -0.0), (2, 1e-310)],
            maybe: Some(vec![1.0, 2.0]),
            name: "größe".to_owned(),
            map: [(3, [true, false]), (4, [false, true])].into(),
            scratch: vec![5.0],
        }
    }

    #[test]
    fn keeps_every_bit() {
        let bytes = save(&mut part());
        let mut other = Part { scratch: vec![9.0], ..Part::default() };
        restore(&mut other, &bytes).unwrap();
        assert!(other.x.is_nan());
        assert_eq!(save(&mut other), bytes);
        assert_eq!(other.scratch, [9.0]);
        assert!(other.list[0].1.is_sign_negative());
    }

    #[test]
    fn refuses_what_is_damaged() {
        let bytes = save(&mut part());
        for n in 0..bytes.len() {
            assert!(restore(&mut Part::default(), &bytes[..n]).is_err(), "{n} bytes");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(restore(&mut Part::default(), &longer).is_err());
        // a length beyond the remaining bytes allocates no memory
        let mut huge = bytes;
        huge[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(restore(&mut Part::default(), &huge).is_err());
    }
}
