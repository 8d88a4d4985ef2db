//! Result files: columns of numbers as CSV or Parquet, written so that a file with the final name is always complete
//! and finite.
//!
//! ```
//! use delassus_io::results::{Column, write_csv};
//! let t = [0.0, 0.1];
//! let theta = [1.0, 0.995];
//! let columns = [
//!     Column { name: "t", unit: "s", frame: "", values: &t, may_lack: false },
//!     Column { name: "theta", unit: "rad", frame: "", values: &theta, may_lack: false },
//! ];
//! let mut out = Vec::new();
//! write_csv(&mut out, &columns)?;
//! assert_eq!(out, b"t,theta\n0,1\n0.1,0.995\n");
//! # Ok::<(), delassus_io::results::WriteError>(())
//! ```

mod atomic;
mod checkpoint;
mod column;
mod contacts_file;
mod csv_read;
mod csv_write;
mod error;
mod events_read;
mod events_write;
mod free_space;
mod growing;
mod motion_file;
mod parquet_table;
mod parquet_write;
mod regular;
mod size_limit;
mod spill;

pub use atomic::{ResultWriter, atomic_write, sync_folder};
pub use checkpoint::{Checkpoint, CheckpointError, read_checkpoint, write_checkpoint};
pub use column::Column;
pub use contacts_file::{ContactPoints, ContactRow, read_contacts, write_contacts};
pub use csv_read::{
    CsvError, CsvTable, Salvaged, Thinning, read_csv, read_csv_from, salvage_csv, salvage_thinned,
};
pub use csv_write::write_csv;
pub use error::WriteError;
pub use events_read::{EventRow, read_events};
pub use events_write::write_events;
pub use free_space::free_space;
pub use growing::{CsvRows, GrowingCsv};
pub use motion_file::{GrowingMotion, MotionFile, ReadMotion, crc32, read_motion, write_motion};
pub use parquet_table::{Cells, write_parquet_table};
pub use parquet_write::{write_parquet, write_parquet_parts};
pub use regular::{open_regular, read_regular, read_regular_text};
pub use spill::Spill;
