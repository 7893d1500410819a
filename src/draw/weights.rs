//! The weights of the heads of a model as heat maps. Depends on `model`.

use super::drawing::{Block, Cell, Drawing, Grid, Panel, Role, Scale, Section, TextRow};
use super::flow::layer_title;
use super::transformer::finite;
use super::{Budget, Subject};
use crate::base::Fallible;
use crate::model::{Matrix, Model};

/// Columns of a heat map of weights, at most; beyond, it is cut, and says so.
const WEIGHTS: usize = 120;

/// The weights of the heads of a model: W_Q and W_K with their biases, W_V and W_O, of each only the
/// directions that it reads or writes.
///
/// # Errors
/// A limit is reached.
pub fn weights(subject: &Subject, model: &Model) -> Fallible<Drawing> {
    let mut budget = Budget::new(subject.limits);
    let mut sections = Vec::new();
    for (index, layer) in model.layers.iter().enumerate() {
        let mut panels = Vec::new();
        for (at, head) in layer.heads.iter().enumerate() {
            budget.boxes(1)?;
            let mut blocks = Vec::new();
            for (title, role, matrix, bias, turned) in [
                ("W_Q", Role::Query, &head.query, &*head.query_bias, false),
                ("W_K", Role::Key, &head.key, &*head.key_bias, false),
                ("W_V", Role::Value, &head.value, &[], false),
                ("W_O", Role::Result, &head.output, &[], true),
            ] {
                if matrix.nonzero() > 0 || bias.iter().any(|number| *number != 0.0) {
                    let grid = matrix_grid(model, (title, role), (matrix, bias), turned);
                    budget.cells(grid.cells.len(), grid.columns())?;
                    blocks.push(Block::Grid(grid));
                }
            }
            panels.push(Panel {
                id: format!("layer{}-head{}", index + 1, at + 1),
                title: format!("head {}: {}", at + 1, head.label),
                role: Role::Selector,
                notes: match blocks.is_empty() {
                    true => vec!["all its weights are 0".to_string()],
                    false => Vec::new(),
                },
                blocks,
            });
        }
        if !panels.is_empty() {
            sections.push(Section {
                title: layer_title(index + 1),
                panels,
            });
        }
    }
    Ok(Drawing {
        title: format!("the heads of {}", model.name),
        note: "a row for each direction of the residual stream that is read or written, a column \
               for each dimension of the head, and the bias, which is read everywhere; strength \
               by the root of the logarithm of the size"
            .to_string(),
        sections,
        ..Drawing::default()
    })
}

/// A matrix `[d_model, dimensions]`, or turned, and a bias for each dimension, if there is any; rows of
/// zeros are left out.
fn matrix_grid(
    model: &Model,
    (title, role): (&str, Role),
    (matrix, bias): (&Matrix, &[f64]),
    turned: bool,
) -> Grid {
    let dimensions = if turned {
        matrix.rows()
    } else {
        matrix.columns()
    };
    let shown = dimensions.min(WEIGHTS);
    let mut by_direction: Vec<Option<Vec<f64>>> = vec![None; model.d_model];
    for (row, column, number) in matrix.entries() {
        let (direction, dimension) = if turned { (column, row) } else { (row, column) };
        let cells = by_direction[direction].get_or_insert_with(|| vec![0.0; shown]);
        if dimension < shown {
            cells[dimension] = finite(number);
        }
    }
    let (mut names, mut cells) = (Vec::new(), Vec::new());
    for (direction, row) in by_direction.into_iter().enumerate() {
        if let Some(row) = row {
            names.push(Cell::new(&*model.directions[direction]));
            cells.push(row);
        }
    }
    if bias.iter().any(|number| *number != 0.0) {
        names.push(Cell::new("bias"));
        cells.push(
            bias.iter()
                .take(shown)
                .map(|number| finite(*number))
                .collect(),
        );
    }
    let title = match shown < dimensions {
        true => format!("{title}, the first {shown} of {dimensions} dimensions"),
        false => title.to_string(),
    };
    Grid {
        title,
        scale: Scale::Number,
        left: vec![TextRow {
            name: "direction".to_string(),
            role,
            cells: names,
        }],
        cells,
        ..Grid::default()
    }
}
