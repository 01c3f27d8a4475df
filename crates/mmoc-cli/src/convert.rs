//! `mmoc convert`: a data set in another format, or a model as an ONNX file.

use std::io::Write;
use std::path::{Path, PathBuf};

use mmoc::Error;
use mmoc::data::Dataset;
use mmoc::model_file::is_model_file;
use mmoc::whole_file::replace_file;
use mmoc_experiment::text::counted;
use mmoc_io::{Conversion, Format, Outline, label_numbers, mulan_xml, write, write_file};

use crate::args::{ConvertArgs, DataArgs};
use crate::failure::Failure;
use crate::load::{check, load, no_row_left, warn};
use crate::output::{self, is_standard};
use crate::target::{check_new, check_not_an_input, check_place};
use crate::{export, standard_input};

pub(crate) fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let (files, out) = args.files_and_out()?;
    if args.to.is_none() && export::is_onnx(out) {
        return export::run(args, files, out);
    }
    let (data, out) = args.data_and_out()?;
    check_no_models(&data.files)?;
    let target = Target::of(args, &data, out)?;
    let input = Input::open(&data)?;
    let outline = input.outline();
    // What could go wrong with the label file should do so before anything is written.
    let label_names = outline.schema.label_names();
    let xml = target.xml.as_ref().map(|_| mulan_xml(label_names));
    let xml = xml.transpose()?;
    match &target.file {
        Some(path) => input.write_file(target.format, path)?,
        None => output::to(None, |out| input.write_out(target.format, out))?,
    }
    if let (Some(path), Some(text)) = (&target.xml, xml) {
        replace_file(path, |out| out.write_all(text.as_bytes()))?;
    }
    say(&outline, &target, &data);
    Ok(())
}

/// Fails if a file is a model, which has no rows.
fn check_no_models(files: &[PathBuf]) -> Result<(), Failure> {
    let Some(model) = files.iter().find(|file| is_model_file(file)) else {
        return Ok(());
    };
    let message = format!(
        "{} is a model: it becomes an ONNX file, OUT.onnx",
        model.display()
    );
    Err(Failure::wrong_usage(message))
}

/// What is converted. Files are read twice and never held whole; standard input, which ends but once, is.
enum Input {
    Files(Box<Conversion>),
    Whole(Box<Dataset>),
}

impl Input {
    fn open(data: &DataArgs) -> Result<Self, Failure> {
        if standard_input::is_among(&data.files) {
            return Ok(Self::Whole(Box::new(load(data)?)));
        }
        check(data)?;
        let mut files = Conversion::open(&data.files, &data.read.read_options())?;
        warn(files.warnings());
        if let Some(count) = data.read.top_labels {
            files = files.keep_frequent_labels(count)?;
        }
        if data.read.drop_empty_rows {
            files = files.drop_empty_rows()?;
            if files.outline().rows == 0 {
                return Err(no_row_left());
            }
        }
        Ok(Self::Files(Box::new(files)))
    }

    fn outline(&self) -> Outline<'_> {
        match self {
            Self::Files(files) => files.outline(),
            Self::Whole(dataset) => Outline::of(dataset),
        }
    }

    fn write_file(&self, format: Format, path: &Path) -> Result<(), Failure> {
        match self {
            Self::Files(files) => files.write_file(format, path)?,
            Self::Whole(dataset) => write_file(dataset, format, path)?,
        }
        Ok(())
    }

    fn write_out(&self, format: Format, mut out: &mut dyn Write) -> Result<(), Failure> {
        let written = match self {
            Self::Files(files) => files.write(format, out),
            Self::Whole(dataset) => write(dataset, format, &mut out),
        };
        match written {
            // Writers name the data set where others name a file.
            Err(mmoc_io::Error::Library(Error::Io { path, source }))
                if path == Path::new(self.outline().name) =>
            {
                Err(source.into())
            }
            other => Ok(other?),
        }
    }
}

/// What is written, and where.
struct Target {
    format: Format,
    /// Standard output if there is none.
    file: Option<PathBuf>,
    /// The label file, if one was asked for.
    xml: Option<PathBuf>,
}

impl Target {
    /// Checks all that can be checked before the data is read.
    fn of(args: &ConvertArgs, data: &DataArgs, out: &Path) -> Result<Self, Failure> {
        let file = Some(out.to_owned()).filter(|path| !is_standard(path));
        let format = match (args.to, &file) {
            (Some(format), _) => format,
            (None, Some(path)) => Format::of_path(path)?,
            (None, None) => {
                let formats = Format::ALL.map(Format::name).join(", ");
                let message = format!("standard output needs --to: one of {formats}");
                return Err(Failure::wrong_usage(message));
            }
        };
        let xml = args.xml.then(|| label_file(file.as_deref(), format));
        let target = Self {
            format,
            xml: xml.transpose()?,
            file,
        };
        target.check_places(data, args.force)?;
        Ok(target)
    }

    /// Nothing that is read is written, and nothing that exists unless that was asked for.
    fn check_places(&self, data: &DataArgs, force: bool) -> Result<(), Failure> {
        for path in [&self.file, &self.xml].into_iter().flatten() {
            check_not_an_input(path, &data.files)?;
            check_place(path)?;
            check_new(path, force)?;
        }
        Ok(())
    }
}

/// The label file beside an ARFF file.
fn label_file(file: Option<&Path>, format: Format) -> Result<PathBuf, Failure> {
    match (file, format) {
        (Some(path), Format::Arff) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let stem = name.split_once(".arff").map_or(&*name, |(stem, _)| stem);
            Ok(path.with_file_name(format!("{stem}.xml")))
        }
        _ => Err(Failure::wrong_usage(
            "--xml writes a label file beside an ARFF file, and OUT is none",
        )),
    }
}

/// What was written, and what could not be.
fn say(outline: &Outline<'_>, target: &Target, data: &DataArgs) {
    let place = target.file.as_ref();
    let place = place.map_or("standard output".into(), |path| path.display().to_string());
    let schema = outline.schema;
    let features = schema.attributes().len();
    let columns = if schema.columns() == features {
        String::new()
    } else {
        format!(" in {}", counted(schema.columns(), "column"))
    };
    let sizes = format!(
        "{}, {}{columns}, {}",
        counted(outline.rows, "row"),
        counted(features, "feature"),
        counted(schema.label_names().len(), "label"),
    );
    output::message("wrote", &format!("{place}: {sizes}"));
    if let Some(path) = &target.xml {
        output::message("wrote", &path.display().to_string());
    }
    if let Some(note) = lost_names(schema.label_names(), target.format, data) {
        output::message("note", &note);
    }
}

/// Says which names the format could not hold, if there were some.
fn lost_names(label_names: &[String], format: Format, data: &DataArgs) -> Option<String> {
    let has_none = |format: Format| matches!(format, Format::LibSvm | Format::Extreme);
    let from = data
        .read
        .format
        .or_else(|| Format::of_path(&data.files[0]).ok());
    if !has_none(format) || from.is_some_and(has_none) {
        return None;
    }
    let numbers = label_numbers(label_names);
    let is_kept = |(name, number): (&String, u64)| *name == number.to_string();
    let labels_kept = format == Format::LibSvm && label_names.iter().zip(numbers).all(is_kept);
    let names = if labels_kept {
        "features"
    } else {
        "features and labels"
    };
    Some(format!(
        "the names of {names} are not kept, because {format} files have none"
    ))
}
