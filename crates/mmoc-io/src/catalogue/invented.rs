//! An invented data set for tests: small, and known to the byte.

use super::{KnownDataset, KnownFile, digest};

/// The entry of an invented data set, and its bytes.
pub(super) struct Invented {
    pub(super) entry: KnownDataset,
    pub(super) rows: Vec<u8>,
    pub(super) xml: Vec<u8>,
}

/// A data set of one file of rows, 100 kB of bytes without a period, and an XML of a few.
pub(super) fn invented() -> Invented {
    let rows: Vec<u8> = (0u64..100_000).map(|i| ((i * i) >> 7) as u8).collect();
    let xml = b"<labels/>".to_vec();
    let entry = KnownDataset {
        name: "birds",
        arff: Box::leak(Box::new([known("birds.arff", &rows)])),
        xml: known("birds.xml", &xml),
        rows: 1,
        features: 1,
        labels: 1,
        summary: "invented",
        citation: "none",
        in_the_paper: None,
    };
    Invented { entry, rows, xml }
}

fn known(name: &'static str, contents: &[u8]) -> KnownFile {
    KnownFile {
        name,
        bytes: contents.len() as u64,
        sha256: String::leak(digest::of(contents).expect("bytes in memory can be read")),
    }
}
