//! The keys of `--json`, in the order in which they are written. `docs/json.md` promises that none of them changes.

use mmoc::method::Method;
use mmoc::settings::Settings;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::json;

use super::{DatasetSummary, ExperimentSummary, MethodSummary};
use crate::Seconds;

impl Serialize for ExperimentSummary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let manifest = self.manifest;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("version", &manifest.version)?;
        map.serialize_entry("command", &manifest.command)?;
        if let Some(preset) = &manifest.preset {
            map.serialize_entry("preset", preset)?;
        }
        map.serialize_entry("seed", &manifest.seed)?;
        map.serialize_entry("protocol", &manifest.protocol)?;
        if let [only] = manifest.datasets.as_slice() {
            map.serialize_entry("scaling", &only.scaling)?;
            if !only.missing.is_mean() {
                map.serialize_entry("missing", &only.missing)?;
            }
        }
        map.serialize_entry("reference", &manifest.reference)?;
        map.serialize_entry("datasets", &self.datasets)?;
        map.serialize_entry("rankings", &self.rankings)?;
        map.serialize_entry("fits", &self.fits)?;
        map.end()
    }
}

impl Serialize for DatasetSummary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = self.entry;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &entry.name)?;
        map.serialize_entry("source", &entry.source)?;
        map.serialize_entry("rows", &entry.rows)?;
        map.serialize_entry("features", &entry.features)?;
        map.serialize_entry("labels", &entry.labels)?;
        map.serialize_entry("scaling", &entry.scaling)?;
        if !entry.missing.is_mean() {
            map.serialize_entry("missing", &entry.missing)?;
        }
        map.serialize_entry("fingerprint", &entry.fingerprint)?;
        if let Some(test) = &entry.test {
            let part = json!({ "rows": test.rows, "fingerprint": test.fingerprint });
            map.serialize_entry("test", &part)?;
        }
        map.serialize_entry("methods", &self.methods)?;
        map.end()
    }
}

impl Serialize for MethodSummary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", self.name())?;
        map.serialize_entry("base_models", &self.base_models)?;
        map.serialize_entry("parameters", &ParameterValues(self.method.as_ref()))?;
        map.serialize_entry("metrics", &self.metrics)?;
        let seconds = |part: fn(Seconds) -> f64| json!({ "mean": self.seconds.map(part) });
        map.serialize_entry("fit_seconds", &seconds(|mean| mean.fit))?;
        map.serialize_entry("own_seconds", &seconds(|mean| mean.own))?;
        map.serialize_entry("predict_seconds", &seconds(|mean| mean.predict))?;
        map.serialize_entry("logistic", &self.logistic)?;
        if let Some(ridge) = &self.ridge {
            map.serialize_entry("ridge", ridge)?;
        }
        if let Some(solver) = &self.solver {
            map.serialize_entry("solver", solver)?;
        }
        if let Some(posterior) = &self.posterior {
            map.serialize_entry("decide", &posterior.decide)?;
            map.serialize_entry("posterior", posterior)?;
        }
        if let Some(confidence) = &self.confidence {
            map.serialize_entry("confidence", confidence)?;
        }
        map.serialize_entry("label_metrics", &self.labels)?;
        map.end()
    }
}

/// Name and value of each parameter, in the order of the method.
struct ParameterValues<'a>(Option<&'a Method>);

impl Serialize for ParameterValues<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parameters = self.0.into_iter().flat_map(Settings::parameters);
        serializer.collect_map(parameters.map(|parameter| (parameter.name, parameter.value)))
    }
}
