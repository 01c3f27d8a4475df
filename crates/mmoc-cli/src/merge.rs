//! `mmoc report`: puts together the parts of an experiment and shows it again.

use crate::args::ReportArgs;
use crate::experiment;
use crate::failure::Failure;
use crate::outcome;

pub(crate) fn run(args: &ReportArgs) -> Result<(), Failure> {
    let (manifest, records) = experiment::merge(&args.folders)?;
    if records.is_empty() {
        return Err(Failure::bad_data(format!(
            "{}: no run has ended yet",
            args.folders[0].display()
        )));
    }
    let out = args.out();
    let records = experiment::write(&out, &manifest, records)?;
    outcome::show(&out, &manifest, &records, args.json)
}
