//! Which paths there are, and what they stand for.

use crate::page;

/// What a path stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    Page,
    Asset(&'a str),
    OpenApi,
    Metrics,
    Models,
    Model(&'a str),
    Predict(&'a str),
    Server,
    Live,
    Ready,
    Metadata(Named<'a>),
    ModelReady(Named<'a>),
    Infer(Named<'a>),
}

/// A model, and its version if one is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: Option<&'a str>,
}

const READ: &str = "GET, HEAD, OPTIONS";
const ASK: &str = "POST, OPTIONS";

impl<'a> Route<'a> {
    /// What a path stands for, if there is such a path.
    pub(crate) fn of(path: &'a str) -> Option<Self> {
        let segments: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
        match segments[..] {
            [""] => Some(Self::Page),
            ["page", name] => Some(Self::Asset(name)),
            ["openapi.json"] => Some(Self::OpenApi),
            ["metrics"] => Some(Self::Metrics),
            ["v1", "models"] => Some(Self::Models),
            ["v1", "models", name] => Some(Self::Model(name)),
            ["v1", "models", name, "predict"] => Some(Self::Predict(name)),
            ["v2"] => Some(Self::Server),
            ["v2", "health", "live"] => Some(Self::Live),
            ["v2", "health", "ready"] => Some(Self::Ready),
            ["v2", "models", name, "versions", version, ref rest @ ..] => {
                Self::of_model(name, Some(version), rest)
            }
            ["v2", "models", name, ref rest @ ..] => Self::of_model(name, None, rest),
            _ => None,
        }
    }

    fn of_model(name: &'a str, version: Option<&'a str>, rest: &[&str]) -> Option<Self> {
        let model = Named { name, version };
        match rest {
            [] => Some(Self::Metadata(model)),
            ["ready"] => Some(Self::ModelReady(model)),
            ["infer"] => Some(Self::Infer(model)),
            _ => None,
        }
    }

    /// The path as documented, by which requests are counted and logged.
    pub(crate) fn template(self) -> &'static str {
        let versioned = |model: Named<'_>| model.version.is_some();
        match self {
            Self::Page => "/",
            Self::Asset(_) => "/page/{name}",
            Self::OpenApi => "/openapi.json",
            Self::Metrics => "/metrics",
            Self::Models => "/v1/models",
            Self::Model(_) => "/v1/models/{name}",
            Self::Predict(_) => "/v1/models/{name}/predict",
            Self::Server => "/v2",
            Self::Live => "/v2/health/live",
            Self::Ready => "/v2/health/ready",
            Self::Metadata(model) if versioned(model) => "/v2/models/{name}/versions/{version}",
            Self::Metadata(_) => "/v2/models/{name}",
            Self::ModelReady(model) if versioned(model) => {
                "/v2/models/{name}/versions/{version}/ready"
            }
            Self::ModelReady(_) => "/v2/models/{name}/ready",
            Self::Infer(model) if versioned(model) => "/v2/models/{name}/versions/{version}/infer",
            Self::Infer(_) => "/v2/models/{name}/infer",
        }
    }

    /// Whether it takes a body and predicts.
    pub(crate) fn asks(self) -> bool {
        matches!(self, Self::Predict(_) | Self::Infer(_))
    }

    /// The methods that are allowed.
    pub(crate) fn allow(self) -> &'static str {
        if self.asks() { ASK } else { READ }
    }

    /// Whether it is answered without a token: what load balancers ask, and what is the same for every server.
    pub(crate) fn is_free(self) -> bool {
        matches!(
            self,
            Self::Live | Self::Ready | Self::Page | Self::Asset(_) | Self::OpenApi
        )
    }

    /// What it answers with, as far as `Accept` is concerned.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Page => "text/html",
            Self::Asset(name) => page::media_type(name),
            Self::Metrics => "application/openmetrics-text",
            _ => "application/json",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stands_for_its_own_route_alone() {
        let named = |version| Named { name: "m", version };
        let cases = [
            ("/", Some(Route::Page)),
            ("/v2", Some(Route::Server)),
            ("/v2/models/m", Some(Route::Metadata(named(None)))),
            (
                "/v2/models/m/versions/1/infer",
                Some(Route::Infer(named(Some("1")))),
            ),
            ("/v2/models/m/versions", None),
            ("/v2/models/m/versions/1/infer/x", None),
            ("/v1/models/m/predict", Some(Route::Predict("m"))),
            ("/v1/models/../predict", Some(Route::Predict(".."))),
            ("//v2", None),
            ("/v2/", None),
            ("*", None),
            ("", None),
        ];
        for (path, expected) in cases {
            assert_eq!(Route::of(path), expected, "{path}");
        }
    }
}
