//! Writes what the fuzz target `model` begins with: a small model of every method, taken apart. Run it from the root
//! of the repository when the format of model files changes.

#[allow(
    dead_code,
    unreachable_pub,
    reason = "the target itself is not used here"
)]
#[path = "../../../fuzz/src/model.rs"]
mod model;

use mmoc::Silent;
use mmoc::method::Method;
use mmoc::settings::Settings;
use mmoc::train::TrainParams;
use mmoc_io::{Format, LabelSource, ReadOptions, read_from};

/// Numbers and words; labels that depend on them.
const TABLE: &str = "x1,colour,l,m,n
0.1,red,0,0,1
1.2,blue,1,0,0
0.4,green,0,1,1
2.3,red,1,1,0
0.2,blue,0,0,0
1.9,green,1,1,1
1.4,red,1,0,1
0.3,blue,0,1,0
2.2,green,1,0,1
0.6,red,0,1,1
1.7,blue,1,1,0
0.9,green,0,0,0
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = ReadOptions {
        labels: LabelSource::Last(3),
        format: Some(Format::Csv),
        ..ReadOptions::default()
    };
    let dataset = read_from(TABLE.as_bytes(), "small", &options)?.dataset;
    let keep = |params: &TrainParams, name: &str| -> Result<(), Box<dyn std::error::Error>> {
        let mut file = Vec::new();
        params.train(dataset.view(), &Silent)?.write(&mut file)?;
        let parts = model::taken_apart(&file).ok_or("a model file has its parts")?;
        Ok(std::fs::write(format!("fuzz/corpus/model/{name}"), parts)?)
    };
    for method in Method::all() {
        let name = method.name();
        let mut params = TrainParams::of(method);
        params.base.set("folds", "3")?;
        if name == "coding-cs" {
            params.method.set("projections", "4")?;
        }
        keep(&params, name)?;
    }
    // Every kind of term, and radial basis functions.
    let mut params = TrainParams::of("max-margin".parse()?);
    params.base.set("folds", "3")?;
    params.base.set("features", "rbf")?;
    params.method.set("trees", "3")?;
    params
        .method
        .set("terms", "labels+code+frequency+neighbours+forest")?;
    keep(&params, "max-margin-all-terms")
}
