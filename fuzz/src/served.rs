//! A server without a network that has two small models, the same in every run.

use std::path::Path;
use std::sync::LazyLock;

use mmoc::Silent;
use mmoc::data::Dataset;
use mmoc::settings::Settings;
use mmoc::train::TrainParams;
use mmoc_io::{Format, LabelSource, ReadOptions, read_from};
use mmoc_serve::{Config, Limits, Local, LogFormat, ModelFile};

/// Their names. The second has no posterior over label sets.
pub(crate) const NAMES: [&str; 2] = ["a", "b"];

const METHODS: [&str; 2] = ["max-margin", "br"];

/// More rows are refused, which small inputs can have.
const MOST_ROWS: usize = 20;

/// Numbers, words that become several columns and words that become one.
const TABLE: &str = "x1,colour,smoker,x 2,l,m,n
0.1,red,no,3,0,0,1
1.2,blue,yes,2,1,0,0
0.4,green,no,5,0,1,1
2.3,red,yes,1,1,1,0
0.2,blue,no,4,0,0,0
1.9,green,yes,6,1,1,1
1.4,red,yes,2,1,0,1
0.3,blue,no,7,0,1,0
2.2,green,yes,3,1,0,1
0.6,red,no,5,0,1,1
1.7,blue,yes,8,1,1,0
0.9,green,no,1,0,0,0
";

struct Served {
    local: Local,
    folder: String,
}

static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let dataset = dataset();
    let write = |(name, method)| write_model(folder.path(), name, method, &dataset);
    let config = Config {
        models: NAMES.into_iter().zip(METHODS).map(write).collect(),
        limits: Limits {
            rows: MOST_ROWS,
            ..Limits::default()
        },
        log: LogFormat::None,
        ..Config::default()
    };
    Served {
        local: Local::start(&config).expect("a server"),
        folder: folder.path().display().to_string(),
    }
});

/// The server.
pub(crate) fn served() -> &'static Local {
    &SERVED.local
}

/// Where its models were, which nobody may learn.
pub(crate) fn folder() -> &'static str {
    &SERVED.folder
}

fn dataset() -> Dataset {
    let options = ReadOptions {
        labels: LabelSource::Last(3),
        format: Some(Format::Csv),
        ..ReadOptions::default()
    };
    let read = read_from(TABLE.as_bytes(), "small", &options);
    read.expect("a table").dataset
}

fn write_model(folder: &Path, name: &str, method: &str, dataset: &Dataset) -> ModelFile {
    let mut params = TrainParams::of(method.parse().expect("a method"));
    params.base.set("folds", "3").expect("a setting");
    let model = params.train(dataset.view(), &Silent).expect("a model");
    let path = folder.join(name);
    model.save(&path).expect("a file");
    ModelFile {
        name: name.to_owned(),
        path,
    }
}
