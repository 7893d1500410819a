//! Directions that functions of a token or of an index are read from: one for each token or index, or one for each
//! function. Both are embedded; what is missing is made. Rewrites plans.

use crate::model::label::condition;
use crate::plan::{Linear, Plan, Source, Variable, VariableId, Written, ascending};

/// Which directions functions of a token or of an index are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// One for each token or index.
    OfValues,
    /// One for each function.
    OfFunctions,
}

/// What a linear read depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Axis {
    Tokens,
    Indices,
}

impl Plan {
    /// What two linear reads depend on, if that is the token alone or the index alone.
    pub(super) fn axis(&self, of: [&Linear; 2]) -> Option<Axis> {
        let mut axis = None;
        for id in of.into_iter().flat_map(Linear::reads) {
            let read = match &self.variable(id).written {
                Written::Embed { tokens, indices } if indices.is_empty() && !tokens.is_empty() => {
                    Axis::Tokens
                }
                Written::Embed { tokens, .. } if tokens.is_empty() => Axis::Indices,
                Written::Flag | Written::One => continue,
                Written::Embed { .. }
                | Written::Given(..)
                | Written::Attend
                | Written::FeedForward => return None,
            };
            if *axis.get_or_insert(read) != read {
                return None;
            }
        }
        axis
    }

    /// A linear read that is a function of what two others are, both of the token or both of the index; at BOS,
    /// too, or 0 there.
    pub(super) fn function_of(
        &mut self,
        of: [&Linear; 2],
        columns: Columns,
        function: impl Fn(f64, f64) -> Option<f64>,
        is_known_at_bos: bool,
    ) -> Option<Linear> {
        let axis = self.axis(of)?;
        let count = match axis {
            Axis::Tokens => self.vocabulary.len(),
            Axis::Indices => self.max_length,
        };
        let at = |linear: &Linear, row: usize| {
            // Of the other side there is nothing.
            linear.at(|id| self.held_at(id, [row, row]).unwrap_or(0.0))
        };
        let numbers = (0..count).map(|row| function(at(of[0], row), at(of[1], row)));
        let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
        let bos = match is_known_at_bos && self.bos {
            true => function(self.at_bos(of[0]), self.at_bos(of[1]))?,
            false => 0.0,
        };
        let read = match columns {
            Columns::OfValues => {
                let pairs = self.one_hot(axis, count)?.into_iter().zip(&numbers);
                let used = pairs.filter(|(_, number)| **number != 0.0);
                used.fold(Linear::default(), |sum, (id, number)| sum.plus(id, *number))
            }
            Columns::OfFunctions => Linear::of(self.embedded_with(axis, numbers, of)),
        };
        Some(match bos == 0.0 {
            true => read,
            false => read.plus(self.flag(), bos),
        })
    }

    /// The direction of each token or each index, if all but one have their own; that one is made.
    fn one_hot(&mut self, axis: Axis, count: usize) -> Option<Vec<VariableId>> {
        let mut columns: Vec<Option<VariableId>> = vec![None; count];
        for (id, variable) in self.ids().zip(&self.variables) {
            let numbers = match (&variable.written, axis) {
                (Written::Embed { tokens, indices }, Axis::Tokens) if indices.is_empty() => tokens,
                (Written::Embed { tokens, indices }, Axis::Indices) if tokens.is_empty() => indices,
                _ => continue,
            };
            if variable.bos == 0.0
                && variable.rounding.is_none()
                && let Some(value) = only_one(numbers)
                && let Some(column @ None) = columns.get_mut(value)
            {
                *column = Some(id);
            }
        }
        let mut missing = (0..count).filter(|value| columns[*value].is_none());
        let (first, second) = (missing.next(), missing.next());
        if second.is_some() {
            return None;
        }
        if let Some(value) = first {
            let known = columns.iter().flatten().next()?;
            let known = self.variable(*known);
            let name = known.source.name.clone();
            let told = self.value(axis, value);
            let numbers = (0..count).map(|at| f64::from(u8::from(at == value)));
            let variable = Variable {
                label: format!("{name} = {told}"),
                written: axis.embed(numbers.collect()),
                asked_for: false,
                ..known.clone()
            };
            columns[value] = Some(self.add(variable));
        }
        columns.into_iter().collect()
    }

    /// A direction that has these numbers for tokens or for indices, made if there is none; what was read
    /// instead says whose it is.
    fn embedded_with(&mut self, axis: Axis, numbers: Vec<f64>, of: [&Linear; 2]) -> VariableId {
        let written = axis.embed(numbers.clone());
        if let Some(known) = self.holding(&written, 0.0) {
            return known;
        }
        let mut embedded = of
            .into_iter()
            .flat_map(Linear::reads)
            .map(|id| self.variable(id));
        let known = embedded.find(|known| matches!(known.written, Written::Embed { .. }));
        let source = known.map_or_else(Source::default, |known| known.source.clone());
        let label = self.told(axis, &source.name, &numbers);
        self.add(Variable {
            label,
            source,
            written,
            bos: 0.0,
            values: ascending(numbers),
            rounding: None,
            asked_for: false,
        })
    }

    /// Which tokens or indices have numbers that are not 0, as people say it.
    fn told(&self, axis: Axis, name: &str, numbers: &[f64]) -> String {
        let is_there = Vec::from_iter(numbers.iter().map(|number| *number != 0.0));
        let told = match condition(&is_there) {
            Some((sign, at)) => format!("{sign} {}", self.value(axis, at)),
            None => {
                let told = (0..numbers.len()).filter(|at| is_there[*at]);
                let values = told.map(|at| self.value(axis, at));
                format!("= {}", Vec::from_iter(values).join("|"))
            }
        };
        format!("{name} {told}")
    }

    fn value(&self, axis: Axis, at: usize) -> String {
        match axis {
            Axis::Tokens => self.vocabulary[at].source(),
            Axis::Indices => at.to_string(),
        }
    }

    /// Has those of so many variables that are new stand before the others of their source.
    pub(super) fn put_in_order(&mut self, known: usize) {
        let mut places: Vec<usize> = (0..known).collect();
        for at in known..self.variables.len() {
            let source = &self.variables[at].source;
            let mut others = places.iter();
            let is_before =
                |other: &usize| *other < known && self.variables[*other].source == *source;
            let first = others.position(is_before);
            places.insert(first.unwrap_or(places.len()), at);
        }
        self.reorder(&places);
    }
}

impl Axis {
    fn embed(self, numbers: Vec<f64>) -> Written {
        let (tokens, indices) = match self {
            Axis::Tokens => (numbers, Vec::new()),
            Axis::Indices => (Vec::new(), numbers),
        };
        Written::Embed { tokens, indices }
    }
}

/// Where the only number stands that is not 0, if that is 1.
fn only_one(numbers: &[f64]) -> Option<usize> {
    let mut others = numbers
        .iter()
        .enumerate()
        .filter(|(_, number)| **number != 0.0);
    match (others.next(), others.next()) {
        (Some((at, 1.0)), None) => Some(at),
        _ => None,
    }
}
