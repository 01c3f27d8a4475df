//! `mmoc train`: from a data set to a model.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Instant;

use mmoc::data::{Dataset, Labels};
use mmoc::metrics::Metric;
use mmoc::train::TrainParams;
use mmoc::with_threads;
use mmoc::{Error, Model};
use serde::Serialize;

use crate::args::TrainArgs;
use crate::failure::Failure;
use crate::inspect::Described;
use crate::load::load;
use crate::output::is_standard;
use crate::parameters::of_one_method;
use crate::progress::Stages;
use crate::{output, posterior, target, trained};

/// The metrics that are shown at once; `mmoc inspect MODEL` shows all.
const SHOWN: [Metric; 5] = [
    Metric::SubsetAccuracy,
    Metric::HammingLoss,
    Metric::ExampleF1,
    Metric::MacroF1,
    Metric::MicroF1,
];

pub(crate) fn run(args: &TrainArgs) -> Result<(), Failure> {
    // Mistakes of the command line come first: reading and training may take long.
    of_one_method(&args.method, args.preset, &args.set)?;
    target::check_not_an_input(&args.out, &args.data.files)?;
    target::check_place(&args.out)?;
    target::check_model(&args.out)?;
    check_room_for_json(args)?;
    // The file is begun before anything is read, so that no training is lost to a folder that cannot be written to.
    let mut done = None;
    output::to(Some(&args.out), |out| {
        let (model, seconds) = train(args)?;
        write(&model, out)?;
        done = Some((model, seconds));
        Ok(())
    })?;
    let (model, seconds) = done.expect("the model was written");
    show(args, &model, seconds)
}

/// Writes a model to a place that only the caller knows.
fn write(model: &Model, out: &mut dyn Write) -> Result<(), Failure> {
    match model.write(out) {
        Err(Error::Io { source, .. }) => Err(source.into()),
        other => Ok(other?),
    }
}

/// Standard output holds the model or JSON about it.
fn check_room_for_json(args: &TrainArgs) -> Result<(), Failure> {
    if args.run.json && is_standard(&args.out) {
        return Err(Failure::wrong_usage(
            "--json has no place where standard output has the model: write the model to a file",
        ));
    }
    Ok(())
}

/// The model, and the seconds it took once the data was there.
fn train(args: &TrainArgs) -> Result<(Model, f64), Failure> {
    let dataset = load(&args.data)?;
    let start = Instant::now();
    let model = train_on(args, &dataset)?;
    let seconds = start.elapsed().as_secs_f64();
    warn_of_constant_labels(&dataset);
    for warning in trained::warnings(&model) {
        output::message("warning", &warning);
    }
    Ok((model, seconds))
}

/// A label that all rows carry or none does is most often not the column that was meant.
fn warn_of_constant_labels(dataset: &Dataset) {
    let (rows, frequencies) = (dataset.rows(), dataset.labels().frequencies());
    let unknown = dataset.unknown().map(Labels::frequencies);
    let known = |label: usize| rows - unknown.as_ref().map_or(0, |unknown| unknown[label]);
    let names = dataset.label_names().iter().zip(frequencies).enumerate();
    let constant =
        names.filter(|(label, (_, frequency))| *frequency == 0 || *frequency == known(*label));
    let constant: Vec<&str> = constant.map(|(_, (name, _))| name.as_str()).collect();
    let message = match constant.as_slice() {
        [] => return,
        [only] => {
            format!("the label '{only}' is the same in all rows: nothing can be learnt about it")
        }
        [first, ..] => format!(
            "{} of {} labels, '{first}' the first, are the same in all rows: nothing can be learnt about them",
            constant.len(),
            dataset.labels().count()
        ),
    };
    output::message("warning", &message);
}

fn train_on(args: &TrainArgs, dataset: &Dataset) -> Result<Model, Failure> {
    let (method, base) = of_one_method(&args.method, args.preset, &args.set)?;
    let params = TrainParams {
        method,
        base,
        scaling: args.scale,
        seed: args.run.seed,
        estimates: args.estimates,
    };
    let stages = Stages::new();
    let work = || params.train(dataset.view(), &stages);
    Ok(with_threads(args.run.threads.count(), work)??)
}

/// What `--json` writes: the model and how long it took.
#[derive(Serialize)]
struct Done<'a> {
    #[serde(flatten)]
    model: Described<'a>,
    seconds: f64,
}

/// Says what was learnt, unless standard output has the model.
fn show(args: &TrainArgs, model: &Model, seconds: f64) -> Result<(), Failure> {
    if is_standard(&args.out) {
        return Ok(());
    }
    if args.run.json {
        let model = Described::of(model);
        output::json(&Done { model, seconds })?;
    } else {
        output::text(&describe(model))?;
    }
    let size = std::fs::metadata(&args.out).map_or(0, |data| data.len());
    let path = args.out.display();
    output::message(
        "wrote",
        &format!("{path} ({size} bytes) after {seconds:.3} s"),
    );
    Ok(())
}

fn describe(model: &Model) -> String {
    let mut text = format!("{}\n", trained::heading(model));
    for (name, value) in trained::facts(model) {
        writeln!(text, "  {name:<12}  {value}").expect("a string takes any text");
    }
    if let Some(record) = &model.record().posterior {
        text.push('\n');
        text.push_str(&posterior::terms(record));
    }
    text.push('\n');
    text.push_str(&trained::estimates(model, SHOWN));
    text
}
