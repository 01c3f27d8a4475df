//! Some of the rows of a data set, immutable: they compute their share of sums over all rows.

use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::bulk::Bulk;
use super::message::{Derivation, Reply, Request, decoded, encoded};
use super::packed::{PackedFeatures, PackedLabels};
use super::row_hash::{hashes, mixed};
use crate::data::{CsrView, Features, FeaturesView, Labels, MatrixView, check_weights};
use crate::learn::partitioned::KeptProducts;
use crate::linalg::SparsePanels;
use crate::{Result, check_size};

/// Rows of dense features that are multiplied together: products with them stay in the cache.
const DENSE_PANEL: usize = 256;

/// Some rows with their labels.
///
/// A partition is made of data that were given, and others are derived from it: scaled, or a sample of the rows. What it
/// answers depends on its rows and on the request alone.
#[derive(Debug)]
pub struct Partition {
    features: Features,
    labels: Labels,
    weights: Option<Vec<f64>>,
    /// A number for each row that depends on its content as it was given.
    hashes: Vec<u64>,
    panels: OnceLock<SparsePanels>,
    kept_products: KeptProducts,
}

/// A partition as bytes.
#[derive(Serialize, Deserialize)]
struct Packed {
    features: PackedFeatures,
    labels: PackedLabels,
    weights: Option<Bulk<f64>>,
    hashes: Bulk<u64>,
}

/// Some consecutive rows of a partition, few enough for products with them to stay in the cache.
#[derive(Debug, Clone)]
pub(crate) struct Panel<'a> {
    pub(crate) rows: Range<usize>,
    pub(crate) features: PanelFeatures<'a>,
}

/// The features of a panel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PanelFeatures<'a> {
    Dense(MatrixView<'a>),
    Sparse {
        rows: CsrView<'a>,
        /// The same matrix by columns.
        transposed: CsrView<'a>,
    },
}

impl PanelFeatures<'_> {
    pub(crate) fn columns(self) -> usize {
        match self {
            Self::Dense(x) => x.columns(),
            Self::Sparse { rows, .. } => rows.columns(),
        }
    }
}

impl Partition {
    /// Rows with their labels, and a weight for each of them if they do not all count the same.
    ///
    /// Fails unless sizes agree and weights are positive.
    pub fn new(features: Features, labels: Labels, weights: Option<Vec<f64>>) -> Result<Self> {
        check_size("rows of labels", features.view().rows(), labels.rows())?;
        if let Some(weights) = &weights {
            check_weights(weights, labels.rows())?;
        }
        let hashes = hashes(features.view(), &labels);
        Ok(Self::of_parts(features, labels, weights, hashes))
    }

    fn of_parts(
        features: Features,
        labels: Labels,
        weights: Option<Vec<f64>>,
        hashes: Vec<u64>,
    ) -> Self {
        Self {
            features,
            labels,
            weights,
            hashes,
            panels: OnceLock::new(),
            kept_products: KeptProducts::default(),
        }
    }

    /// A partition from what [`Self::to_bytes`] made.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let packed: Packed = decoded(bytes)?;
        let (features, labels) = (packed.features.unpack()?, packed.labels.unpack()?);
        let weights = packed.weights.map(|weights| weights.0);
        check_size("rows of labels", features.view().rows(), labels.rows())?;
        check_size("hashes of rows", labels.rows(), packed.hashes.len())?;
        if let Some(weights) = &weights {
            check_size("weights", labels.rows(), weights.len())?;
        }
        Ok(Self::of_parts(features, labels, weights, packed.hashes.0))
    }

    /// The partition as bytes, for another process of the same program.
    pub fn to_bytes(&self) -> Vec<u8> {
        encoded(&Packed {
            features: self.features().into(),
            labels: self.labels.clone().into(),
            weights: self.weights.clone().map(Bulk),
            hashes: Bulk(self.hashes.clone()),
        })
    }

    /// Bytes in memory, about.
    pub fn bytes(&self) -> usize {
        let stored = self.features().stored_values().len();
        let of_features = match &self.features {
            Features::Dense(_) => 8 * stored,
            // By rows, and by columns once products were asked for.
            Features::Sparse(_) => 2 * 12 * stored,
        };
        of_features + 4 * self.labels.total() + 32 * self.rows()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.labels.rows()
    }

    /// The features.
    pub fn features(&self) -> FeaturesView<'_> {
        self.features.view()
    }

    /// The labels.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    pub(crate) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// How much a row counts.
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// How much all rows count together.
    pub(crate) fn total_weight(&self) -> f64 {
        let weights = self.weights.as_ref();
        weights.map_or(self.rows() as f64, |weights| weights.iter().sum())
    }

    /// Sums of the hashes of the rows, 16 bits at a time, so that they are exact in any order.
    pub(crate) fn content(&self) -> [f64; 4] {
        let limbs = |place: u32| {
            let hashes = self.hashes.iter();
            hashes
                .map(|hash| (hash >> (16 * place) & 0xffff) as f64)
                .sum()
        };
        [limbs(0), limbs(1), limbs(2), limbs(3)]
    }

    /// The fold of each row, by its content: rows that are the same are in the same fold, in whatever partitions they are.
    pub fn folds(&self, count: usize, seed: u64) -> Vec<usize> {
        let fold = |&hash: &u64| (mixed(hash, seed) % count.max(1) as u64) as usize;
        self.hashes.iter().map(fold).collect()
    }

    /// The rows of a sample that has about a share of all rows, chosen by their content.
    pub(super) fn sampled(&self, below: u64, seed: u64) -> Vec<usize> {
        let hashes = self.hashes.iter().enumerate();
        let is_chosen = |&(_, &hash): &(usize, &u64)| mixed(hash, !seed) < below;
        hashes.filter(is_chosen).map(|(row, _)| row).collect()
    }

    pub(crate) fn kept_products(&self) -> &KeptProducts {
        &self.kept_products
    }

    /// The share of these rows in what is asked.
    pub fn answer(&self, request: &Request) -> Result<Reply> {
        request.answer(self)
    }

    /// Other rows made of these.
    pub fn derived(&self, derivation: &Derivation) -> Result<Self> {
        derivation.of(self)
    }

    /// The same rows with other features and weights multiplied by a factor.
    pub(super) fn with_features(&self, features: Features, weight_unit: f64) -> Self {
        let weights = self.weights.as_ref();
        let weights =
            weights.map(|weights| weights.iter().map(|weight| weight * weight_unit).collect());
        Self::of_parts(features, self.labels.clone(), weights, self.hashes.clone())
    }

    /// Some of the rows.
    pub(super) fn select_rows(&self, rows: &[usize]) -> Self {
        let weights = self.weights.as_ref();
        Self::of_parts(
            self.features().select_rows(rows),
            self.labels.select_rows(rows),
            weights.map(|weights| rows.iter().map(|&row| weights[row]).collect()),
            rows.iter().map(|&row| self.hashes[row]).collect(),
        )
    }

    /// All rows, a few at a time.
    pub(crate) fn panels(&self) -> Vec<Panel<'_>> {
        match &self.features {
            Features::Dense(x) => {
                let starts = (0..x.rows()).step_by(DENSE_PANEL);
                let panel = |first: usize| {
                    let rows = first..x.rows().min(first + DENSE_PANEL);
                    Panel {
                        features: PanelFeatures::Dense(x.view().rows_in(rows.clone())),
                        rows,
                    }
                };
                starts.map(panel).collect()
            }
            Features::Sparse(x) => {
                let panels = self.panels.get_or_init(|| SparsePanels::new(x.view()));
                panels
                    .iter()
                    .map(|(rows, transposed)| Panel {
                        features: PanelFeatures::Sparse {
                            rows: x.view().rows_in(rows.clone()),
                            transposed,
                        },
                        rows,
                    })
                    .collect()
            }
        }
    }
}
