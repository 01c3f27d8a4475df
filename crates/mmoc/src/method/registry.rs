//! The table of methods, turned into the type of them.

/// Makes `Method` of a list of types that are [`Recipe`](super::Recipe)s: one variant for each, in the order of
/// the list, with the parameters inside.
macro_rules! methods {
    ($($(#[$attribute:meta])* $recipe:ident,)+) => {
        /// A method that learns to predict label sets, with its parameters.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Method {
            $($(#[$attribute])* $recipe($recipe),)+
        }

        impl Method {
            /// Every method with its default parameters, in the order of the paper's tables.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$recipe($recipe::default()),)+]
            }

            /// The name by which users choose the method.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$recipe(_) => $recipe::NAME,)+
                }
            }

            /// The name in tables.
            pub fn title(&self) -> &'static str {
                match self {
                    $(Self::$recipe(_) => $recipe::TITLE,)+
                }
            }

            /// One line on what the method does.
            pub fn summary(&self) -> &'static str {
                match self {
                    $(Self::$recipe(_) => $recipe::SUMMARY,)+
                }
            }

            /// The kinds of decoder that its models have, as model files name them.
            pub(crate) fn decoders(&self) -> &'static [&'static str] {
                match self {
                    $(Self::$recipe(_) => $recipe::DECODERS,)+
                }
            }

            /// How many base models the method fits for q labels, as the paper counts them.
            pub fn base_models(&self, labels: usize) -> usize {
                match self {
                    $(Self::$recipe(recipe) => recipe.base_models(labels),)+
                }
            }

            /// Whether its models end in a posterior over label sets.
            pub fn has_posterior(&self) -> bool {
                match self {
                    $(Self::$recipe(recipe) => recipe.has_posterior(),)+
                }
            }

            /// Whether it leaves unknown labels out; for other methods they are filled in.
            pub fn leaves_unknown_out(&self) -> bool {
                match self {
                    $(Self::$recipe(recipe) => recipe.leaves_unknown_out(),)+
                }
            }

            /// Fits the method to training rows whose base models other methods may share.
            pub fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
                let given: Vec<&str> = training.given().iter().map(GivenEvidence::name).collect();
                self.check_takes_evidence(&given)?;
                need::check(self, training)?;
                let is_mapped = training.params().features == FeatureChoice::Rbf;
                match self {
                    $(Self::$recipe(recipe) if is_mapped && !recipe.chooses_features() => {
                        fit_mapped(training, |mapped| recipe.fit_on(mapped))
                    })+
                    $(Self::$recipe(recipe) => recipe.fit_on(training),)+
                }
            }
        }

        $(impl $recipe {
            /// Trains a model on all rows of a data set, with default base learners, automatic scaling and seed 0.
            /// The model is that of `mmoc train` with the same parameters.
            pub fn fit(self, dataset: &Dataset) -> Result<Model> {
                TrainParams::from(self).fit(dataset)
            }

            /// The parameters of a training with this method and other base learners.
            pub fn base(self, base: BaseParams) -> TrainParams {
                TrainParams::from(self).base(base)
            }

            /// The parameters of a training with this method and another seed.
            pub fn seed(self, seed: u64) -> TrainParams {
                TrainParams::from(self).seed(seed)
            }

            /// The parameters of a training with this method and another scaling of the features.
            pub fn scaling(self, scaling: Scaling) -> TrainParams {
                TrainParams::from(self).scaling(scaling)
            }

            /// The parameters of a training with this method and another way to fill in missing features.
            pub fn missing(self, missing: Missing) -> TrainParams {
                TrainParams::from(self).missing(missing)
            }
        }

        impl From<$recipe> for Method {
            fn from(recipe: $recipe) -> Self {
                Self::$recipe(recipe)
            }
        }

        impl From<$recipe> for TrainParams {
            fn from(recipe: $recipe) -> Self {
                Self::of(recipe.into())
            }
        })+

        impl Settings for Method {
            fn settings(&mut self) -> Vec<Setting<'_>> {
                match self {
                    $(Self::$recipe(recipe) => recipe.settings(),)+
                }
            }
        }
    };
}

pub(super) use methods;
