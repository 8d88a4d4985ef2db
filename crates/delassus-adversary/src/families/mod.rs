//! Generators of random mechanisms: one file for each family of machines that people build.

mod actuated;
mod balls;
mod beams;
mod belts;
mod billiards;
mod boxes;
mod chains;
mod clutches;
mod cushions;
mod doors;
mod driven;
mod flyers;
mod grippers;
mod hooks;
mod loops;
mod parts;
mod plates;
mod pulses;
mod robots;
mod rods;
mod rollers;
mod ropes;
mod sliders;
mod springs;
mod stops;
mod trains;
mod wheels;

use crate::mechanism::Mechanism;
use crate::random::Random;

/// A family and its name.
pub struct Family {
    pub name: &'static str,
    make: fn(&mut Random) -> Mechanism,
}

const fn family(name: &'static str, make: fn(&mut Random) -> Mechanism) -> Family {
    Family { name, make }
}

/// All families.
pub const FAMILIES: &[Family] = &[
    family("chains", chains::make),
    family("driven", driven::make),
    family("actuated", actuated::make),
    family("pulses", pulses::make),
    family("loops", loops::make),
    family("springs", springs::make),
    family("balls", balls::make),
    family("rods", rods::make),
    family("stops", stops::make),
    family("grippers", grippers::make),
    family("sliders", sliders::make),
    family("trains", trains::make),
    family("flyers", flyers::make),
    family("ropes", ropes::make),
    family("clutches", clutches::make),
    family("boxes", boxes::make),
    family("plates", plates::make),
    family("billiards", billiards::make),
    family("belts", belts::make),
    family("hooks", hooks::make),
    family("robots", robots::make),
    family("doors", doors::make),
    family("rollers", rollers::make),
    family("wheels", wheels::make),
];

/// Families that came later. They are chosen by name, so that the numbers of all earlier models mean what they meant.
pub const LATER: &[Family] = &[family("cushions", cushions::make), family("beams", beams::make)];

/// The mechanism of a family that belongs to a seed.
pub fn make(family: &Family, seed: u64) -> Mechanism {
    let mut random = Random::of(seed, family.name, 0);
    let mut m = (family.make)(&mut random);
    m.salt = random.word();
    m
}
