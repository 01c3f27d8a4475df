//! `mmoc report`: merges the parts of an experiment and writes its report.

use mmoc_experiment::Results;

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::outcome;

pub(crate) fn run(args: &ReportArgs) -> Result<(), Failure> {
    let out = args.out();
    let results = Results::merge(&args.folders)?.write(&out)?;
    outcome::show(&out, &results, &args.shown, args.json)
}
