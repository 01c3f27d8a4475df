//! The bytes of an ONNX file, read by a decoder of protobuf that shares nothing with the encoder, and refusals.

use std::collections::HashSet;

use mmoc::Model;
use mmoc::data::{Dataset, Features, Labels, Matrix};
use mmoc::method::{BinaryRelevance, CodingCs, MaxMargin, TermKind, Terms};
use mmoc::posterior::Decision;
use mmoc_onnx::{Error, ExportRemedy, save, to_bytes};

/// A field of a message: its number, and its bytes or its integer.
enum Field<'a> {
    Bytes(u64, &'a [u8]),
    Integer(u64, u64),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().expect("a varint ends");
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
    }
    panic!("a varint has at most ten bytes");
}

fn fields(mut bytes: &[u8]) -> Vec<Field<'_>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let length = match key & 7 {
            0 => {
                found.push(Field::Integer(key >> 3, varint(&mut bytes)));
                continue;
            }
            1 => 8,
            2 => usize::try_from(varint(&mut bytes)).unwrap(),
            5 => 4,
            other => panic!("wire type {other}"),
        };
        let (own, rest) = bytes.split_at(length);
        found.push(Field::Bytes(key >> 3, own));
        bytes = rest;
    }
    found
}

/// The submessages, texts or bytes of a field.
fn all(message: &[u8], number: u64) -> Vec<&[u8]> {
    let own = |field| match field {
        Field::Bytes(found, bytes) if found == number => Some(bytes),
        _ => None,
    };
    fields(message).into_iter().filter_map(own).collect()
}

fn texts(message: &[u8], number: u64) -> Vec<&str> {
    let text = |bytes| std::str::from_utf8(bytes).unwrap();
    all(message, number).into_iter().map(text).collect()
}

fn integer(message: &[u8], number: u64) -> u64 {
    let own = |field| match field {
        Field::Integer(found, value) if found == number => Some(value),
        _ => None,
    };
    fields(message).into_iter().find_map(own).unwrap()
}

fn songs() -> Dataset {
    let value = |i: usize, j: usize| ((7 * i + 3 * j + i * j) % 11) as f64;
    let features = Features::Dense(Matrix::from_fn(40, 3, value));
    let labels = Labels::from_fn(40, 3, |i, j| value(i, j) > 5.0);
    let names = |start: &str| (0..3).map(|k| format!("{start}{k}")).collect();
    Dataset::new("songs", features, labels, names("x"), names("y")).unwrap()
}

fn max_margin(kinds: &[TermKind]) -> Model {
    let method = MaxMargin::default().terms(Terms::of(kinds));
    method.fit(&songs()).unwrap()
}

const LINEAR: [TermKind; 3] = [TermKind::Labels, TermKind::Code, TermKind::Frequency];

#[test]
fn every_tensor_is_computed_once_before_it_is_used() {
    for decision in [Decision::Subset, Decision::F1, Decision::MacroF1] {
        let model = max_margin(&LINEAR).with_decision(decision).unwrap();
        let file = to_bytes(&model).unwrap();
        let graph = all(&file, 7)[0];
        let name = |message: &[u8], number| texts(message, number)[0].to_owned();
        let mut known: HashSet<String> = HashSet::new();
        known.extend(all(graph, 11).iter().map(|own| name(own, 1)));
        known.extend(all(graph, 5).iter().map(|own| name(own, 8)));
        for node in all(graph, 1) {
            for input in texts(node, 1) {
                assert!(known.contains(input), "{input}");
            }
            for output in texts(node, 2) {
                assert!(known.insert(output.to_owned()), "{output}");
            }
        }
        let outputs: Vec<String> = all(graph, 12).iter().map(|own| name(own, 1)).collect();
        assert_eq!(outputs, ["labels", "probabilities", "confidence"]);
        assert!(outputs.iter().all(|output| known.contains(output)));
    }
}

#[test]
fn constants_have_the_bytes_of_their_shape_and_the_coefficients_of_the_model() {
    let model = BinaryRelevance::default().fit(&songs()).unwrap();
    let file = to_bytes(&model).unwrap();
    let constants = all(all(&file, 7)[0], 5);
    for constant in &constants {
        // Sizes that are repeated are packed.
        let mut sizes = all(constant, 1).first().copied().unwrap_or_default();
        let mut count = 1;
        while !sizes.is_empty() {
            count *= varint(&mut sizes);
        }
        let element = match integer(constant, 2) {
            2 => 1,
            7 | 11 => 8,
            other => panic!("element type {other}"),
        };
        assert_eq!(all(constant, 9)[0].len() as u64, count * element);
    }
    let coefficients = model.predictor().outputs().coefficients().values();
    let bytes: Vec<u8> = coefficients
        .iter()
        .flat_map(|own| own.to_le_bytes())
        .collect();
    assert!(constants.iter().any(|own| all(own, 9)[0] == bytes));
}

#[test]
fn versions_and_metadata_are_those_of_the_model() {
    let file = to_bytes(&max_margin(&LINEAR)).unwrap();
    assert_eq!(integer(&file, 1), 7);
    assert_eq!(texts(&file, 2), ["mmoc"]);
    assert_eq!(integer(all(&file, 8)[0], 2), 13);
    let said: Vec<(&str, &str)> = all(&file, 14)
        .into_iter()
        .map(|entry| (texts(entry, 1)[0], texts(entry, 2)[0]))
        .collect();
    assert!(
        said.contains(&("mmoc.columns", r#"["x0","x1","x2"]"#)),
        "{said:?}"
    );
    assert!(
        said.contains(&("mmoc.labels", r#"["y0","y1","y2"]"#)),
        "{said:?}"
    );
    assert!(said.contains(&("mmoc.decide", "subset")), "{said:?}");
}

#[test]
fn what_cannot_be_exported_is_refused_by_name_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    let forest = max_margin(&[TermKind::Labels, TermKind::Neighbours, TermKind::Forest]);
    let error = save(&forest, &path).unwrap_err();
    assert_eq!(error.remedy(), Some(ExportRemedy::TrainWithoutTerms));
    assert!(matches!(error, Error::Terms(names) if names == ["neighbours", "forest"]));
    let recovered = CodingCs::default().fit(&songs()).unwrap();
    let error = save(&recovered, &path).unwrap_err();
    assert_eq!(error.remedy(), Some(ExportRemedy::TrainOtherMethod));
    assert!(matches!(error, Error::Decoder("cosamp")));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let good = max_margin(&LINEAR);
    save(&good, &path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), to_bytes(&good).unwrap());
}
