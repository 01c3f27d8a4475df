//! `mmoc methods`: the methods and their parameters.

use std::fmt::Write;

use mmoc::learn::BaseParams;
use mmoc::method::Method;
use mmoc::settings::{Parameter, Settings, Value};
use mmoc_experiment::BASE;
use serde::Serialize;

use crate::args::MethodsArgs;
use crate::failure::Failure;
use crate::output;

/// The width of the column in which parameters stand with their defaults.
const PARAMETER_WIDTH: usize = 27;

pub(crate) fn run(args: &MethodsArgs) -> Result<(), Failure> {
    let methods = match args.methods.as_slice() {
        [] => Method::all(),
        chosen => chosen.to_vec(),
    };
    if args.json {
        return output::json(&MethodList::new(&methods));
    }
    let mut texts: Vec<String> = methods.iter().map(describe).collect();
    if args.methods.is_empty() {
        texts.push(describe_base());
    }
    output::text(&texts.join("\n"))
}

/// The base learners, whose parameters are set like those of a method.
fn describe_base() -> String {
    let summary = "the base learners of every method; set as base.KEY=VALUE";
    let mut text = format!("{BASE}\n  {summary}\n");
    for parameter in BaseParams::default().parameters() {
        text.push_str(&describe_parameter(&parameter));
    }
    text
}

fn describe(method: &Method) -> String {
    let (name, title, summary) = (method.name(), method.title(), method.summary());
    let mut text = format!("{name} ({title})\n  {summary}\n");
    for parameter in method.parameters() {
        text.push_str(&describe_parameter(&parameter));
    }
    text
}

/// Two lines: name, default and purpose, and below the purpose what is allowed.
fn describe_parameter(parameter: &Parameter) -> String {
    let mut text = String::new();
    let setting = format!("{}={}", parameter.name, parameter.value);
    writeln!(text, "    {setting:<PARAMETER_WIDTH$}{}", parameter.summary)
        .expect("a string takes any text");
    writeln!(text, "    {:<PARAMETER_WIDTH$}{}", "", parameter.allowed).expect("as above");
    text
}

/// What `methods --json` writes: the keys are documented in `docs/json.md` and none of them changes.
#[derive(Debug, Serialize)]
struct MethodList {
    methods: Vec<MethodDescription>,
}

#[derive(Debug, Serialize)]
struct MethodDescription {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    parameters: Vec<ParameterDescription>,
}

#[derive(Debug, Serialize)]
struct ParameterDescription {
    name: &'static str,
    default: Value,
    allowed: String,
    summary: &'static str,
}

impl MethodList {
    fn new(methods: &[Method]) -> Self {
        let parameter = |parameter: Parameter| ParameterDescription {
            name: parameter.name,
            default: parameter.value,
            allowed: parameter.allowed,
            summary: parameter.summary,
        };
        let entry = |method: &Method| MethodDescription {
            name: method.name(),
            title: method.title(),
            summary: method.summary(),
            parameters: method.parameters().into_iter().map(parameter).collect(),
        };
        Self {
            methods: methods.iter().map(entry).collect(),
        }
    }
}
