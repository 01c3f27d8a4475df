//! Critical-difference diagrams (Demšar 2006): methods on an axis of average ranks, and bars that join those whose
//! ranks do not differ.

use std::ops::Range;

use super::rows::WIDTH;
use super::{heading_over, title_over};
use crate::report::names::shortened;
use crate::report::svg::{Anchor, Drawing, Figure, circle, hint, line, path, words, words_at};
use crate::summary::{DatasetSummary, RankingSummary};
use crate::text::counted;

/// Where the ends of the axis are; names stand below, at the edges of the drawing.
const AXIS: Range<f64> = 96.0..WIDTH - 96.0;
const AXIS_Y: f64 = 66.0;
const FIRST_GROUP: f64 = 14.0;
const GROUP: f64 = 8.0;
const NAME: f64 = 19.0;

/// The diagram of a ranking over the runs of the only data set, or over several data sets.
pub(in crate::report) fn critical_difference(
    datasets: &[&DatasetSummary],
    ranking: &RankingSummary,
    file: String,
) -> Figure {
    let order = by_rank(&ranking.ranking.average_ranks);
    let groups: Vec<&Vec<usize>> = groups(ranking).collect();
    let names_y = AXIS_Y + FIRST_GROUP + groups.len() as f64 * GROUP + 14.0;
    let rows = order.len().div_ceil(2);
    let mut drawing = Drawing::new(WIDTH, names_y + rows as f64 * NAME);
    let metric = ranking.metric.title();
    let over = if let [only] = datasets {
        only.entry.name.as_str()
    } else {
        ranking.over
    };
    let is_synthetic = datasets.iter().any(|dataset| dataset.is_synthetic());
    drawing.add(words(0.0, 14.0, heading_over(over, is_synthetic, metric)).class("heading"));
    draw_axis(&mut drawing, order.len());
    draw_scale_bar(&mut drawing, ranking, order.len());
    draw_groups(&mut drawing, ranking, &groups);
    draw_names(&mut drawing, ranking, &order, names_y);
    let what = if datasets.len() == 1 {
        "run"
    } else {
        "data set"
    };
    Figure {
        file,
        title: title_over(over, is_synthetic, &format!("{metric}: average ranks")),
        finding: finding(ranking, &order),
        caption: caption(ranking, what),
        drawing,
    }
}

/// The groups that join something.
fn groups<'a>(ranking: &'a RankingSummary<'_>) -> impl Iterator<Item = &'a Vec<usize>> {
    let groups = ranking.ranking.groups.iter();
    groups.filter(|group| group.len() > 1)
}

fn by_rank(ranks: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    order
}

/// Rank 1, the best, is to the left.
fn place(rank: f64, count: usize) -> f64 {
    let share = (rank - 1.0) / (count as f64 - 1.0).max(1.0);
    AXIS.start + share.clamp(0.0, 1.0) * (AXIS.end - AXIS.start)
}

fn draw_axis(drawing: &mut Drawing, count: usize) {
    drawing.add(line((AXIS.start, AXIS_Y), (AXIS.end, AXIS_Y)).class("axis"));
    for rank in 1..=count {
        let x = place(rank as f64, count);
        drawing.add(line((x, AXIS_Y - 5.0), (x, AXIS_Y)).class("axis"));
        drawing.add(words_at(Anchor::Middle, x, AXIS_Y - 9.0, rank).class("small"));
    }
    drawing.add(words_at(Anchor::End, AXIS.start - 12.0, AXIS_Y - 9.0, "best rank").class("small"));
}

/// How far apart ranks must be to differ.
fn draw_scale_bar(drawing: &mut Drawing, ranking: &RankingSummary, count: usize) {
    const Y: f64 = 32.0;
    let difference = ranking.ranking.critical_difference;
    let end = place(1.0 + difference, count);
    drawing.add(line((AXIS.start, Y), (end, Y)).class("axis"));
    for x in [AXIS.start, end] {
        drawing.add(line((x, Y - 4.0), (x, Y + 4.0)).class("axis"));
    }
    let label = format!("CD {difference:.2}");
    drawing.add(words(end + 6.0, Y + 4.0, label).class("small"));
}

fn draw_groups(drawing: &mut Drawing, ranking: &RankingSummary, groups: &[&Vec<usize>]) {
    let ranks = &ranking.ranking.average_ranks;
    for (index, group) in groups.iter().enumerate() {
        let y = AXIS_Y + FIRST_GROUP + index as f64 * GROUP;
        let places = group
            .iter()
            .map(|&method| place(ranks[method], ranks.len()));
        let (from, to) = places.fold((f64::MAX, f64::MIN), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        let names: Vec<&str> = group.iter().map(|&method| ranking.titles[method]).collect();
        let bar = line((from - 3.0, y), (to + 3.0, y)).class("group");
        drawing.add(hint(
            bar,
            format!("no significant difference: {}", names.join(", ")),
        ));
    }
}

/// The better half to the left from top to bottom, the other half to the right from bottom to top, so that no
/// two leads cross.
fn draw_names(drawing: &mut Drawing, ranking: &RankingSummary, order: &[usize], top: f64) {
    let ranks = &ranking.ranking.average_ranks;
    let left = order.len().div_ceil(2);
    for (position, &method) in order.iter().enumerate() {
        let is_left = position < left;
        let row = if is_left {
            position
        } else {
            order.len() - 1 - position
        };
        let y = top + row as f64 * NAME;
        let x = place(ranks[method], order.len());
        let edge = if is_left {
            AXIS.start - 8.0
        } else {
            AXIS.end + 8.0
        };
        drawing.add(path(&[(x, AXIS_Y), (x, y), (edge, y)]).class("lead"));
        drawing.add(circle(x, AXIS_Y, 2.5).class("ours"));
        let name = shortened(ranking.titles[method], AXIS.start - 12.0, 12.0);
        let label = if is_left {
            words_at(Anchor::End, edge - 4.0, y + 4.0, name)
        } else {
            words(edge + 4.0, y + 4.0, name)
        };
        drawing.add(hint(
            label,
            format!(
                "{}: average rank {:.2}",
                ranking.titles[method], ranks[method]
            ),
        ));
    }
}

fn caption(ranking: &RankingSummary, what: &str) -> String {
    format!(
        "Average ranks over {}; thick bars join methods without a significant difference in the Nemenyi test at level {}. \
         Friedman test: p {}.{}",
        counted(ranking.blocks, what),
        ranking.ranking.alpha,
        super::p_value(ranking.ranking.friedman.p_value),
        if ranking.is_over_datasets {
            ""
        } else {
            " Runs share training rows, so that both tests overstate significance."
        }
    )
}

fn finding(ranking: &RankingSummary, order: &[usize]) -> String {
    let name = |&method: &usize| {
        let rank = ranking.ranking.average_ranks[method];
        format!("{} {rank:.2}", ranking.titles[method])
    };
    let ranks: Vec<String> = order.iter().map(name).collect();
    let groups = groups(ranking).map(|group| {
        let names: Vec<&str> = group.iter().map(|&method| ranking.titles[method]).collect();
        names.join(" and ")
    });
    let groups: Vec<String> = groups.collect();
    let alike = if groups.is_empty() {
        "All differ significantly".to_owned()
    } else {
        format!("No significant difference: {}", groups.join("; "))
    };
    format!(
        "Average ranks: {}. {alike}. Critical difference {:.2}.",
        ranks.join(", "),
        ranking.ranking.critical_difference
    )
}
