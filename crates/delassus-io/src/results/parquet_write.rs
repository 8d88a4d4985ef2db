//! Writes Parquet.

use super::column::{Column, check, distinct};
use super::error::WriteError;
use parquet::basic::{Compression, Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

/// Rows per row group: bounds what a reader must hold at once.
const GROUP: usize = 1 << 20;

impl From<ParquetError> for WriteError {
    fn from(e: ParquetError) -> Self {
        WriteError::Parquet(e.to_string())
    }
}

/// Writes required DOUBLE columns, uncompressed. Units and frames go into the key-value
/// metadata as `unit.<column>` and `frame.<column>`, before the given pairs.
///
/// The bytes depend only on the columns and metadata: there are no time stamps.
pub fn write_parquet(
    w: impl Write + Send,
    columns: &[Column<'_>],
    metadata: &[(String, String)],
) -> Result<(), WriteError> {
    let rows = check(columns)?;
    write_parquet_parts(w, columns, rows, metadata, |column, rows, out| {
        let values = columns.get(column).and_then(|c| c.values.get(rows));
        out.extend_from_slice(values.unwrap_or_default());
        Ok(())
    })
}

/// The same with values that are read part by part: `read` appends some rows of a column; [`Column::values`] is not
/// used. Every value must satisfy the rules of [`super::GrowingCsv::push`].
pub fn write_parquet_parts(
    w: impl Write + Send,
    columns: &[Column<'_>],
    rows: usize,
    metadata: &[(String, String)],
    mut read: impl FnMut(usize, Range<usize>, &mut Vec<f64>) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    distinct(columns)?;
    let fields = columns
        .iter()
        .map(|c| {
            Type::primitive_type_builder(c.name, Physical::DOUBLE)
                .with_repetition(Repetition::REQUIRED)
                .build()
                .map(Arc::new)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("results").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_writer_version(WriterVersion::PARQUET_1_0)
        // Simulation results hardly repeat; dictionaries would only add cost.
        .set_dictionary_enabled(false)
        .set_created_by(concat!("delassus ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(pairs(columns, metadata)))
        .build();
    let mut file = SerializedFileWriter::new(w, Arc::new(schema), Arc::new(properties))?;
    let mut start = 0;
    let mut values = Vec::new();
    while start < rows {
        let end = rows.min(start + GROUP);
        let mut group = file.next_row_group()?;
        for k in 0..columns.len() {
            let Some(mut column) = group.next_column()? else {
                return Err(WriteError::Parquet("a column is missing".to_owned()));
            };
            values.clear();
            read(k, start..end, &mut values)?;
            column.typed::<DoubleType>().write_batch(&values, None, None)?;
            column.close()?;
        }
        group.close()?;
        start = end;
    }
    file.close()?;
    Ok(())
}

fn pairs(columns: &[Column<'_>], metadata: &[(String, String)]) -> Vec<KeyValue> {
    let mut out = Vec::new();
    for c in columns {
        if !c.unit.is_empty() {
            out.push(KeyValue::new(format!("unit.{}", c.name), c.unit.to_owned()));
        }
        if !c.frame.is_empty() {
            out.push(KeyValue::new(format!("frame.{}", c.name), c.frame.to_owned()));
        }
    }
    let given = metadata.iter();
    out.extend(given.map(|(k, v)| KeyValue::new(k.clone(), v.clone())));
    out
}
