//! Packing.

use crate::error::FmuError;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// An archive of files, given by path and content, in this order. The same files give the same bytes.
pub fn pack(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, FmuError> {
    let fault = |e: &dyn std::fmt::Display| {
        FmuError::new("E_FMU", format!("the archive cannot be written: {e}"), "report this")
    };
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        let library = path.starts_with("binaries/");
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(6))
            .last_modified_time(DateTime::default())
            .unix_permissions(if library { 0o755 } else { 0o644 });
        writer.start_file(path.as_str(), options).map_err(|e| fault(&e))?;
        writer.write_all(bytes).map_err(|e| fault(&e))?;
    }
    Ok(writer.finish().map_err(|e| fault(&e))?.into_inner())
}
