//! Writes tables of texts and numbers as Parquet, where a value may be missing: lists of runs, not results over time.

use super::error::WriteError;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;

/// Values of a column; `None` is a missing one.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// UTF-8.
    Text(Vec<Option<String>>),
    /// DOUBLE.
    Number(Vec<Option<f64>>),
    /// INT64.
    Whole(Vec<Option<i64>>),
}

impl Cells {
    fn rows(&self) -> usize {
        match self {
            Cells::Text(v) => v.len(),
            Cells::Number(v) => v.len(),
            Cells::Whole(v) => v.len(),
        }
    }
}

/// Writes optional columns of equal length. The bytes depend only on the arguments: there are no time stamps.
pub fn write_parquet_table(
    w: impl Write + Send,
    columns: &[(&str, Cells)],
    metadata: &[(String, String)],
) -> Result<(), WriteError> {
    let rows = columns.first().map_or(0, |(_, c)| c.rows());
    for (k, (name, cells)) in columns.iter().enumerate() {
        if columns[..k].iter().any(|(n, _)| n == name) {
            return Err(WriteError::DuplicateColumn { column: (*name).to_owned() });
        }
        if cells.rows() != rows {
            let column = (*name).to_owned();
            return Err(WriteError::Length { column, expected: rows, found: cells.rows() });
        }
    }
    let fields = columns
        .iter()
        .map(|(name, cells)| {
            let (physical, logical) = match cells {
                Cells::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                Cells::Number(_) => (Physical::DOUBLE, None),
                Cells::Whole(_) => (Physical::INT64, None),
            };
            Type::primitive_type_builder(name, physical)
                .with_logical_type(logical)
                .with_repetition(Repetition::OPTIONAL)
                .build()
                .map(Arc::new)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("table").with_fields(fields).build()?;
    let pairs = metadata.iter().map(|(k, v)| KeyValue::new(k.clone(), v.clone())).collect();
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_created_by(concat!("delassus ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(pairs))
        .build();
    let mut file = SerializedFileWriter::new(w, Arc::new(schema), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for (_, cells) in columns {
        let Some(mut column) = group.next_column()? else {
            return Err(WriteError::Parquet("a column is missing".to_owned()));
        };
        match cells {
            Cells::Text(v) => {
                let bytes = |x: &String| ByteArray::from(x.as_bytes().to_vec());
                let (known, levels) = known(v, bytes);
                column.typed::<ByteArrayType>().write_batch(&known, Some(&levels), None)?;
            }
            Cells::Number(v) => {
                let (known, levels) = known(v, |x| *x);
                column.typed::<DoubleType>().write_batch(&known, Some(&levels), None)?;
            }
            Cells::Whole(v) => {
                let (known, levels) = known(v, |x| *x);
                column.typed::<Int64Type>().write_batch(&known, Some(&levels), None)?;
            }
        }
        column.close()?;
    }
    group.close()?;
    file.close()?;
    Ok(())
}

/// The values that are not missing, and for each row whether it has one.
fn known<T, U>(cells: &[Option<T>], value: impl Fn(&T) -> U) -> (Vec<U>, Vec<i16>) {
    let levels = cells.iter().map(|c| i16::from(c.is_some())).collect();
    (cells.iter().flatten().map(value).collect(), levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    #[test]
    fn values_and_gaps_read_back() {
        let columns = [
            ("name", Cells::Text(vec![Some("é, \"a\"".to_owned()), None, Some(String::new())])),
            ("x", Cells::Number(vec![None, Some(0.1), Some(f64::INFINITY)])),
            ("n", Cells::Whole(vec![Some(-3), Some(7), None])),
        ];
        let mut file = Vec::new();
        let about = [("set".to_owned(), "smooth".to_owned())];
        write_parquet_table(&mut file, &columns, &about).unwrap();
        let mut again = Vec::new();
        write_parquet_table(&mut again, &columns, &about).unwrap();
        assert_eq!(file, again);
        let mut stored = tempfile::tempfile().unwrap();
        stored.write_all(&file).unwrap();
        let reader = SerializedFileReader::new(stored).unwrap();
        let rows: Vec<Vec<Field>> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().get_column_iter().map(|(_, f)| f.clone()).collect())
            .collect();
        let text = |s: &str| Field::Str(s.to_owned());
        assert_eq!(rows[0], [text("é, \"a\""), Field::Null, Field::Long(-3)]);
        assert_eq!(rows[1], [Field::Null, Field::Double(0.1), Field::Long(7)]);
        assert_eq!(rows[2], [text(""), Field::Double(f64::INFINITY), Field::Null]);
        let pairs = reader.metadata().file_metadata().key_value_metadata().unwrap();
        assert_eq!((pairs[0].key.as_str(), pairs[0].value.as_deref()), ("set", Some("smooth")));
    }

    #[test]
    fn columns_must_fit() {
        let one = || Cells::Whole(vec![Some(1)]);
        let two = || Cells::Whole(vec![Some(1), None]);
        let write = |columns: &[(&str, Cells)]| write_parquet_table(Vec::new(), columns, &[]);
        assert!(matches!(write(&[("a", one()), ("b", two())]), Err(WriteError::Length { .. })));
        let twice = write(&[("a", one()), ("a", one())]);
        assert!(matches!(twice, Err(WriteError::DuplicateColumn { .. })));
        assert!(write(&[]).is_ok() && write(&[("a", Cells::Text(vec![]))]).is_ok());
    }
}
