//! Academic systems written directly as a [`Problem`], without bodies, joints or files.
//!
//! [`System`] is all that a small system has to provide: one function with every term and one with the tangents.
//! [`Dense`] turns it into a [`Problem`] with dense patterns. Planar mechanisms in angles are shorter still: see
//! [`Linkage`].
//!
//! Sign convention: M a = f + Gᵀ λ.
#![allow(dead_code, unused_imports, clippy::excessive_precision, clippy::needless_range_loop)]

mod car_axis;
mod dense;
mod heavy_top;
mod linkage;
mod march;
mod mechanisms;
mod pendulum;

pub use car_axis::*;
pub use dense::*;
pub use heavy_top::*;
pub use linkage::*;
pub use march::*;
pub use mechanisms::*;
pub use pendulum::*;
