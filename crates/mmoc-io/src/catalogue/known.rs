//! The list of known data sets, with the sizes and digests of their files.

use mmoc::data::Dataset;
use serde::Serialize;

/// Where the files are fetched from unless another base is given: `BASE/<name>/<file>`.
pub const BASE_ADDRESS: &str =
    "https://raw.githubusercontent.com/tsoumakas/mulan/master/data/multi-label";

/// A known data set.
#[derive(Debug)]
pub struct KnownDataset {
    /// Its name.
    pub name: &'static str,
    /// Its rows, in files to be read one after the other.
    pub arff: &'static [KnownFile],
    /// The list of its labels.
    pub xml: KnownFile,
    /// Number of rows.
    pub rows: usize,
    /// Number of features.
    pub features: usize,
    /// Number of labels.
    pub labels: usize,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// How the paper prepares it, if it is one of the paper's three.
    pub in_the_paper: Option<Preparation>,
}

/// A file and its known contents.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct KnownFile {
    /// Its name.
    pub name: &'static str,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its contents, 64 lower-case hexadecimal digits.
    pub sha256: &'static str,
}

/// How rows are prepared once all files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Preparation {
    /// The number of labels that are kept, the most frequent ones; all if none.
    pub top_labels: Option<usize>,
    /// Whether rows without any of these labels are left out.
    pub drop_empty_rows: bool,
    /// Number of rows that remain.
    pub rows: usize,
}

impl KnownDataset {
    /// The data set of a name.
    pub fn of(name: &str) -> Option<&'static Self> {
        CATALOGUE.iter().find(|entry| entry.name == name)
    }

    /// All its files: the rows in order, then the labels.
    pub fn files(&self) -> impl Iterator<Item = &KnownFile> {
        self.arff.iter().chain([&self.xml])
    }
}

impl Preparation {
    /// The rows as the paper uses them.
    pub fn apply(&self, mut dataset: Dataset) -> mmoc::Result<Dataset> {
        if let Some(count) = self.top_labels {
            dataset = dataset.keep_frequent_labels(count)?;
        }
        if self.drop_empty_rows {
            dataset = dataset.drop_empty_rows()?;
        }
        Ok(dataset)
    }
}

const fn file(name: &'static str, bytes: u64, sha256: &'static str) -> KnownFile {
    KnownFile {
        name,
        bytes,
        sha256,
    }
}

const fn unchanged(rows: usize) -> Preparation {
    Preparation {
        top_labels: None,
        drop_empty_rows: false,
        rows,
    }
}

/// "Many labels in Medical are rare, so we select the 10 most common labels to study."
const MEDICAL: Preparation = Preparation {
    top_labels: Some(10),
    drop_empty_rows: true,
    rows: 785,
};

/// The known data sets, those of the paper first.
pub const CATALOGUE: &[KnownDataset] = &[
    KnownDataset {
        name: "emotions",
        arff: &[file(
            "emotions.arff",
            380_476,
            "6f2f790047073d1293ac0872c0d55f2dc98b6177802fc96c6b66b309dfee1e4b",
        )],
        xml: file(
            "emotions.xml",
            323,
            "dbce8e6ccbbb2fcbfd9e9edbb230d7ed12692c6e13f59fdbc0161fa9b6cf2dc0",
        ),
        rows: 593,
        features: 72,
        labels: 6,
        summary: "Songs with features of rhythm and timbre, labelled with the emotions they evoke",
        citation: "Trohidis, Tsoumakas, Kalliris, Vlahavas: Multilabel classification of music into emotions, ISMIR 2008",
        in_the_paper: Some(unchanged(593)),
    },
    KnownDataset {
        name: "scene",
        arff: &[
            file(
                "scene-train.arff",
                3_127_968,
                "b53ba93bdf412de922e3960389bcee24744fa3e872ce610511fc1d750888b64d",
            ),
            file(
                "scene-test.arff",
                3_090_742,
                "ea38d20296b3ff7e220f477a3b802a9bcb2d768881fe6ee163efbc97ea527a42",
            ),
        ],
        xml: file(
            "scene.xml",
            285,
            "55d8b247b949ad5c52e5a73d8c6775ec6e5469ce9682465b45b333b68ee4bcc5",
        ),
        rows: 2407,
        features: 294,
        labels: 6,
        summary: "Photographs with colour moments of a grid, labelled with the kinds of scene they show",
        citation: "Boutell, Luo, Shen, Brown: Learning multi-label scene classification, Pattern Recognition 37(9), 2004",
        in_the_paper: Some(unchanged(2407)),
    },
    KnownDataset {
        name: "medical",
        arff: &[file(
            "medical.arff",
            129_626,
            "ad0630a9a409ed0023c3bb56a0be7610b635c1ca185c6035e3b198b01167aac4",
        )],
        xml: file(
            "medical.xml",
            1_818,
            "51fa9d5c09e48caff3f0a0c75db1c9aa85944f8e35451f3ad8bd56fc422286ce",
        ),
        rows: 978,
        features: 1449,
        labels: 45,
        summary: "Radiology reports as sets of words, labelled with codes of diseases",
        citation: "Pestian, Brew, Matykiewicz et al.: A shared task involving multi-label classification of clinical free text, BioNLP 2007",
        in_the_paper: Some(MEDICAL),
    },
    KnownDataset {
        name: "yeast",
        arff: &[
            file(
                "yeast-train.arff",
                1_501_117,
                "e759dc991ff54694a4ff9c4314f3be0d6fd2b1994a4b563f57e416394c6aebbd",
            ),
            file(
                "yeast-test.arff",
                918_515,
                "4aaac102bff9669a765bf0b378602e5cc8c3b181048282e2f003117b496d552a",
            ),
        ],
        xml: file(
            "yeast.xml",
            526,
            "c3056cc26444b5158b1588d1b73bec9c45429e10f0957ad085903423cb81f247",
        ),
        rows: 2417,
        features: 103,
        labels: 14,
        summary: "Genes with micro-array and phylogenetic features, labelled with their functions",
        citation: "Elisseeff, Weston: A kernel method for multi-labelled classification, NIPS 2001",
        in_the_paper: None,
    },
    KnownDataset {
        name: "flags",
        arff: &[file(
            "flags.arff",
            11_281,
            "d3ed8b5683f1b27e68069aad2c29388bb57d4caa5041b559e646cc3854a0cd1e",
        )],
        xml: file(
            "flags.xml",
            304,
            "7c9ed21a91b716b91f811323e20ee5a260ea2da62a5edcfeb1b91ec855a48f17",
        ),
        rows: 194,
        features: 19,
        labels: 7,
        summary: "Countries and their flags in numbers and words, labelled with the colours of the flag",
        citation: "Gonçalves, Plastino, Freitas: A genetic algorithm for optimizing the label ordering in multi-label classifier chains, ICTAI 2013",
        in_the_paper: None,
    },
    KnownDataset {
        name: "cal500",
        arff: &[file(
            "cal500.arff",
            492_857,
            "cfe6097ba5fd6e8584e54911ab9783dcab34e898446b7c9370c71d477eae56d3",
        )],
        xml: file(
            "cal500.xml",
            7_901,
            "877e128531268d7661faa3e44f7bb43cbcda829c0895e49879168775b192728c",
        ),
        rows: 502,
        features: 68,
        labels: 174,
        summary: "Songs with features of their sound, labelled with many words that listeners chose",
        citation: "Turnbull, Barrington, Torres, Lanckriet: Semantic annotation and retrieval of music and sound effects, IEEE TASLP 16(2), 2008",
        in_the_paper: None,
    },
    KnownDataset {
        name: "bibtex",
        arff: &[
            file(
                "bibtex-train.arff",
                2_292_961,
                "8dcc9de6e0b2cebaec8c1f4fac78431adeeb73cfd3ab879b530a66d366e59174",
            ),
            file(
                "bibtex-test.arff",
                1_215_637,
                "9b03329cde64d3f994bdf7fbbac3f3b10fe185c311cb9ae725475f59c7f3f922",
            ),
        ],
        xml: file(
            "bibtex.xml",
            5_880,
            "08fe20013c1e75dcf1888c185f5187c95e76495b8518ce289b4d3afce38d1232",
        ),
        rows: 7395,
        features: 1836,
        labels: 159,
        summary: "Bibliography entries as sets of words, labelled with the tags that users gave them",
        citation: "Katakis, Tsoumakas, Vlahavas: Multilabel text classification for automated tag suggestion, ECML/PKDD Discovery Challenge 2008",
        in_the_paper: None,
    },
    KnownDataset {
        name: "delicious",
        arff: &[
            file(
                "delicious-train.arff",
                3_056_590,
                "030186cdb542ebdd32052fcdbb1ebe30115b3a22518c1b4b198c45eb827aebe1",
            ),
            file(
                "delicious-test.arff",
                757_565,
                "2dfb01723a819914b0ca83361177ed413ce3f2169851d9f228d4692915d63944",
            ),
        ],
        xml: file(
            "delicious.xml",
            34_303,
            "4e0c0f93c7d86a39b9fca4aaefaa00e9428f2c80277732dfbf03ca48e2c14da2",
        ),
        rows: 16_105,
        features: 500,
        labels: 983,
        summary: "Web pages as sets of words, labelled with the tags that users gave them",
        citation: "Tsoumakas, Katakis, Vlahavas: Effective and efficient multilabel classification in domains with large number of labels, MMD 2008",
        in_the_paper: None,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_well_formed() {
        for entry in CATALOGUE {
            assert_eq!(
                KnownDataset::of(entry.name).unwrap().name,
                entry.name,
                "once each"
            );
            assert_eq!(entry.xml.name, format!("{}.xml", entry.name));
            for file in entry.files() {
                assert!(file.name.starts_with(entry.name), "{}", file.name);
                let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
                assert!(file.sha256.len() == 64 && file.sha256.chars().all(is_digit));
                assert!(file.bytes > 0);
            }
        }
    }

    #[test]
    fn the_paper_has_three() {
        let of_paper = CATALOGUE
            .iter()
            .filter(|entry| entry.in_the_paper.is_some());
        let names: Vec<&str> = of_paper.map(|entry| entry.name).collect();
        assert_eq!(names, ["emotions", "scene", "medical"]);
    }
}
