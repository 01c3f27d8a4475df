//! From predictions to a body.

use mmoc::Question;
use mmoc::posterior::LikelySet;
use mmoc::text::excerpt;
use serde::{Deserialize, Serialize};

use crate::models::Served;
use crate::protocol::object::Object;
use crate::protocol::options::has_probabilities;
use crate::protocol::{Answered, Part};
use crate::refusal::Refusal;

/// A tensor that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    Labels,
    Probabilities,
    Confidence,
    Sets,
    SetProbabilities,
}

impl Output {
    const ALL: [Self; 5] = [
        Self::Labels,
        Self::Probabilities,
        Self::Confidence,
        Self::Sets,
        Self::SetProbabilities,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Labels => "labels",
            Self::Probabilities => "probabilities",
            Self::Confidence => "confidence",
            Self::Sets => "sets",
            Self::SetProbabilities => "set_probabilities",
        }
    }

    pub(super) fn datatype(self) -> &'static str {
        match self {
            Self::Labels | Self::Sets => "BOOL",
            _ => "FP64",
        }
    }

    fn is_of_sets(self) -> bool {
        matches!(self, Self::Sets | Self::SetProbabilities)
    }

    /// What a model knows.
    pub(super) fn known(served: &Served) -> impl Iterator<Item = Self> {
        let (posterior, probabilities) = (served.posterior().is_some(), has_probabilities(served));
        Self::ALL.into_iter().filter(move |output| match output {
            Self::Labels => true,
            Self::Probabilities => probabilities,
            _ => posterior,
        })
    }
}

/// A tensor as a request asks for it.
#[derive(Deserialize)]
pub(super) struct OutputRequest {
    name: String,
    #[serde(default)]
    parameters: Object<OutputParameters>,
}

#[derive(Deserialize, Default)]
struct OutputParameters {
    binary_data: Option<bool>,
}

/// The tensors that an answer has.
pub(crate) struct Tensors {
    id: Option<String>,
    /// Each with whether it is written as bytes.
    outputs: Vec<(Output, bool)>,
}

impl Tensors {
    /// Those that are asked for, or else all that the model knows.
    pub(super) fn of(
        served: &Served,
        id: Option<String>,
        requested: Option<Vec<Object<OutputRequest>>>,
        binary: bool,
        question: Question,
    ) -> Result<Self, Refusal> {
        let possible = |output: &Output| !output.is_of_sets() || question.sets > 0;
        let mut known = Output::known(served).filter(possible);
        let outputs = match requested.filter(|requested| !requested.is_empty()) {
            None => known.map(|output| (output, binary)).collect(),
            Some(requested) => {
                let known: Vec<Output> = known.by_ref().collect();
                let find = |Object(request)| find(&request, &known, binary);
                requested.into_iter().map(find).collect::<Result<_, _>>()?
            }
        };
        Ok(Self { id, outputs })
    }

    /// The answer: the object, and after it the tensors that are bytes.
    pub(crate) fn write(
        &self,
        served: &Served,
        part: &Part<'_>,
        question: Question,
    ) -> Result<Answered, Refusal> {
        let labels = served.model.schema().label_names().len();
        let mut bytes = Vec::new();
        let outputs = self.outputs.iter().map(|&(output, binary)| {
            let (shape, data) = Data::of(output, part, labels, question.sets);
            let size = binary.then(|| data.append_to(&mut bytes));
            Described {
                name: output.name(),
                datatype: output.datatype(),
                shape,
                parameters: size.map(|binary_data_size| Size { binary_data_size }),
                data: (!binary).then_some(data),
            }
        });
        let answer = Body {
            model_name: &served.name,
            model_version: &served.version,
            id: self.id.as_deref(),
            outputs: outputs.collect(),
        };
        let mut body = serde_json::to_vec(&answer).map_err(|_| Refusal::internal())?;
        let is_mixed = self.outputs.iter().any(|&(_, binary)| binary);
        let header_length = is_mixed.then_some(body.len());
        body.extend(bytes);
        Ok(Answered {
            body: body.into(),
            header_length,
            rows: part.len(),
        })
    }
}

fn find(
    request: &OutputRequest,
    known: &[Output],
    binary: bool,
) -> Result<(Output, bool), Refusal> {
    let output = known.iter().find(|output| output.name() == request.name);
    let output = output.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|output| output.name()).collect();
        let names = names.join(", ");
        let message = format!(
            "the output must be one of {names}, not {}",
            excerpt(&request.name)
        );
        Refusal::unusable(message)
    })?;
    let Object(parameters) = &request.parameters;
    Ok((*output, parameters.binary_data.unwrap_or(binary)))
}

#[derive(Serialize)]
struct Body<'a> {
    model_name: &'a str,
    model_version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    outputs: Vec<Described>,
}

#[derive(Serialize)]
struct Described {
    name: &'static str,
    datatype: &'static str,
    shape: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Size>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Data>,
}

#[derive(Serialize)]
struct Size {
    binary_data_size: usize,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Data {
    Flags(Vec<bool>),
    Numbers(Vec<f64>),
}

impl Data {
    /// The shape and the elements of an output.
    fn of(output: Output, part: &Part<'_>, labels: usize, sets: usize) -> (Vec<usize>, Self) {
        let rows = part.len();
        let each = || 0..rows;
        // All rows have the same number of candidates.
        let found = part.sets(0, sets).len();
        match output {
            Output::Labels => {
                let flags = each().flat_map(|row| flags(part.set(row), labels));
                (vec![rows, labels], Self::Flags(flags.collect()))
            }
            Output::Probabilities => {
                let numbers = each().flat_map(|row| part.probabilities(row).unwrap_or_default());
                (
                    vec![rows, labels],
                    Self::Numbers(numbers.copied().collect()),
                )
            }
            Output::Confidence => {
                let numbers = each().filter_map(|row| part.confidence(row));
                (vec![rows], Self::Numbers(numbers.collect()))
            }
            Output::Sets => {
                let all = each().flat_map(|row| part.sets(row, sets));
                let flags = all.flat_map(|set: &LikelySet| flags(&set.labels, labels));
                (vec![rows, found, labels], Self::Flags(flags.collect()))
            }
            Output::SetProbabilities => {
                let all = each().flat_map(|row| part.sets(row, sets));
                let numbers = all.map(|set| set.probability);
                (vec![rows, found], Self::Numbers(numbers.collect()))
            }
        }
    }

    /// Adds the elements as little-endian bytes and says how many these are.
    fn append_to(&self, bytes: &mut Vec<u8>) -> usize {
        let before = bytes.len();
        match self {
            Self::Flags(flags) => bytes.extend(flags.iter().map(|&flag| u8::from(flag))),
            Self::Numbers(numbers) => {
                bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            }
        }
        bytes.len() - before
    }
}

/// Whether each label is in a set.
fn flags(set: &[u32], labels: usize) -> Vec<bool> {
    let mut flags = vec![false; labels];
    set.iter().for_each(|&label| flags[label as usize] = true);
    flags
}
