//! Files that are whole but not what we read, and what is said about them.

use std::sync::Arc;

use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use mmoc::data::{Attribute, Features, Matrix, Schema};
use mmoc_io::{Format, Remedy, RowStream, StreamOptions, Times, read_from};

use super::{cells, message, options, read_bytes};

/// A file of a column that `declaration` declares and a label.
fn file<T: DataType>(declaration: &str, value: &T::T, label: bool) -> Vec<u8> {
    labelled::<T, BoolType>(declaration, value, "BOOLEAN", &label)
}

fn labelled<T: DataType, L: DataType>(
    declaration: &str,
    value: &T::T,
    label_kind: &str,
    label: &L::T,
) -> Vec<u8> {
    let schema = format!("message m {{ {declaration} REQUIRED {label_kind} l; }}");
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    put::<T>(&mut group, value);
    put::<L>(&mut group, label);
    group.close().unwrap();
    writer.into_inner().unwrap()
}

fn put<T: DataType>(
    group: &mut parquet::file::writer::SerializedRowGroupWriter<'_, Vec<u8>>,
    value: &T::T,
) {
    let mut writer = group.next_column().unwrap().unwrap();
    let values = std::slice::from_ref(value);
    let levels = [1];
    writer
        .typed::<T>()
        .write_batch(values, Some(&levels), Some(&[0]))
        .unwrap();
    writer.close().unwrap();
}

#[test]
fn columns_that_are_neither_numbers_nor_words_are_refused_by_name() {
    let int32 = |declaration| file::<Int32Type>(declaration, &7, false);
    let int64 = |declaration| file::<Int64Type>(declaration, &7, false);
    let bytes = |declaration| file::<ByteArrayType>(declaration, &ByteArray::from("x"), false);
    let fixed = FixedLenByteArray::from(vec![0; 4]);
    let cases = [
        (int32("REQUIRED INT32 c (DATE);"), "dates"),
        (int64("REQUIRED INT64 c (TIMESTAMP(MILLIS,true));"), "times"),
        (
            int64("REQUIRED INT64 c (TIME(MICROS,true));"),
            "times of day",
        ),
        (bytes("REQUIRED BYTE_ARRAY c;"), "bytes"),
        (bytes("REQUIRED BYTE_ARRAY c (JSON);"), "JSON"),
        (
            file::<FixedLenByteArrayType>("REQUIRED FIXED_LEN_BYTE_ARRAY (4) c;", &fixed, false),
            "bytes",
        ),
        (int32("REPEATED INT32 c;"), "a list or a table of its own"),
        (
            int32("REQUIRED GROUP c { REQUIRED INT32 d; }"),
            "a list or a table of its own",
        ),
        (
            int32("REQUIRED GROUP c (LIST) { REPEATED GROUP list { OPTIONAL INT32 element; } }"),
            "a list or a table of its own",
        ),
    ];
    for (bytes, found) in cases {
        let expected = format!("f: expected numbers, words or booleans in 'c', found {found}");
        assert_eq!(message(&bytes), expected);
    }
}

#[test]
fn dates_and_times_become_numbers_if_asked_for() {
    let options = mmoc_io::ReadOptions {
        times: mmoc_io::Times::Numbers,
        ..super::options("l")
    };
    let cases = [
        (
            file::<Int32Type>("REQUIRED INT32 c (DATE);", &7, false),
            7.0,
        ),
        (
            file::<Int64Type>(
                "REQUIRED INT64 c (TIMESTAMP(MILLIS,true));",
                &129_600_000,
                false,
            ),
            1.5,
        ),
        (
            file::<Int64Type>(
                "REQUIRED INT64 c (TIME(MICROS,true));",
                &64_800_000_000,
                false,
            ),
            0.75,
        ),
    ];
    for (bytes, expected) in cases {
        let read = mmoc_io::read_from(bytes.as_slice(), "f", &options).unwrap();
        assert_eq!(super::cells(&read.dataset), [[Some(expected)]]);
    }
}

#[test]
fn decimals_become_the_nearest_numbers() {
    let bytes = file::<Int32Type>("REQUIRED INT32 c (DECIMAL(5,2));", &12345, false);
    let dataset = read_bytes(&bytes, "l").unwrap();
    assert_eq!(super::cells(&dataset), [[Some(123.45)]]);
}

#[test]
fn cells_that_cannot_be_are_named_by_row_and_column() {
    let double = |value: f64| file::<DoubleType>("REQUIRED DOUBLE c;", &value, false);
    let word = ByteArray::from("perhaps");
    let cases = [
        (
            double(f64::INFINITY),
            "'c': expected a finite number, found inf".to_owned(),
        ),
        (
            double(f64::NAN),
            "'c': expected a value, found a missing cell".to_owned(),
        ),
        (
            labelled::<Int32Type, Int32Type>("REQUIRED INT32 c;", &1, "INT32", &2),
            "'l': expected 0 or 1 for a label, found 2".to_owned(),
        ),
        (
            labelled::<Int32Type, DoubleType>("REQUIRED INT32 c;", &1, "DOUBLE", &f64::NAN),
            "'l': expected 0 or 1 for a label, found a missing cell".to_owned(),
        ),
    ];
    for (bytes, expected) in cases {
        assert_eq!(message(&bytes), format!("f: row 1 of {expected}"));
    }
    let bytes = file::<ByteArrayType>("REQUIRED BYTE_ARRAY c (STRING);", &word, true);
    let message = read_bytes(&bytes, "c").unwrap_err().to_string();
    assert_eq!(
        message,
        "f: row 1 of 'c': expected 0 or 1 for the label 'c', found 'perhaps'"
    );
}

#[test]
fn labels_must_be_chosen_unless_the_file_says_them() {
    let bytes = file::<DoubleType>("REQUIRED DOUBLE c;", &1.0, true);
    let cases = [
        (
            "nobody",
            "f: expected a column named 'nobody', found only 'c', 'l'",
        ),
        (
            "2",
            "f: expected at least one label and fewer than the 2 columns, found 2",
        ),
        ("*", "f: expected a column that is no label, found none"),
    ];
    for (labels, expected) in cases {
        let message = read_bytes(&bytes, labels).unwrap_err().to_string();
        assert_eq!(message, expected);
    }
    let options = mmoc_io::ReadOptions {
        labels: mmoc_io::LabelSource::Auto,
        ..super::options("l")
    };
    let message = mmoc_io::read_from(bytes.as_slice(), "f", &options).unwrap_err();
    let expected = "f: expected a choice of labels, found none";
    assert_eq!(message.to_string(), expected);
}

#[test]
fn what_is_no_parquet_file_is_said_to_be_none() {
    for bytes in [&b""[..], b"PAR1", b"a,b\n1,2\n", b"PAR1\0\0\0\0PAR2"] {
        assert_eq!(
            message(bytes),
            "f: expected a Parquet file, found something else"
        );
    }
    let encrypted = b"PAR1\0\0\0\0PARE";
    assert_eq!(
        message(encrypted),
        "f: expected a file that is not encrypted, found one that is"
    );
}

#[test]
fn dates_in_text_become_numbers_where_that_is_asked_for() {
    let text = |word: &str| {
        file::<ByteArrayType>(
            "REQUIRED BYTE_ARRAY c (STRING);",
            &ByteArray::from(word),
            true,
        )
    };
    let read = |word: &str| {
        let options = options("l").times(Times::Numbers);
        read_from(text(word).as_slice(), "f", &options).map(|loaded| loaded.dataset)
    };
    assert_eq!(cells(&read("1970-01-03").unwrap()), [[Some(2.0)]]);
    assert_eq!(cells(&read("1970-01-01 18:00").unwrap()), [[Some(0.75)]]);
    assert_eq!(cells(&read("2 Jan 1970 6:00 PM").unwrap()), [[Some(1.75)]]);
    assert_eq!(read("5").unwrap().attributes()[0].name(), "c");
    let refused = read_bytes(&text("1970-01-03"), "l").unwrap_err();
    assert_eq!(refused.remedy(), Some(Remedy::NumberTimes));
    let refused = read("03/04/2024").unwrap_err();
    assert_eq!(refused.remedy(), Some(Remedy::IgnoreColumn));
    let refused = read("1,5").unwrap_err();
    assert_eq!(refused.remedy(), Some(Remedy::WritePoints));
}

/// A model that was trained on dates finds them in text.
#[test]
fn dates_in_text_are_matched_to_the_numbers_of_a_model() {
    let bytes = file::<ByteArrayType>(
        "REQUIRED BYTE_ARRAY c (STRING);",
        &ByteArray::from("1970-01-03"),
        true,
    );
    let schema = Schema::new(vec![Attribute::numeric("c")], vec!["l".into()], false).unwrap();
    let read = |times| {
        let options = StreamOptions {
            format: Some(Format::Parquet),
            times,
            ..StreamOptions::default()
        };
        let mut rows = RowStream::from_reader(bytes.as_slice(), "f", &schema, &options)?;
        rows.next_batch()
    };
    let batch = read(Times::Numbers).unwrap().expect("a row");
    let expected = Matrix::new(1, 1, vec![2.0]).unwrap();
    assert_eq!(batch.features, Features::Dense(expected));
    assert_eq!(
        read(Times::Refuse).unwrap_err().remedy(),
        Some(Remedy::ReadTimes)
    );
}
