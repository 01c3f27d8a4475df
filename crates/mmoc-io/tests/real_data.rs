//! The public data sets, where a copy of them is found; otherwise every trial is ignored, by name.

mod common;

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use mmoc::Seed;
use mmoc::data::{Dataset, Features, Matrix, Preprocessed, Preprocessing, Scaling};
use mmoc_io::{Format, LabelSource, Loaded, ReadOptions, Twin, read_files, read_from, write};

/// A test on the folder of data sets.
type Check = fn(&Path) -> Result<(), Failed>;

/// A test of one set in the folder of data sets.
type SetCheck = fn(&Set, &Path) -> Result<(), Failed>;

/// Tests of single data sets. To add one, write a function and its line here.
const CHECKS: &[(&str, Check)] = &[
    (
        "medical_is_read_by_its_label_file_with_a_warning",
        medical_is_read_by_its_label_file_with_a_warning,
    ),
    ("medical_has_two_parts", medical_has_two_parts),
    ("bibtex_has_2856_label_sets", bibtex_has_2856_label_sets),
    ("flags_become_43_columns", flags_become_43_columns),
    ("music_has_its_labels_first", music_has_its_labels_first),
    (
        "delicious_keeps_its_backslashes",
        delicious_keeps_its_backslashes,
    ),
    (
        "auto_scaling_standardises_emotions_but_not_scene_medical_and_bibtex",
        auto_scaling_standardises_emotions_but_not_scene_medical_and_bibtex,
    ),
    (
        "twins_have_the_label_sets_of_their_originals",
        twins_have_the_label_sets_of_their_originals,
    ),
];

/// Tests of every data set.
const CHECKS_OF_SETS: &[(&str, SetCheck)] = &[
    ("has_the_sizes_of_the_list", has_the_sizes_of_the_list),
    ("is_read_compressed", is_read_compressed),
    ("survives_arff", |set, folder| {
        survives(set, folder, Format::Arff)
    }),
    ("survives_csv", |set, folder| {
        survives(set, folder, Format::Csv)
    }),
    ("survives_tsv", |set, folder| {
        survives(set, folder, Format::Tsv)
    }),
    ("survives_libsvm", |set, folder| {
        survives(set, folder, Format::LibSvm)
    }),
    ("survives_extreme", |set, folder| {
        survives(set, folder, Format::Extreme)
    }),
    #[cfg(feature = "parquet")]
    ("survives_parquet", |set, folder| {
        survives(set, folder, Format::Parquet)
    }),
    #[cfg(feature = "parquet")]
    ("survives_arrow", |set, folder| {
        survives(set, folder, Format::Arrow)
    }),
];

/// A data set of the list and its sizes.
struct Set {
    name: &'static str,
    files: &'static [&'static str],
    rows: usize,
    attributes: usize,
    labels: usize,
    sparse: bool,
}

const SETS: &[Set] = &[
    set("emotions", &["emotions.arff"], 593, 72, 6, false),
    set(
        "scene",
        &["scene-train.arff", "scene-test.arff"],
        2407,
        294,
        6,
        false,
    ),
    set("medical", &["medical.arff"], 978, 1449, 45, true),
    set(
        "yeast",
        &["yeast-train.arff", "yeast-test.arff"],
        2417,
        103,
        14,
        false,
    ),
    set("flags", &["flags.arff"], 194, 19, 7, false),
    set("cal500", &["cal500.arff"], 502, 68, 174, false),
    set(
        "bibtex",
        &["bibtex-train.arff", "bibtex-test.arff"],
        7395,
        1836,
        159,
        true,
    ),
    set(
        "delicious",
        &["delicious-train.arff", "delicious-test.arff"],
        16105,
        500,
        983,
        true,
    ),
    // One attribute fewer than emotions, of which it is a copy: BH_HighLowRatio is not there.
    set("music-meka", &["music-meka.arff"], 592, 71, 6, false),
];

const fn set(
    name: &'static str,
    files: &'static [&'static str],
    rows: usize,
    attributes: usize,
    labels: usize,
    sparse: bool,
) -> Set {
    Set {
        name,
        files,
        rows,
        attributes,
        labels,
        sparse,
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    libtest_mimic::run(&arguments, trials(common::real_data())).exit_code()
}

fn trials(folder: Option<PathBuf>) -> Vec<Trial> {
    let missing = folder.is_none();
    let folder = folder.unwrap_or_default();
    let mut trials = Vec::new();
    for &(name, check) in CHECKS {
        let folder = folder.clone();
        trials.push(Trial::test(name, move || check(&folder)).with_ignored_flag(missing));
    }
    for set in SETS {
        for &(name, check) in CHECKS_OF_SETS {
            let name = format!("{}_{name}", set.name.replace('-', "_"));
            let folder = folder.clone();
            trials.push(Trial::test(name, move || check(set, &folder)).with_ignored_flag(missing));
        }
    }
    trials
}

fn load(folder: &Path, files: &[&str]) -> mmoc_io::Result<Loaded> {
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    read_files(&paths, &ReadOptions::default())
}

#[expect(clippy::needless_pass_by_value, reason = "like assert_eq")]
fn expect_equal<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: T,
    expected: T,
) -> Result<(), Failed> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected:?}, found {found:?}").into())
    }
}

fn has_the_sizes_of_the_list(set: &Set, folder: &Path) -> Result<(), Failed> {
    let dataset = load(folder, set.files)?.dataset;
    expect_equal("name", dataset.name(), set.name)?;
    expect_equal("rows", dataset.rows(), set.rows)?;
    expect_equal("attributes", dataset.attributes().len(), set.attributes)?;
    expect_equal("labels", dataset.labels().count(), set.labels)?;
    let sparse = matches!(dataset.features(), Features::Sparse(_));
    expect_equal("sparse", sparse, set.sparse)
}

fn is_read_compressed(set: &Set, folder: &Path) -> Result<(), Failed> {
    let labels = LabelSource::Names(load(folder, set.files)?.dataset.label_names().to_vec());
    let options = ReadOptions {
        labels,
        ..ReadOptions::default()
    };
    for file in set.files {
        let text = std::fs::read(folder.join(file))?;
        let plain = read_from(text.as_slice(), file, &options)?;
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text)?;
        let unzipped = read_from(gzip.finish()?.as_slice(), &format!("{file}.gz"), &options)?;
        expect_equal("read from gzip the same", unzipped == plain, true)?;
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(&text)?;
        let unzipped = read_from(bzip2.finish()?.as_slice(), &format!("{file}.bz2"), &options)?;
        expect_equal("read from bzip2 the same", unzipped == plain, true)?;
    }
    Ok(())
}

/// Every number of the features.
fn dense(dataset: &Dataset) -> Matrix {
    let mut matrix = Matrix::zeros(dataset.rows(), dataset.columns());
    let view = dataset.features().view();
    view.for_each_stored(|row, column, value| matrix[(row, column)] = value);
    matrix
}

fn survives(set: &Set, folder: &Path, format: Format) -> Result<(), Failed> {
    let dataset = load(folder, set.files)?.dataset;
    let mut bytes = Vec::new();
    write(&dataset, format, &mut bytes)?;
    let labels = match format {
        Format::Csv | Format::Tsv => LabelSource::Last(set.labels),
        _ => LabelSource::Auto,
    };
    let options = ReadOptions {
        labels,
        format: Some(format),
        ..ReadOptions::default()
    };
    let again = read_from(bytes.as_slice(), set.name, &options)?.dataset;
    expect_equal("same labels", again.labels() == dataset.labels(), true)?;
    expect_equal("same features", dense(&again) == dense(&dataset), true)?;
    if matches!(
        format,
        Format::Arff | Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow
    ) {
        expect_equal("label names", again.label_names(), dataset.label_names())?;
        expect_equal(
            "feature names",
            again.feature_names(),
            dataset.feature_names(),
        )?;
    }
    Ok(())
}

fn medical_is_read_by_its_label_file_with_a_warning(folder: &Path) -> Result<(), Failed> {
    let Loaded {
        dataset, warnings, ..
    } = load(folder, &["medical.arff"])?;
    let cardinality = dataset.labels().total() as f64 / dataset.rows() as f64;
    expect_equal("cardinality", format!("{cardinality:.3}").as_str(), "1.245")?;
    expect_equal(
        "first label",
        dataset.label_names()[0].as_str(),
        "Class-0-593_70",
    )?;
    expect_equal("first feature", dataset.feature_names()[0].as_str(), "-")?;
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let expected = format!(
        "{}: the labels are those of {}, not those of '-C 45' in the relation's name",
        folder.join("medical.arff").display(),
        folder.join("medical.xml").display()
    );
    expect_equal("warnings", warnings, vec![expected])
}

fn medical_has_two_parts(folder: &Path) -> Result<(), Failed> {
    for (file, rows) in [("medical-train.arff", 333), ("medical-test.arff", 645)] {
        let Loaded {
            dataset, warnings, ..
        } = load(folder, &[file])?;
        expect_equal(file, (dataset.rows(), dataset.labels().count()), (rows, 45))?;
        expect_equal("warnings", warnings.len(), 1)?;
    }
    Ok(())
}

fn bibtex_has_2856_label_sets(folder: &Path) -> Result<(), Failed> {
    let dataset = load(folder, &["bibtex-train.arff", "bibtex-test.arff"])?.dataset;
    let sets: HashSet<&[u32]> = dataset.labels().iter().collect();
    expect_equal("label sets", sets.len(), 2856)
}

fn flags_become_43_columns(folder: &Path) -> Result<(), Failed> {
    let dataset = load(folder, &["flags.arff"])?.dataset;
    expect_equal("columns", dataset.columns(), 43)?;
    let names = &dataset.feature_names()[..7];
    let landmass = [
        "landmass=1",
        "landmass=2",
        "landmass=3",
        "landmass=4",
        "landmass=5",
        "landmass=6",
    ];
    expect_equal(
        "indicators",
        &names[..6],
        landmass.map(String::from).as_slice(),
    )?;
    expect_equal("next", names[6].as_str(), "zone=1")?;
    let row = dense(&dataset);
    expect_equal(
        "first row",
        row.row(0)[..8].to_vec(),
        vec![0., 0., 0., 0., 1., 0., 1., 0.],
    )
}

fn music_has_its_labels_first(folder: &Path) -> Result<(), Failed> {
    let Loaded {
        dataset, warnings, ..
    } = load(folder, &["music-meka.arff"])?;
    expect_equal("warnings", warnings.len(), 0)?;
    expect_equal(
        "first label",
        dataset.label_names()[0].as_str(),
        "amazed-suprised",
    )?;
    expect_equal("first row", dataset.labels().row(0), &[1, 2])
}

fn delicious_keeps_its_backslashes(folder: &Path) -> Result<(), Failed> {
    let dataset = load(folder, &["delicious-test.arff"])?.dataset;
    let name = r"TAG_m\'usica".to_owned();
    expect_equal("found", dataset.label_names().contains(&name), true)
}

fn auto_scaling_standardises_emotions_but_not_scene_medical_and_bibtex(
    folder: &Path,
) -> Result<(), Failed> {
    let expected = [
        ("emotions.arff", true),
        ("scene-train.arff", false),
        ("medical.arff", false),
        ("bibtex-train.arff", false),
    ];
    for (file, standardised) in expected {
        let dataset = read_files(&[folder.join(file)], &ReadOptions::default())?.dataset;
        let features = dataset.features().view();
        let preprocessing = Preprocessing::fit(features, Scaling::Auto)?;
        let changed = matches!(preprocessing.apply(features)?, Preprocessed::Changed(_));
        assert_eq!(changed, standardised, "{file}");
    }
    Ok(())
}

/// The data set of the paper that a twin is made after.
fn original(twin: Twin, folder: &Path) -> mmoc_io::Result<Dataset> {
    match twin {
        Twin::Emotions => Ok(load(folder, &["emotions.arff"])?.dataset),
        Twin::Scene => Ok(load(folder, &["scene-train.arff", "scene-test.arff"])?.dataset),
        Twin::Medical => {
            let all = load(folder, &["medical.arff"])?.dataset;
            Ok(all.keep_frequent_labels(10)?.drop_empty_rows()?)
        }
    }
}

fn twins_have_the_label_sets_of_their_originals(folder: &Path) -> Result<(), Failed> {
    let sorted_sets = |dataset: &Dataset| {
        let mut sets: Vec<Vec<u32>> = dataset.labels().iter().map(<[u32]>::to_vec).collect();
        sets.sort();
        sets
    };
    for twin in Twin::ALL {
        let (real, drawn) = (original(twin, folder)?, twin.generate(Seed::new(1))?);
        expect_equal("name", twin.name(), real.name())?;
        expect_equal("label names", drawn.label_names(), real.label_names())?;
        expect_equal("columns", drawn.columns(), real.columns())?;
        let same_sets = sorted_sets(&drawn) == sorted_sets(&real);
        expect_equal("same label sets", same_sets, true)?;
        let sparse = |dataset: &Dataset| matches!(dataset.features(), Features::Sparse(_));
        expect_equal("sparse", sparse(&drawn), sparse(&real))?;
    }
    Ok(())
}
