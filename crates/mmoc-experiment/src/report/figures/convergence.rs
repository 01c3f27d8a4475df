//! How the solver of the max-margin problem closed the gap between its objective and the certified lower bound.

use mmoc::code::max_margin::SolverReport;

use super::plot::{ACROSS, draw_legend, draw_scales, upwards};
use super::rows::WIDTH;
use super::{heading, title};
use crate::report::scale::Scale;
use crate::report::svg::{Drawing, Figure, path, words};
use crate::summary::{DatasetSummary, MethodSummary};

const HEIGHT: f64 = 240.0;
const LEGEND: [(&str, &str); 2] = [
    ("ours-line strong", "objective above bound"),
    ("other-line dashed strong", "bound below objective"),
];
/// Smaller relative differences are rounding errors.
const LEAST: f64 = 1e-12;

/// What the solver of one run did, relative to the final objective.
struct Course {
    /// How far the objective is above the final bound, after each iteration.
    above: Vec<f64>,
    /// How far the bound is below the final objective.
    below: Vec<f64>,
}

/// None where no solver has kept its rounds.
pub(in crate::report) fn convergence(
    dataset: &DatasetSummary,
    method: &MethodSummary,
    file: String,
) -> Option<Figure> {
    let reports = method
        .records
        .iter()
        .filter_map(|record| record.results.solver.as_ref());
    let courses: Vec<Course> = reports.filter_map(Course::of).collect();
    let longest = courses.iter().map(|course| course.above.len()).max()?;
    let values = courses
        .iter()
        .flat_map(|course| course.above.iter().chain(&course.below));
    let scale = Scale::logarithmic(values.copied(), upwards(HEIGHT))?;
    let steps = Scale::linear((0.0, longest as f64 - 1.0), ACROSS);
    let mut drawing = Drawing::new(WIDTH, HEIGHT);
    drawing.add(words(0.0, 14.0, heading(dataset, "Certified gap")).class("heading"));
    draw_legend(&mut drawing, LEGEND);
    draw_scales(&mut drawing, (&steps, &scale), "iteration");
    // The first run is drawn last, on top of the others.
    for (run, course) in courses.iter().enumerate().rev() {
        draw_course(&mut drawing, course, (&steps, &scale), run == 0);
    }
    let solver = method.solver?;
    Some(Figure {
        file,
        title: title(dataset, &format!("Convergence of {}", method.title())),
        finding: format!(
            "{} of {} runs reached the requested gap. The worst relative gap is {:.1e}, after {:.1} iterations on average.",
            solver.converged, solver.runs, solver.relative_gap, solver.iterations
        ),
        caption: "Relative distance of the objective above the final certified bound, and of the bound below the \
                  final objective. Strong: the first run; faint: all others."
            .into(),
        drawing,
    })
}

impl Course {
    fn of(report: &SolverReport) -> Option<Self> {
        let size = report.objective.abs();
        if report.rounds.is_empty() || size == 0.0 {
            return None;
        }
        let relative = |difference: f64| (difference / size).max(LEAST);
        let rounds = report.rounds.iter();
        Some(Self {
            above: rounds
                .clone()
                .map(|round| relative(round.objective - report.lower_bound))
                .collect(),
            below: rounds
                .map(|round| relative(report.objective - round.lower_bound))
                .collect(),
        })
    }
}

fn draw_course(
    drawing: &mut Drawing,
    course: &Course,
    (steps, scale): (&Scale, &Scale),
    is_first: bool,
) {
    let lines = [
        (&course.above, ["ours-line strong", "ours-line faint"]),
        (
            &course.below,
            ["other-line dashed strong", "other-line dashed faint"],
        ),
    ];
    for (values, classes) in lines {
        let points = values.iter().enumerate();
        let points: Vec<(f64, f64)> = points
            .map(|(step, value)| (steps.place(step as f64), scale.place(*value)))
            .collect();
        drawing.add(path(&points).class(classes[usize::from(!is_first)]));
    }
}
