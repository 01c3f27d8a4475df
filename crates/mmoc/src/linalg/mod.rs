//! Matrix products and decompositions: the only module that uses the linear algebra library.
//!
//! Everything is sequential unless it is split into tasks whose size does not depend on the number of threads, so
//! results are bitwise equal on any machine of the same kind.

mod cholesky;
mod design;
mod eigen;
mod exponential;
mod factorisation;
mod gram;
mod interleaved;
mod product;
mod rotation;
mod row_weights;
pub(crate) mod small;
mod sparse;
mod tridiagonal;
mod vector;

pub(crate) use cholesky::Cholesky;
pub(crate) use design::{DesignMatrix, ProductBuffers, SparseDesign, SparsePanels};
pub use eigen::{SymmetricEigen, symmetric_eigen};
pub(crate) use exponential::{exponential, exponentials};
pub use factorisation::Factorisation;
pub(crate) use factorisation::Side;
pub(crate) use gram::{
    centred, check_total_scatter, column_means, column_scatters, gram, gram_of_columns,
    rounding_scatter, weighted_column_means, weighted_gram,
};
pub(crate) use interleaved::{add_transposed_product, product_of_panel};
pub use product::{
    multiply, multiply_by_transposed, multiply_features, multiply_features_transposed,
    multiply_transposed,
};
pub(crate) use product::{products_of_rows, transposed};
pub use rotation::Rotation;
pub(crate) use rotation::significant;
pub(crate) use row_weights::{RowWeights, total_weight};
pub(crate) use tridiagonal::Tridiagonal;
pub(crate) use vector::{add_scaled, dot, squared_distance, sum, vectorised};
