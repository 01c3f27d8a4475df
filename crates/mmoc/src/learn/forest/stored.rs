//! Forests in model files.

use super::Forest;
use super::cuts::Cuts;
use super::tree::{Kind, MixedLeaves, Node, Numbering, Trees};
use crate::check_size;
use crate::model_file::{Refusal, TensorReader, TensorWriter};

impl Forest {
    /// Adds its tensors, whose names begin with `name`.
    pub(crate) fn store<'a>(&'a self, name: &str, file: &mut TensorWriter<'a>) {
        let trees = &self.trees;
        let tensor = |part: &str| format!("{name}.{part}");
        file.integers(&tensor("columns"), vec![self.columns as u32]);
        file.integers(&tensor("cut_columns"), &trees.cuts.columns);
        file.vector(&tensor("cut_thresholds"), &trees.cuts.thresholds);
        let numbers: Vec<u32> = trees.nodes.iter().map(|node| node.number).collect();
        file.integers(&tensor("nodes"), numbers);
        file.integers(&tensor("mixed_sizes"), trees.mixed.sizes());
        file.integers(&tensor("mixed_classes"), &trees.mixed.classes);
        file.integers(&tensor("mixed_counts"), &trees.mixed.counts);
    }

    /// The forest of the tensors whose names begin with `name`, of so many classes and, if it is given, columns.
    pub(crate) fn restore(
        name: &str,
        tensors: &mut TensorReader,
        columns: Option<usize>,
        class_count: usize,
    ) -> Result<Self, Refusal> {
        let tensor = |part: &str| format!("{name}.{part}");
        let own = tensors.integers(&tensor("columns"))?;
        check_size("numbers of columns of a forest", 1, own.len())?;
        let own = own[0] as usize;
        check_size("columns of a forest", columns.unwrap_or(own), own)?;
        let cuts = Cuts {
            columns: tensors.integers(&tensor("cut_columns"))?,
            thresholds: tensors.numbers(&tensor("cut_thresholds"))?,
        };
        check_cuts(&cuts, own)?;
        let mixed = mixed_leaves(
            &tensors.integers(&tensor("mixed_sizes"))?,
            &tensors.integers(&tensor("mixed_classes"))?,
            &tensors.integers(&tensor("mixed_counts"))?,
            class_count,
        )?;
        let numbering = Numbering {
            cuts: cuts.len(),
            classes: class_count,
        };
        let last = numbering.cuts as u64 + class_count as u64 + mixed.len() as u64;
        let numbers = tensors.integers(&tensor("nodes"))?;
        if let Some(number) = numbers.iter().find(|number| u64::from(**number) >= last) {
            let expected = format!("numbers of nodes below {last}");
            return Err(Refusal::not_a_model(expected, number.to_string()));
        }
        let (nodes, roots) = trees(&numbers, numbering)?;
        let trees = Trees {
            cuts,
            numbering,
            nodes,
            mixed,
            roots,
        };
        Ok(Self {
            columns: own,
            trees,
        })
    }
}

/// Fails unless cuts are of columns that there are, and ascend.
fn check_cuts(cuts: &Cuts, columns: usize) -> Result<(), Refusal> {
    check_size("thresholds of cuts", cuts.columns.len(), cuts.len())?;
    let mut pairs = cuts.columns.iter().zip(&cuts.thresholds);
    if !pairs.clone().is_sorted_by(|a, b| a < b) {
        return Err(Refusal::not_a_model("cuts that ascend", "others"));
    }
    match pairs.next_back() {
        Some((last, _)) if *last as usize >= columns => {
            let expected = format!("cuts of columns below {columns}");
            Err(Refusal::not_a_model(expected, last.to_string()))
        }
        _ => Ok(()),
    }
}

/// The leaves of several classes, by the number of classes that each has.
fn mixed_leaves(
    sizes: &[u32],
    classes: &[u32],
    counts: &[u32],
    class_count: usize,
) -> Result<MixedLeaves, Refusal> {
    check_size("numbers of rows in leaves", classes.len(), counts.len())?;
    let (mut leaves, mut begin) = (MixedLeaves::default(), 0usize);
    for &size in sizes {
        let own = begin..begin.saturating_add(size as usize);
        let (Some(classes), Some(counts)) = (classes.get(own.clone()), counts.get(own.clone()))
        else {
            let expected = "classes for all leaves";
            return Err(Refusal::not_a_model(expected, classes.len().to_string()));
        };
        let is_below = classes
            .last()
            .is_some_and(|last| (*last as usize) < class_count);
        if !is_below || !classes.is_sorted_by(|a, b| a < b) || counts.contains(&0) {
            let expected = format!("ascending classes below {class_count} with rows in each leaf");
            return Err(Refusal::not_a_model(expected, "others"));
        }
        leaves.push(classes, counts);
        begin = own.end;
    }
    check_size("classes of leaves", begin, classes.len())?;
    Ok(leaves)
}

/// Nodes with the places of their right sides, and where each tree begins; fails unless they are complete trees.
fn trees(numbers: &[u32], numbering: Numbering) -> Result<(Vec<Node>, Vec<usize>), Refusal> {
    let (mut nodes, mut roots) = (Vec::with_capacity(numbers.len()), Vec::new());
    // Cuts whose right side has not begun.
    let mut waiting: Vec<usize> = Vec::new();
    let mut is_root = true;
    for (place, &number) in numbers.iter().enumerate() {
        nodes.push(Node { number, right: 0 });
        if is_root {
            roots.push(place);
        }
        is_root = false;
        if let Kind::Cut(_) = numbering.kind(number) {
            waiting.push(place);
        } else if let Some(cut) = waiting.pop() {
            let right = u32::try_from(place + 1 - cut);
            nodes[cut].right = right.map_err(|_| incomplete())?;
        } else {
            is_root = true;
        }
    }
    if is_root && !roots.is_empty() {
        Ok((nodes, roots))
    } else {
        Err(incomplete())
    }
}

fn incomplete() -> Refusal {
    Refusal::not_a_model("complete trees", "others")
}
