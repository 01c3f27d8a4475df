//! Compare two methods by cross-validation: means, standard errors and a paired test.
//!
//! Run it with `cargo run -p mmoc --example cross_validation`.

use mmoc::Seed;
use mmoc::data::{Dataset, Features, Labels, Matrix, Scaling};
use mmoc::learn::BaseParams;
use mmoc::method::Method;
use mmoc::metrics::Metric;
use mmoc_experiment::{EvaluateParams, Mean, Protocol, Runs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = data(200)?;
    let params = EvaluateParams {
        protocol: Protocol::CrossValidation {
            folds: 5,
            stratified: true,
            repeats: 1,
        },
        scaling: Scaling::Auto,
        base: BaseParams::default(),
        seed: Seed::new(1),
        threads: 2,
    };
    let methods: Vec<Method> = vec!["br".parse()?, "max-margin".parse()?];
    let chosen: Vec<&Method> = methods.iter().collect();

    // Methods of a run share its split and base models, so that their scores can be compared in pairs.
    let runs = Runs::new(&data, &params)?;
    let mut accuracies = vec![Vec::new(); methods.len()];
    for run in 0..runs.count() {
        runs.run(run, &chosen, |method, run, _| {
            accuracies[method].push(run.scores.subset_accuracy());
            Ok(())
        })?;
    }

    println!("{}:", Metric::SubsetAccuracy.title());
    for (method, values) in methods.iter().zip(&accuracies) {
        let accuracy = Mean::of(values).expect("there are five runs");
        let error = accuracy.stderr.expect("there is more than one run");
        println!("  {:10} {:.3} ± {error:.3}", method.title(), accuracy.mean);
    }
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
