//! Compare two methods by cross-validation: means, standard errors and a paired test, and a report with figures.
//!
//! Run it with `cargo run -p mmoc --example cross_validation`.

use mmoc::data::{Dataset, Features, Labels, Matrix};
use mmoc::metrics::Metric;
use mmoc::{Seed, Silent};
use mmoc_experiment::{Design, Experiment, InputDataset, Protocol, REPORT_FILE, write_report};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Methods of a run share its split and base models, so that their scores can be compared in pairs.
    let methods = vec!["br".parse()?, "max-margin".parse()?];
    let design = Design::new(methods, Protocol::cross_validation(5));
    let experiment = Experiment::new(design, vec![InputDataset::new(data(200)?)])?;
    let results = experiment.run(&Silent)?;

    let summary = results.summary()?;
    println!("{}:", Metric::SubsetAccuracy.title());
    for method in &summary.datasets[0].methods {
        let accuracy = method.metric(Metric::SubsetAccuracy);
        let accuracy = accuracy.expect("it is defined for all rows");
        let error = accuracy.mean.stderr.expect("there is more than one run");
        println!(
            "  {:10} {:.3} ± {error:.3}",
            method.title(),
            accuracy.mean.mean
        );
        if let Some(difference) = &accuracy.difference {
            let test = difference.resampled_t.expect("there is more than one run");
            let p = test.p_value;
            println!(
                "  difference from {}: p = {p:.3}",
                summary.manifest.reference
            );
        }
    }

    let folder = std::env::temp_dir().join("mmoc-cross-validation");
    write_report(&summary, &folder)?;
    println!("{}", folder.join(REPORT_FILE).display());
    Ok(())
}

/// Three labels of which the third holds exactly where one of the others does.
fn data(rows: usize) -> mmoc::Result<Dataset> {
    let mut stream = Seed::new(3).stream();
    let features = Matrix::from_fn(rows, 5, |_, _| stream.gaussian());
    let labels = Labels::from_fn(rows, 3, |i, label| {
        let (first, second) = (
            features[(i, 0)] > 0.0,
            features[(i, 1)] + features[(i, 2)] > 0.0,
        );
        [first, second, first != second][label]
    });
    let numbered = |name: &str, count| (1..=count).map(|k| format!("{name}{k}")).collect();
    Dataset::new(
        "three labels",
        Features::Dense(features),
        labels,
        numbered("x", 5),
        numbered("y", 3),
    )
}

#[test]
fn runs_without_an_error() {
    main().unwrap();
}
