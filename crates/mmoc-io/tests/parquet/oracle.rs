//! Agreement with another implementation, the crate `parquet`, in both directions.

use std::fs::File;
use std::sync::Arc;

use mmoc::data::{Csr, Dataset, Features, Labels, Matrix};
use mmoc_io::{Format, write_file};
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::{cells, read_bytes};

/// A column as the other implementation writes it; `None` is missing.
#[derive(Debug, Clone)]
enum Column {
    Boolean(Vec<Option<bool>>),
    Int32(Vec<Option<i32>>),
    Unsigned(Vec<Option<i32>>),
    Int64(Vec<Option<i64>>),
    Float(Vec<Option<f32>>),
    Double(Vec<Option<f64>>),
    Word(Vec<Option<String>>),
}

impl Column {
    fn declaration(&self, name: &str) -> String {
        let kind = match self {
            Self::Boolean(_) => "BOOLEAN",
            Self::Int32(_) | Self::Unsigned(_) => "INT32",
            Self::Int64(_) => "INT64",
            Self::Float(_) => "FLOAT",
            Self::Double(_) => "DOUBLE",
            Self::Word(_) => "BYTE_ARRAY",
        };
        let meaning = match self {
            Self::Unsigned(_) => " (INTEGER(32, false))",
            Self::Word(_) => " (STRING)",
            _ => "",
        };
        format!("OPTIONAL {kind} {name}{meaning};")
    }

    /// The encoding without a dictionary, of the two that fit.
    fn encoding(&self, other: bool) -> Encoding {
        match self {
            _ if !other => Encoding::PLAIN,
            Self::Boolean(_) => Encoding::RLE,
            Self::Int32(_) | Self::Unsigned(_) | Self::Int64(_) => Encoding::DELTA_BINARY_PACKED,
            Self::Float(_) | Self::Double(_) => Encoding::BYTE_STREAM_SPLIT,
            Self::Word(_) => Encoding::DELTA_BYTE_ARRAY,
        }
    }

    /// What we must make of it.
    fn numbers(&self) -> Vec<Option<f64>> {
        fn each<T: Clone>(cells: &[Option<T>], number: impl Fn(T) -> f64) -> Vec<Option<f64>> {
            cells.iter().map(|cell| cell.clone().map(&number)).collect()
        }
        match self {
            Self::Boolean(cells) => each(cells, |cell| f64::from(u8::from(cell))),
            Self::Int32(cells) => each(cells, f64::from),
            Self::Unsigned(cells) => each(cells, |cell| f64::from(cell.cast_unsigned())),
            #[allow(clippy::cast_precision_loss, reason = "as documented")]
            Self::Int64(cells) => each(cells, |cell| cell as f64),
            Self::Float(cells) => each(cells, f64::from),
            Self::Double(cells) => cells.clone(),
            // Both words are always there: see the strategy.
            Self::Word(cells) => each(cells, |cell| f64::from(u8::from(cell == "zwei"))),
        }
    }
}

#[derive(Debug, Clone)]
struct Way {
    compression: Compression,
    version: WriterVersion,
    dictionary: bool,
    other_encoding: bool,
    page_rows: usize,
    group_rows: usize,
}

fn way() -> impl Strategy<Value = Way> {
    let compression = prop::sample::select(vec![
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(parquet::basic::GzipLevel::default()),
        Compression::ZSTD(parquet::basic::ZstdLevel::default()),
        Compression::LZ4_RAW,
    ]);
    let version =
        prop::sample::select(vec![WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0]);
    let flags = (any::<bool>(), any::<bool>());
    (compression, version, flags, 1..9_usize, 1..30_usize).prop_map(
        |(compression, version, (dictionary, other_encoding), page_rows, group_rows)| Way {
            compression,
            version,
            dictionary,
            other_encoding,
            page_rows,
            group_rows,
        },
    )
}

/// Columns of as many cells, one of each kind, with long runs and without.
fn columns() -> impl Strategy<Value = Vec<Column>> {
    fn cells<T: Clone + std::fmt::Debug + 'static>(
        value: impl Strategy<Value = T> + Clone + 'static,
        rows: usize,
    ) -> impl Strategy<Value = Vec<Option<T>>> {
        let some = prop::option::weighted(0.9, value.clone());
        let run = (value, 1..40_usize);
        let runs = prop::collection::vec(run, rows).prop_map(move |runs| {
            let long = runs.into_iter().flat_map(|(value, n)| vec![Some(value); n]);
            long.take(rows).collect()
        });
        prop_oneof![prop::collection::vec(some, rows), runs]
    }
    (2..60_usize).prop_flat_map(|rows| {
        let words = prop::sample::select(vec!["eins".to_owned(), "zwei".to_owned()]);
        (
            cells(any::<bool>(), rows).prop_map(Column::Boolean),
            cells(any::<i32>(), rows).prop_map(Column::Int32),
            cells(any::<i32>(), rows).prop_map(Column::Unsigned),
            cells(any::<i64>(), rows).prop_map(Column::Int64),
            cells(prop::num::f32::NORMAL | prop::num::f32::ZERO, rows).prop_map(Column::Float),
            cells(prop::num::f64::NORMAL | prop::num::f64::ZERO, rows).prop_map(Column::Double),
            cells(words, rows).prop_map(|mut cells| {
                // So that two words become one column whose second is 1.
                cells.insert(0, Some("eins".into()));
                cells[1] = Some("zwei".into());
                cells.truncate(cells.len() - 1);
                Column::Word(cells)
            }),
        )
            .prop_map(|(a, b, c, d, e, f, g)| vec![a, b, c, d, e, f, g])
    })
}

/// The file of the columns and a label that no row carries.
fn written(columns: &[Column], way: &Way) -> Vec<u8> {
    let rows = columns[0].numbers().len();
    let named = columns.iter().enumerate();
    let declarations: Vec<String> = named
        .map(|(index, column)| column.declaration(&format!("c{index}")))
        .collect();
    let schema = format!(
        "message m {{ {} REQUIRED BOOLEAN l; }}",
        declarations.join(" ")
    );
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let mut properties = WriterProperties::builder()
        .set_compression(way.compression)
        .set_writer_version(way.version)
        .set_dictionary_enabled(way.dictionary)
        .set_write_batch_size(1)
        .set_data_page_row_count_limit(way.page_rows);
    for (index, column) in columns.iter().enumerate() {
        let encoding = column.encoding(way.other_encoding);
        properties = properties.set_column_encoding(format!("c{index}").into(), encoding);
    }
    let properties = Arc::new(properties.build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    for start in (0..rows).step_by(way.group_rows) {
        let end = rows.min(start + way.group_rows);
        let mut group = writer.next_row_group().unwrap();
        for column in columns {
            put(column, start..end, &mut group);
        }
        put_cells::<BoolType>(&vec![Some(false); end - start], true, &mut group);
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

type GroupWriter<'a> = parquet::file::writer::SerializedRowGroupWriter<'a, Vec<u8>>;

fn put(column: &Column, rows: std::ops::Range<usize>, group: &mut GroupWriter<'_>) {
    match column {
        Column::Boolean(cells) => put_cells::<BoolType>(&cells[rows], false, group),
        Column::Int32(cells) | Column::Unsigned(cells) => {
            put_cells::<Int32Type>(&cells[rows], false, group);
        }
        Column::Int64(cells) => put_cells::<Int64Type>(&cells[rows], false, group),
        Column::Float(cells) => put_cells::<FloatType>(&cells[rows], false, group),
        Column::Double(cells) => put_cells::<DoubleType>(&cells[rows], false, group),
        Column::Word(cells) => {
            let bytes = |cell: &Option<String>| cell.as_deref().map(ByteArray::from);
            let cells: Vec<_> = cells[rows].iter().map(bytes).collect();
            put_cells::<ByteArrayType>(&cells, false, group);
        }
    }
}

fn put_cells<T: DataType>(cells: &[Option<T::T>], required: bool, group: &mut GroupWriter<'_>) {
    let values: Vec<T::T> = cells.iter().flatten().cloned().collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let levels = (!required).then_some(levels.as_slice());
    let mut writer = group.next_column().unwrap().unwrap();
    writer
        .typed::<T>()
        .write_batch(&values, levels, None)
        .unwrap();
    writer.close().unwrap();
}

/// Data sets with missing cells, dense and sparse.
fn datasets() -> impl Strategy<Value = Dataset> {
    let value = prop_oneof![
        4 => Just(0.0),
        2 => prop::num::f64::NORMAL,
        1 => prop::num::f64::SUBNORMAL,
        1 => Just(f64::NAN),
    ];
    (1..40_usize, 1..5_usize, 1..4_usize).prop_flat_map(move |(rows, columns, labels)| {
        let values = prop::collection::vec(value.clone(), rows * columns);
        let flags = prop::collection::vec(any::<bool>(), rows * labels);
        (values, flags, any::<bool>()).prop_map(move |(values, flags, dense)| {
            let cells = Matrix::new(rows, columns, values).unwrap();
            let features = if dense {
                Features::Dense(cells)
            } else {
                Features::Sparse(Csr::from(&cells))
            };
            let names =
                |prefix: &str, count| (0..count).map(|i| format!("{prefix}ö {i}")).collect();
            let labels_of = Labels::from_fn(rows, labels, |row, label| flags[row * labels + label]);
            let (features_names, label_names) = (names("x", columns), names("y", labels));
            Dataset::new("d", features, labels_of, features_names, label_names).unwrap()
        })
    })
}

proptest! {
    #[test]
    fn what_another_implementation_writes_is_read(columns in columns(), way in way()) {
        let dataset = read_bytes(&written(&columns, &way), "l").unwrap();
        let numbers: Vec<_> = columns.iter().map(Column::numbers).collect();
        for (row, found) in cells(&dataset).iter().enumerate() {
            let wanted: Vec<_> = numbers.iter().map(|column| column[row]).collect();
            prop_assert_eq!(found, &wanted);
        }
    }

    #[test]
    fn another_implementation_reads_what_we_write(dataset in datasets()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.parquet");
        write_file(&dataset, Format::Parquet, &path).unwrap();
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let wanted = cells(&dataset);
        let mut rows = 0;
        for (row, found) in reader.get_row_iter(None).unwrap().enumerate() {
            let found = found.unwrap();
            let mut columns = found.get_column_iter();
            for (name, &cell) in dataset.feature_names().iter().zip(&wanted[row]) {
                let field = cell.map_or(Field::Null, Field::Double);
                prop_assert_eq!(columns.next().unwrap(), (name, &field));
            }
            for (label, name) in dataset.label_names().iter().enumerate() {
                let field = Field::Bool(dataset.labels().contains(row, label));
                prop_assert_eq!(columns.next().unwrap(), (name, &field));
            }
            rows += 1;
        }
        prop_assert_eq!(rows, dataset.rows());
    }

    #[test]
    fn what_we_write_we_read_without_being_told_the_labels(dataset in datasets()) {
        let mut bytes = Vec::new();
        mmoc_io::write(&dataset, Format::Parquet, &mut bytes).unwrap();
        let options = mmoc_io::ReadOptions {
            labels: mmoc_io::LabelSource::Auto,
            ..super::options("l")
        };
        let again = mmoc_io::read_from(bytes.as_slice(), "d", &options).unwrap().dataset;
        prop_assert_eq!(cells(&again), cells(&dataset));
        prop_assert_eq!(again.labels(), dataset.labels());
        prop_assert_eq!(again.feature_names(), dataset.feature_names());
        prop_assert_eq!(again.label_names(), dataset.label_names());
    }
}
