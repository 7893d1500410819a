//! Readouts of a plan: the outputs, and views of the program's named s-ops where the stream holds
//! what they are read from.

use super::Emitter;
use super::readout::{Output, OutputRead};
use crate::compile::head::Target;
use crate::compile::linear::basis::Basis;
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::{Bits, Compiler, Want, bits};
use crate::graph::{Encoding, SOp, SOpId, without_number};
use crate::infer::{Operand, VarKind};
use crate::model::{Decoder, is_bfloat16};
use crate::plan::{Linear, PatternSource, Read, ReadOut, Source};
use crate::value::Value;
use std::collections::BTreeMap;

impl Emitter<'_, '_> {
    pub(crate) fn read_out(&mut self, name: String, of: Option<SOpId>, output: Output) -> ReadOut {
        let source = match of {
            Some(id) => self.sop_source(id),
            None => Source::default(),
        };
        let (scores, read) = match output.read {
            OutputRead::Number(read) => {
                let numbers = match &output.decoder {
                    Decoder::Numerical(values) => {
                        values.iter().filter_map(Value::as_float).collect()
                    }
                    Decoder::Categorical(_) => Vec::new(),
                };
                (vec![self.resolve_constant(&read)], Read::Nearest(numbers))
            }
            OutputRead::Classes(read, count) => {
                let number = self.resolve_constant(&read);
                let one = self.plan.one_of_biases();
                (number.classes(count, one), Read::Classes(number, count))
            }
            OutputRead::Ratio([numerator, denominator], numbers) => {
                let numerator = self.resolve_constant(&numerator);
                let denominator = self.resolve_constant(&denominator);
                let scores = numerator.nearest(&denominator, &numbers);
                let read = Read::Ratio {
                    numerator,
                    denominator,
                    numbers,
                };
                (scores, read)
            }
        };
        ReadOut {
            name,
            source,
            scores,
            decoder: output.decoder,
            read,
        }
    }

    /// Whether biases of W_U have more digits than they are to have.
    pub(crate) fn lacks_digits(&self, output: &Output) -> bool {
        let OutputRead::Classes(read, count) = &output.read else {
            return false;
        };
        let scores = self.resolve_constant(read).classes(*count, None);
        self.compiler.host.is_bfloat16() && !scores.iter().all(|score| is_bfloat16(score.constant))
    }

    /// W_U has a bias, so that constants are constants in both styles.
    fn resolve_constant(&self, read: &LinearRead) -> Linear {
        let mut linear = Linear::default();
        self.add_form(read, 1.0, &mut linear);
        linear
    }

    /// Readouts for the program's named s-ops that can be read as they are; of several that had a
    /// name, such as a sum that grows in a loop, for the last.
    pub(crate) fn views(&mut self, roots: &[SOpId], outputs: &[Output]) {
        let graph = self.compiler.analysis.graph;
        let output = |id| {
            let at = roots.iter().position(|root| *root == id)?;
            outputs.get(at).cloned()
        };
        let reachable = graph.reachable(roots);
        let names = reachable
            .iter()
            .filter_map(|id| Some((without_number(graph.name(*id)?), *id)));
        let last: BTreeMap<&str, SOpId> = names.collect();
        for id in reachable {
            if let Some(name) = graph.name(id)
                && last.get(without_number(name)) == Some(&id)
                && let Some(output) = self.view(id).or_else(|| output(id))
            {
                let view = self.read_out(self.compiler.name(id), Some(id), output);
                self.plan.views.push(view);
            }
        }
    }

    fn view(&self, id: SOpId) -> Option<Output> {
        let compiler = self.compiler;
        if let Some(output) = compiler.off_ratio(id)
            && let OutputRead::Ratio([numerator, denominator], _) = &output.read
            && numerator.scalars.is_empty()
            && self.has_place(denominator)
        {
            return Some(output);
        }
        let (numbers, decoder) = compiler.coding_of(id)?;
        let computed = |want| {
            compiler
                .known
                .get(&(id.into(), bits(&numbers), want))
                .cloned()
        };
        let views = [
            compiler.read(id.into(), &numbers),
            computed(Want::Close),
            computed(Want::Tolerant),
            computed(Want::Real),
            computed(Want::Snapped),
        ];
        let mut views = views.into_iter().flatten();
        let read = views.find(|read| self.has_place(read));
        let read = read.or_else(|| self.put_together(id, &numbers));
        match (read, decoder) {
            (Some(read), decoder) => Some(Output::new(read, decoder)),
            (None, Decoder::Categorical(classes)) => self.told_apart(id, &numbers, &classes),
            (None, Decoder::Numerical(_)) => None,
        }
    }

    /// An s-op by some numbers that the stream holds, as heads compare it by, where each of its values has one
    /// of its own. `numbers` has the class of each.
    fn told_apart(&self, id: SOpId, numbers: &[f64], classes: &[Value]) -> Option<Output> {
        self.held(id).into_iter().find_map(|(function, read)| {
            let mut values: Vec<(f64, usize)> = function
                .into_iter()
                .zip(numbers.iter().map(|class| *class as usize))
                .collect();
            values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            values.dedup();
            let are_apart = values.len() == classes.len()
                && values.windows(2).all(|two| two[1].0 - two[0].0 >= 1.0);
            if !are_apart {
                return None;
            }
            let (numbers, order): (Vec<f64>, Vec<usize>) = values.into_iter().unzip();
            let ratio = [read.clone(), LinearRead::constant(1.0)];
            let classes = order.into_iter().map(|class| classes[class].clone());
            Some(Output {
                read: OutputRead::Ratio(ratio, numbers),
                decoder: Decoder::Categorical(classes.collect()),
            })
        })
    }

    /// A function of an s-op as a combination of others that the stream holds, as a number is of the bits
    /// that say what it is more than.
    fn put_together(&self, id: SOpId, numbers: &[f64]) -> Option<LinearRead> {
        let held = self.held(id);
        let demands = held.iter().enumerate();
        let demands: Vec<_> = demands
            .map(|(at, (function, _))| (function.clone(), at.to_string()))
            .collect();
        let wish = Some(Encoding::Numerical);
        let basis = Basis::new(numbers.len(), 0, wish, &demands, |_| String::new());
        let (constant, coordinates) = basis.coordinates(numbers)?;
        let mut together = LinearRead::constant(constant);
        for (column, factor) in basis.columns.iter().zip(coordinates) {
            let (function, read) = held.get(column.label.parse::<usize>().ok()?)?;
            // A direction is a multiple of what it was demanded for, less what that is at first.
            let place = column.function.iter().position(|number| *number != 0.0)?;
            let factor = factor * column.function[place] / (function[place] - function[0]);
            let shift = LinearRead::constant(-factor * function[0]);
            together = together.plus(factor, read).plus(1.0, &shift);
        }
        Some(together)
    }

    /// Functions of an s-op that the stream holds, each with what it is read from.
    fn held(&self, id: SOpId) -> Vec<(Vec<f64>, &LinearRead)> {
        let known = self.compiler.known.iter();
        let known = known.filter(|((of, ..), read)| *of == id.into() && self.has_place(read));
        let mut held: Vec<_> = known.map(|((_, bits, _), read)| (bits, read)).collect();
        held.sort_by(|a, b| a.0.cmp(b.0));
        held.dedup_by(|a, b| a.0 == b.0);
        let function = |bits: &Bits| bits.iter().map(|bits| f64::from_bits(*bits)).collect();
        held.into_iter()
            .map(|(bits, read)| (function(bits), read))
            .collect()
    }

    /// Whether the stream holds all that a linear read reads.
    fn has_place(&self, read: &LinearRead) -> bool {
        let compiler = self.compiler;
        read.functions.iter().all(|(var, function)| {
            let basis = compiler.bases.get(var);
            basis.is_some_and(|basis| basis.coordinates(function).is_some())
        }) && read.scalars.keys().all(|scalar| match scalar {
            Scalar::Attention(var) => self.places.contains_key(&Target::Direction(*var, 0)),
            Scalar::Inverse(selector, cube) => {
                self.places.contains_key(&Target::Inverse(*selector, *cube))
            }
            Scalar::First => true,
            Scalar::Given(var, direction) => self
                .places
                .contains_key(&Target::Direction(*var, *direction)),
            Scalar::Share(selector) => self.places.contains_key(&Target::Share(*selector)),
            Scalar::Count(selector) => compiler.counts.contains_key(selector),
            Scalar::Computed(feature) => *feature < self.features.len(),
        })
    }
}

impl Compiler<'_> {
    /// What of the program the pattern is of a head that writes this.
    pub(crate) fn row(&self, target: Target) -> PatternSource {
        let analysis = self.analysis;
        let var = match target {
            Target::Inverse(selector, _) | Target::Share(selector) => {
                return PatternSource::Selector(selector.0);
            }
            Target::Direction(var, _) => var,
        };
        let kind = analysis.kind(var);
        if let VarKind::Width(selector) = kind {
            return PatternSource::Selector(selector.0);
        }
        let Some(id) = kind.sop() else {
            unreachable!("heads write no inputs and no sums");
        };
        if let SOp::Aggregate { selector, .. } = analysis.graph.get(id) {
            return PatternSource::Selector(selector.0);
        }
        PatternSource::Weights(id.0)
    }

    pub(crate) fn target_name(&self, target: Target) -> String {
        match target {
            Target::Direction(var, _) => self.analysis.var_name(var),
            Target::Share(selector) => {
                let name = self.analysis.graph.describe_selector(selector);
                format!("attention to position 0 by {name}")
            }
            Target::Inverse(selector, cube) => {
                let name = self.analysis.graph.describe_selector(selector);
                match self.cubes(selector) {
                    0 | 1 => format!("1/(1 + width of {name})"),
                    _ => format!("1/(1 + width of part {} of {name})", cube + 1),
                }
            }
        }
    }

    /// Whether the program knows nothing of it: it says what holds at position 0.
    pub(super) fn is_added(&self, id: Operand) -> bool {
        let first = self.analysis.first.zip(id.sop());
        first.is_some_and(|(first, id)| first.adds(id))
    }

    /// The s-op that a variable stands for, if it is one.
    pub(crate) fn culprit(&self, target: Target) -> Option<SOpId> {
        match target {
            Target::Direction(var, _) => self.analysis.kind(var).sop(),
            Target::Inverse(..) | Target::Share(_) => None,
        }
    }
}

/// What something of the program is called that was made for a reader.
pub(crate) fn called(source: &Source, reader: &str) -> String {
    // `tokens == "a"` says of what it is, `aggregate(s, tokens)` is something else.
    let name = source.name.trim_start_matches('(');
    match reader.trim_start_matches('(').starts_with(name) {
        true => reader.to_string(),
        false => format!("{} for {reader}", source.name),
    }
}
