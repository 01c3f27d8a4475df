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

            /// Learns from a training set.
            pub fn fit(&self, training: &Training<'_>) -> Result<Fitted> {
                match self {
                    $(Self::$recipe(recipe) => recipe.fit(training),)+
                }
            }
        }

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
