//! Every changed byte is detected.

use mmoc::{Error, Seed};
use mmoc::{Model, ModelRemedy};

use super::moderate;

/// The error message for bytes that are not a model.
fn refused(bytes: &[u8]) -> String {
    match Model::read(bytes, "m.mmoc") {
        Ok(_) => panic!("damage was not noticed"),
        Err(error @ Error::ModelFile { .. }) => error.to_string(),
        Err(other) => panic!("{other:?}"),
    }
}

fn header_end(bytes: &[u8]) -> usize {
    8 + usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap()
}

#[test]
fn every_flipped_bit_of_the_header_is_noticed() {
    let mut bytes = moderate();
    for bit in 0..8 * header_end(&bytes) {
        bytes[bit / 8] ^= 1 << (bit % 8);
        refused(&bytes);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(Model::read(&bytes[..], "m").is_ok());
}

#[test]
fn ten_thousand_flipped_bits_of_the_body_are_noticed() {
    let mut bytes = moderate();
    let (start, mut stream) = (header_end(&bytes), Seed::new(1).stream());
    for _ in 0..10_000 {
        let place = start + stream.below(bytes.len() - start);
        let bit = 1 << stream.below(8);
        bytes[place] ^= bit;
        assert!(refused(&bytes).contains("by their SHA-256"));
        bytes[place] ^= bit;
    }
}

#[test]
fn a_file_that_ends_too_early_or_too_late_is_noticed_at_every_length() {
    let mut bytes = moderate();
    for length in 0..bytes.len() {
        let message = refused(&bytes[..length]);
        assert!(message.contains("bytes too early"), "{length}: {message}");
    }
    for more in 1..20 {
        bytes.push(0);
        let message = refused(&bytes);
        assert!(message.contains("more bytes after its end"), "{more}");
    }
}

#[test]
fn files_and_streams_give_the_same_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.mmoc");
    let whole = moderate();
    let check = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let found = Model::load(&path).unwrap_err().to_string();
        let expected = refused(bytes).replace("m.mmoc", &path.display().to_string());
        assert_eq!(found, expected);
    };
    let ends = [0, 1, 7, 8, 9, 100, header_end(&whole)];
    for length in ends.into_iter().chain([whole.len() - 33, whole.len() - 1]) {
        std::fs::write(&path, &whole[..length]).unwrap();
        let message = Model::load(&path).unwrap_err().to_string();
        assert!(message.contains("bytes too early"), "{length}: {message}");
    }
    check(&[&whole[..], b"x"].concat());
    for place in [8, 9, header_end(&whole), whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[place] ^= 4;
        check(&bytes);
    }
    // A header that claims to be longer than the file, within and above the limit.
    for place in 2..8 {
        let mut bytes = whole.clone();
        bytes[place] ^= 4;
        std::fs::write(&path, &bytes).unwrap();
        assert!(Model::load(&path).is_err());
        refused(&bytes);
    }
}

#[test]
fn other_files_are_reported_as_not_a_model() {
    let message = refused(b"feature,label\n1,0\n2,1\n");
    let expected = "expected a model, found something else";
    assert!(message.contains(expected), "{message}");
    let error = Model::read(&b"feature,label\n1,0\n2,1\n"[..], "m").unwrap_err();
    assert_eq!(error.remedy(), Some(ModelRemedy::GiveModel));
    let mut other = vec![16, 0, 0, 0, 0, 0, 0, 0];
    other.extend(b"{\"a\": [1, 2, 3]}");
    assert!(refused(&other).contains("the header of a safetensors file"));
    other[8..].fill(b'x');
    assert!(refused(&other).contains("expected a model, found something else"));
}

#[test]
fn declared_sizes_are_not_allocated() {
    // Eight exabytes of coefficients in a file of a few hundred bytes.
    let header = "{\"__metadata__\":{\"mmoc\":\"{}\"},\"outputs.coefficients\":{\"dtype\":\"F64\",\"shape\":\
        [1000000000,1000000000],\"data_offsets\":[0,8000000000000000000]},\"sha256\":{\"dtype\":\"U8\",\
        \"shape\":[32],\"data_offsets\":[8000000000000000000,8000000000000000032]}}";
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend([1; 1000]);
    assert!(refused(&bytes).contains("7999999999999999000 bytes too early"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.mmoc");
    std::fs::write(&path, &bytes).unwrap();
    let message = Model::load(&path).unwrap_err().to_string();
    assert!(
        message.contains("7999999999999999032 bytes too early"),
        "{message}"
    );
}

#[test]
fn unreadable_files_give_io_errors() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("none")] {
        let error = Model::load(&path).unwrap_err();
        assert!(matches!(error, Error::Io { .. }), "{error:?}");
    }
}
