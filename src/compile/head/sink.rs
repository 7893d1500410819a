//! Models without BOS: position 0 is the sink, which every query can see. Where keys are counted, and
//! where nothing may be selected, its own key is silenced, so that it has the level of what is
//! selected, or half a gap less; whether it is selected itself is computed from what it holds, which
//! a head fetches. A query that selects nothing sees the sink, and hidden units take the default then
//! (focus detection; Weiss et al. 2021, figure 3).

use super::literal::{ProductPlan, TermPlan};
use super::{Selected, Target};
use crate::base::Code;
use crate::compile::feature::Wanted;
use crate::compile::feature::inverse::inverse;
use crate::compile::feature::units::{RAMP, step_units};
use crate::compile::linear::real::ends;
use crate::compile::linear::{LinearRead, Scalar};
use crate::compile::way::{NotThis, Way};
use crate::compile::{Compiler, Want, ones_where};
use crate::graph::{SOp, SOpId, SelectorId};
use crate::infer::cube::Literal;
use crate::infer::space::VarId;
use crate::infer::{Analysis, Operand, Stopped};
use crate::plan::{Kind, Meaning, ascending, level, outputs};
use std::sync::Arc;

/// A direction that is 0 where nothing is selected, whatever its head gives there.
#[derive(Clone, Debug)]
pub struct Gate {
    pub read: LinearRead,
    /// What its head may give; nothing if that is a real number.
    pub values: Vec<f64>,
}

/// Where a selector selects nothing.
#[derive(Clone, Debug)]
pub struct Nothing {
    /// 1 there and 0 elsewhere.
    pub read: LinearRead,
    /// Whether float32 is to round the attention of the sink, so that what several terms take away
    /// from it leaves a bit without noise.
    pub rounds: bool,
}

/// What cannot be compiled without BOS.
fn refused(reason: &str) -> Stopped {
    Stopped::new(Code::NotCompilable, format!("without BOS {reason}"))
        .help("compile it with BOS: leave out `--no-bos`")
}

impl Compiler<'_> {
    /// Whether BOS stands before the tokens.
    pub(crate) fn bos(&self) -> bool {
        self.analysis.first.is_none()
    }

    /// The cube whose head gives the mean of what is selected, if anything ever is: of a disjunction
    /// that one beside which the others select position 0 at most.
    pub(super) fn cube_of_mean(&self, selected: &Selected) -> Result<Option<usize>, Stopped> {
        let cubes = &selected.facts.cubes;
        match cubes.len() {
            0 => Ok(None),
            1 => Ok(Some(0)),
            _ => match self.analysis.beside_first(cubes) {
                Some(cube) => Ok(Some(cube)),
                None => Err(refused("no head gives a mean over so large a disjunction")),
            },
        }
    }

    /// The kind of a head of means; its terms, which may have scores, get the level of the sink where a
    /// query may see that.
    pub(super) fn kind_of_mean(
        &mut self,
        selected: &Selected,
        terms: &mut Vec<TermPlan>,
    ) -> Result<Kind, Stopped> {
        if selected.facts.non_empty && selected.facts.cubes.len() == 1 {
            return Ok(Kind::MeanOfSome);
        }
        let level = self.level_of_sink(selected, terms)?;
        terms.push(level);
        Ok(Kind::Mean)
    }

    /// Whether a query may select nothing, so that it sees the sink.
    fn may_see_sink(&self, selected: &Selected) -> bool {
        !self.bos() && !selected.facts.non_empty
    }

    /// Whether an s-op is a function of a width that is a sum here, or that sum, so that a table over
    /// its variables would have steps that float32 rounds.
    fn counts_apart(&self, id: Operand) -> bool {
        let Some(first) = self.analysis.first else {
            return false;
        };
        let mut inner = self.inner(id).into_iter().filter_map(Operand::sop);
        inner.any(|inner| {
            let is_sum = |(width, sum): (&SOpId, &SOpId)| inner == *width || inner == *sum;
            first.sums.iter().any(is_sum)
        })
    }

    /// Such a function, computed exactly from its operands: a sum is read, anything else takes hidden
    /// units.
    pub(crate) fn of_exact_parts(&mut self, wanted: Wanted) -> Way {
        if !self.counts_apart(wanted.id) {
            return Err(NotThis);
        }
        let numbers = self.analysis.node(wanted.id)?.column.values.numbers();
        let is_itself = numbers.as_deref() == Some(wanted.function);
        if is_itself && let Some((a, sign, b)) = self.added(wanted.id) {
            return Ok(self.exact(a.into())?.plus(sign, &self.exact(b.into())?));
        }
        let exact = Wanted {
            want: Want::Snapped,
            ..wanted
        };
        self.through_operands(exact).or(Err(NotThis))
    }

    fn exact(&mut self, id: Operand) -> Way {
        let numbers = self.analysis.node(id)?.column.values.numbers();
        let label = self.name(id);
        Ok(self.feature(id, &numbers.ok_or(NotThis)?, Want::Snapped, &label)?)
    }

    /// The level of the sink among the keys of a mean: half a gap down, unless it is selected; where
    /// there are scores, a level below the least of them, whatever its own.
    fn level_of_sink(
        &mut self,
        selected: &Selected,
        scores: &[TermPlan],
    ) -> Result<TermPlan, Stopped> {
        let (first, values) = self.selects_first(selected)?;
        let above = scores.iter().filter_map(|term| term.meaning.above());
        let above = above.reduce(|sum, above| sum + above);
        let below = match above {
            Some(above) => above + level(self.analysis.setting.max_length),
            None => 0.5,
        };
        let levels = values.iter().map(|selects| below * selects - below);
        Ok(TermPlan {
            products: vec![ProductPlan {
                query: LinearRead::constant(-below).plus(below, &first),
                key: LinearRead::scalar(Scalar::First),
                queries: levels.collect(),
                keys: [1.0].into(),
            }],
            meaning: Meaning::Bos {
                nats: above.is_some(),
            },
        })
    }

    /// 1 where a query selects position 0, and 0 elsewhere, with the values that it has.
    fn selects_first(&mut self, selected: &Selected) -> Result<(LinearRead, Arc<[f64]>), Stopped> {
        let Some(id) = selected.selects_first else {
            return Err(refused("no head knows that nothing is selected here"));
        };
        let domain = &self.analysis.node(id)?.column.values.domain;
        let truth = ones_where(domain.len(), |at| domain[at].truthy());
        let label = format!("{} selects position 0", selected.label);
        let read = self.feature(id, &truth, Want::Snapped, &label)?;
        self.demand(&read, &label)?;
        Ok((read, ascending(truth)))
    }

    /// The products of a literal, which holds for the sink whatever that holds: its key is silenced,
    /// and it is the last in the table.
    pub(super) fn silenced(
        &mut self,
        literal: &Literal,
        term: TermPlan,
    ) -> Result<TermPlan, Stopped> {
        let Meaning::Relation(holds) = &term.meaning else {
            return Ok(term);
        };
        let (first, later) = self.analysis.places(literal.keys)?;
        let queries = literal.relation.queries;
        let rows = holds.chunks(queries).zip(&later);
        let rows = rows.filter(|(_, later)| **later).flat_map(|(row, _)| row);
        let holds = rows.copied().chain(vec![true; queries]).collect();
        let mut products = Vec::with_capacity(term.products.len());
        for product in term.products {
            let of = |places: &[bool]| -> Vec<f64> {
                let keys = product.keys.iter().zip(places);
                keys.filter(|(_, place)| **place)
                    .map(|(key, _)| *key)
                    .collect()
            };
            let (first, mut keys) = (of(&first), of(&later));
            let key = self.silent(product.key, &first, &keys, literal.keys)?;
            keys.push(0.0);
            if keys.iter().any(|key| *key != 0.0) {
                products.push(ProductPlan {
                    key,
                    keys: keys.into(),
                    ..product
                });
            }
        }
        Ok(TermPlan {
            products,
            meaning: Meaning::Relation(holds),
        })
    }

    /// A linear read that is 0 at position 0, given what it may be there and later. What depends on more than
    /// the index takes a hidden unit.
    fn silent(
        &mut self,
        read: LinearRead,
        first: &[f64],
        later: &[f64],
        of: Operand,
    ) -> Result<LinearRead, Stopped> {
        if let Some(read) = self.silent_embedding(&read) {
            return Ok(read);
        }
        let all = || first.iter().chain(later);
        let low = all().copied().fold(0.0, f64::min);
        // More than the linear read ever is, and more than its parts would add up to if they did not depend
        // on each other, so that the certificate can see it.
        let (least, most) = self.reach(&read);
        let away = 2f64.powf((2.0 * (most - least.min(low)).max(1.0)).log2().ceil());
        let at_first = LinearRead::scalar(Scalar::First);
        let argument = LinearRead::constant(-low)
            .plus(1.0, &read)
            .plus(-away, &at_first);
        let points = later.iter().map(|number| number - low);
        let points = points.chain(first.iter().map(|number| number - low - away));
        let label = format!("{} beyond position 0", self.name(of));
        let argument = self.argument(argument, points.collect(), &label)?;
        let unit = self.units(argument, vec![RAMP], &label, None);
        Ok(LinearRead::constant(low)
            .plus(-low, &at_first)
            .plus(1.0, &unit))
    }

    /// Bounds on a linear read, whatever its parts are together.
    fn reach(&self, read: &LinearRead) -> (f64, f64) {
        let (mut low, mut high) = (read.constant, read.constant);
        let mut add = |numbers: &[f64], factor: f64| {
            let products = || numbers.iter().map(|number| number * factor);
            low += products().reduce(f64::min).unwrap_or(0.0);
            high += products().reduce(f64::max).unwrap_or(0.0);
        };
        for (var, function) in &read.functions {
            match *var {
                Analysis::TOKENS => add(function, 1.0),
                Analysis::INDICES => add(&function[..1], 1.0),
                // It may be held by value.
                _ => {
                    let size: f64 = function.iter().map(|number| number.abs()).sum();
                    add(&[-2.0 * size, 2.0 * size], 1.0);
                }
            }
        }
        for (scalar, factor) in &read.scalars {
            match scalar {
                Scalar::First | Scalar::Inverse(..) | Scalar::Share(_) => add(&[0.0, 1.0], *factor),
                Scalar::Attention(var) | Scalar::Given(var, _) => {
                    let default = self.default_number(*var);
                    let numbers = self.analysis.values(*var).numbers().unwrap_or_default();
                    let numbers = numbers.iter().map(|number| number - default);
                    add(&Vec::from_iter(numbers), *factor);
                }
                Scalar::Count(selector) => {
                    let reach = self.counts.get(selector).map(|count| self.reach(count));
                    add(&reach.map_or([0.0; 2], <[f64; 2]>::from), *factor);
                }
                Scalar::Computed(feature) => {
                    let feature = &self.features[*feature];
                    let points = &self.arguments[feature.argument].points;
                    add(&outputs(&feature.units, points), *factor);
                }
            }
        }
        (low, high)
    }

    fn silent_embedding(&self, read: &LinearRead) -> Option<LinearRead> {
        let indices = Analysis::INDICES;
        let only_index = read.functions.keys().all(|var| *var == indices);
        if !only_index || !read.scalars.is_empty() {
            return None;
        }
        let function = read.functions.get(&indices);
        let number = |index: usize| match index {
            0 => 0.0,
            _ => read.constant + function.map_or(0.0, |function| function[index]),
        };
        let numbers = (0..self.analysis.setting.max_length).map(number);
        Some(LinearRead::function(indices, numbers.collect()))
    }

    /// Has a mean, which may be weighted, read as its default where nothing is selected.
    pub(super) fn gate_mean(
        &mut self,
        id: SOpId,
        selected: &Selected,
        (read, value): (&LinearRead, SOpId),
        var: VarId,
    ) -> Result<(), Stopped> {
        if !self.may_see_sink(selected) {
            return Ok(());
        }
        let numbers = match self.analysis.node(value) {
            Ok(node) => {
                let numbers = node.column.values.numbers().unwrap_or_default();
                let default = self.default_number(var);
                numbers.iter().map(|number| number - default).collect()
            }
            Err(_) => ends(self.range(read)?),
        };
        self.gate(id, selected, (read, &numbers), (var, 0))
    }

    /// What an aggregate selects; where there is no BOS, also what has a weight in a weighted mean.
    pub(super) fn selector_of(&self, id: SOpId) -> Option<SelectorId> {
        if let SOp::Aggregate { selector, .. } = self.analysis.graph.get(id) {
            Some(*selector)
        } else {
            self.analysis.first?.supports.get(&id).copied()
        }
    }

    /// Has a direction read as 0 where nothing is selected, if that may be; `numbers` are what its head
    /// moves.
    pub(super) fn gate(
        &mut self,
        id: SOpId,
        selected: &Selected,
        (read, numbers): (&LinearRead, &[f64]),
        (var, direction): (VarId, usize),
    ) -> Result<(), Stopped> {
        let Some(selector) = self.selector_of(id).filter(|_| self.may_see_sink(selected)) else {
            return Ok(());
        };
        let empty = self.selects_nothing(selector, selected)?;
        let target = Target::Direction(var, direction);
        let low = numbers.iter().copied().fold(0.0, f64::min);
        let high = numbers.iter().copied().fold(0.0, f64::max);
        let mut values = numbers.to_vec();
        if let Some(means) = self.analysis.values(var).numbers()
            && !self.is_categorical(var)
        {
            let default = self.default_number(var);
            values.extend(means.iter().map(|mean| mean - default));
        }
        let gated = if read.functions.is_empty() && read.scalars.is_empty() {
            LinearRead::constant(read.constant).plus(-read.constant, &empty)
        } else {
            let argument = LinearRead::constant(-low)
                .plus(1.0, &LinearRead::scalar(Scalar::Given(var, direction)))
                .plus(low - high, &empty);
            let points = values.iter().flat_map(|value| [value - low, value - high]);
            let label = self.target_name(target);
            let argument = self.argument(argument, points.collect(), &label)?;
            let unit = self.units(
                argument,
                vec![RAMP],
                &label,
                self.culprit(target).map(Operand::SOp),
            );
            LinearRead::constant(low)
                .plus(-low, &empty)
                .plus(1.0, &unit)
        };
        self.demand(&gated, &selected.label)?;
        let gate = Gate {
            read: gated,
            values: match self.analysis.is_real(var) {
                true => Vec::new(),
                false => values,
            },
        };
        self.gates.insert((var, direction), gate);
        Ok(())
    }

    /// 1 where a query selects nothing, and 0 elsewhere: a function of the index, or else a bit of
    /// the attention that the sink gets though it is not selected.
    fn selects_nothing(
        &mut self,
        selector: SelectorId,
        selected: &Selected,
    ) -> Result<LinearRead, Stopped> {
        if let Some(known) = self.empties.get(&selector) {
            return Ok(known.read.clone());
        }
        let mut rounds = false;
        let read = match self.nothing_by_index(selected) {
            Some(numbers) => LinearRead::function(Analysis::INDICES, numbers),
            None => {
                let (first, values) = self.selects_first(selected)?;
                let Some(cube) = self.cube_of_mean(selected)? else {
                    return Ok(LinearRead::constant(1.0));
                };
                let target = Target::Share(selector);
                let one = LinearRead::scalar(Scalar::First);
                self.write_cube(selected, cube, Kind::Mean, &one, target)?;
                let mut points = Vec::new();
                if values.contains(&0.0) {
                    points.extend([0.0, 1.0]);
                }
                if values.contains(&1.0) {
                    let keys = 0..self.analysis.setting.max_length;
                    points.extend(keys.map(|others| inverse(others) - 1.0));
                }
                if values.contains(&1.0) && selected.facts.best.is_some() {
                    points.push(-1.0);
                }
                rounds = first.functions.len() + first.scalars.len() > 1;
                let share = LinearRead::scalar(Scalar::Share(selector)).plus(-1.0, &first);
                let label = format!("{} selects nothing", selected.label);
                let argument = self.argument(share, points, &label)?;
                self.units(argument, step_units(2.0, 0.5), &label, None)
            }
        };
        let nothing = Nothing { read, rounds };
        let read = nothing.read.clone();
        self.empties.insert(selector, nothing);
        Ok(read)
    }

    /// The same as a number for each index, if the index alone says so.
    fn nothing_by_index(&self, selected: &Selected) -> Option<Vec<f64>> {
        let environments = &self.analysis.environments;
        environments.by_position(|at| match selected.facts.width(at) {
            (_, 0) => Some(1.0),
            (0, _) => None,
            _ => Some(0.0),
        })
    }
}
