//! What every s-op of a program can be, over all inputs up to a length from a vocabulary: finite
//! value sets, joint tables over the variables an s-op is made of, and what selectors may select.
//! The compiler tabulates functions over these sets, as Tracr does (Lindner et al. 2023), but
//! jointly: an s-op is one column of a table over the input, the index and attention outputs.
//! Sound by construction: a set may have values that never occur, never the other way round.

pub mod attention;
pub mod by_index;
mod candidate;
mod compare;
pub mod cube;
mod earlier;
pub mod environment;
pub mod facts;
pub mod inputs;
mod joint;
mod kind;
mod once;
mod one_head;
mod otherwise;
mod overflow;
pub mod parts;
mod rank;
mod related;
pub mod score_table;
pub mod selector;
pub mod sets;
pub mod space;
pub mod sums;
mod table;
mod total;
pub mod weighted;

pub use facts::{Domain, Facts, infer};

use crate::base::control::INTERRUPTED;
use crate::base::{Code, Diagnostic, Limits};
use crate::graph::{Graph, SOp, SOpId, SelectorId, WithFirst};
use crate::value::Value;
use environment::Environments;
pub use joint::Operand;
use rustc_hash::{FxHashMap, FxHashSet};
use selector::SelectorFacts;
use sets::Values;
use space::{Column, Space, VarId};
use std::sync::Arc;
use weighted::WeightedFacts;

/// The inputs a program is compiled for.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The tokens an input may consist of, in the order in which the model numbers them.
    pub vocabulary: Vec<Value>,
    /// The longest input.
    pub max_length: usize,
    /// Whether positions attend only to themselves and earlier ones.
    pub causal: bool,
}

/// What carries a variable of joint tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarKind {
    Tokens,
    Indices,
    /// What a part of a program is given.
    Given(SOpId),
    /// How many keys a selector selects.
    Width(SelectorId),
    /// The sum of an aggregate's selected values.
    Sum(SOpId),
    /// The mean of an aggregate's selected values, or its default.
    Mean(SOpId),
    /// The one value that an aggregate selects, or its default.
    Pick(SOpId),
    /// An elementwise s-op used as a variable, because its own variables are too many.
    Materialised(SOpId),
    /// A mean weighted by scores; a real number if its values are too many to list.
    Weighted(SOpId),
    /// The sum of two s-ops, or their difference, whose joint table would be too large.
    Total {
        left: SOpId,
        right: SOpId,
        less: bool,
    },
}

/// A variable of joint tables with its values.
#[derive(Clone, Debug)]
pub struct Var {
    pub kind: VarKind,
    pub values: Values,
    /// Whether computing it fails on some inputs. There the interpreter has no value and a model
    /// has some number, which is harmless only if the program needs the variable everywhere.
    pub may_fail: bool,
}

/// An s-op whose values are known.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its values as a function of its variables.
    pub column: Column,
    /// Its values as its readers see them: over a variable of its own if it is materialised.
    pub seen: Column,
    /// The attention output that holds exactly this s-op, if one can.
    pub own: Option<VarId>,
}

impl Node {
    fn new(column: Column, own: Option<VarId>) -> Node {
        Node {
            seen: column.clone(),
            column,
            own,
        }
    }
}

/// Why the values of an s-op are not known.
#[derive(Clone, Debug)]
pub struct Stopped {
    pub code: Code,
    pub reason: String,
    /// Where the reason lies; the s-op asked about, if not set.
    pub culprit: Option<SOpId>,
    /// What to do about it.
    pub help: Option<&'static str>,
}

impl Stopped {
    pub fn new(code: Code, reason: String) -> Stopped {
        Stopped {
            code,
            reason,
            culprit: None,
            help: None,
        }
    }

    pub fn help(self, help: &'static str) -> Stopped {
        Stopped {
            help: Some(help),
            ..self
        }
    }

    /// As an error at the s-op that causes it.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "codes of what stops no analysis"
    )]
    pub fn diagnostic(&self, graph: &Graph, asked: SOpId) -> Box<Diagnostic> {
        let culprit = self.culprit.unwrap_or(asked);
        let message = match self.code {
            Code::Interrupted => INTERRUPTED,
            Code::DomainTooLarge => "too many values to compile",
            Code::NotExact => "a model of this could not be exact",
            Code::NotCausal => "a causal model cannot attend to later positions",
            _ => "this cannot be compiled",
        };
        Diagnostic::error(self.code, message)
            .at(graph.span(culprit), self.reason.clone())
            .maybe_help(self.help)
            .into()
    }
}

/// What an aggregate that may select several numbers is held as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Several {
    /// A sum, and a width where the position does not determine it.
    Sums,
    /// A mean.
    Means,
}

/// Everything inferred about the s-ops that some roots need.
pub struct Analysis<'g> {
    pub graph: &'g Graph,
    pub setting: &'g Setting,
    pub limits: &'g Limits,
    /// What selectors do at the first position, for models without BOS.
    pub first: Option<&'g WithFirst>,
    /// What an aggregate of several numbers is held as.
    pub several: Several,
    pub environments: Environments,
    pub vars: Vec<Var>,
    nodes: Vec<Option<Result<Arc<Node>, Stopped>>>,
    /// How many keys of queries its selectors hold.
    candidates: usize,
    selectors: FxHashMap<SelectorId, Arc<SelectorFacts>>,
    /// Selectors of which was asked what they do at the first position.
    asked: FxHashSet<SelectorId>,
    weighted: FxHashMap<SOpId, Arc<WeightedFacts>>,
    /// The variables of means whose values cannot be listed.
    reals: FxHashMap<SOpId, VarId>,
    spaces: FxHashMap<Vec<VarId>, Option<Arc<Space>>>,
    /// Tables of two variables that are compared, which have too many rows for anything else.
    large_spaces: FxHashMap<Vec<VarId>, Option<Arc<Space>>>,
    joints: Vec<joint::Joint>,
    /// S-ops that are computed otherwise than the graph has them.
    otherwise: FxHashMap<SOpId, SOp>,
    /// Variables that were made for a node or selector, to make each once.
    made: FxHashMap<VarKind, VarId>,
}

impl<'g> Analysis<'g> {
    /// Analyses what the roots need. S-ops whose values cannot be known are recorded as such.
    pub fn new(
        graph: &'g Graph,
        roots: &[SOpId],
        setting: &'g Setting,
        limits: &'g Limits,
    ) -> Analysis<'g> {
        Analysis::holding(Several::Sums, (graph, None), roots, setting, limits)
    }

    /// The same, with aggregates of several numbers held as told; where there is no BOS, for a graph
    /// with its first position.
    pub fn holding(
        several: Several,
        (graph, first): (&'g Graph, Option<&'g WithFirst>),
        roots: &[SOpId],
        setting: &'g Setting,
        limits: &'g Limits,
    ) -> Analysis<'g> {
        let mut roots = roots.to_vec();
        roots.extend(first.iter().flat_map(|first| first.roots()));
        // A sum is a ratio where heads take means.
        let totals = match several {
            Several::Means => otherwise::totals(graph, &roots, first),
            Several::Sums => FxHashMap::default(),
        };
        let reachable = otherwise::reachable(graph, &roots, &totals);
        let mut otherwise = otherwise::of_means(graph, &reachable);
        otherwise.extend(totals);
        let environments = Environments::of(graph, &reachable, setting.max_length, limits);
        let count = environments.count();
        let mut analysis = Analysis {
            graph,
            setting,
            limits,
            first,
            several,
            environments,
            vars: Vec::new(),
            nodes: vec![None; reachable.last().map_or(0, |id| id.0 as usize + 1)],
            candidates: 0,
            selectors: FxHashMap::default(),
            asked: FxHashSet::default(),
            weighted: FxHashMap::default(),
            reals: FxHashMap::default(),
            spaces: FxHashMap::default(),
            large_spaces: FxHashMap::default(),
            joints: Vec::new(),
            otherwise,
            made: FxHashMap::default(),
        };
        analysis.var(
            VarKind::Tokens,
            Values::uniform(setting.vocabulary.clone(), count),
            false,
        );
        let each: Vec<Arc<[Value]>> = analysis
            .environments
            .iter()
            .map(|environment| vec![Value::Int(environment.position as i64)].into())
            .collect();
        analysis.var(VarKind::Indices, Values::from_environments(&each), false);
        for id in reachable {
            // What it is computed from instead may have come into the graph after it.
            if let Some(SOp::Map { operands, .. }) = analysis.otherwise.get(&id) {
                for needed in graph.reachable(operands) {
                    analysis.record(needed);
                }
            }
            analysis.record(id);
        }
        analysis
    }

    /// Analyses an s-op whose operands are analysed, unless that is done.
    fn record(&mut self, id: SOpId) {
        if self.nodes[id.0 as usize].is_none() {
            let result = self.analyse(id).map_err(|stopped| Stopped {
                culprit: stopped.culprit.or(Some(id)),
                ..stopped
            });
            self.nodes[id.0 as usize] = Some(result.map(Arc::new));
        }
    }

    /// What the roots need, and what is computed instead of it.
    pub fn analysed(&self) -> impl Iterator<Item = SOpId> + use<'_> {
        let ids = (0..).map(SOpId).zip(&self.nodes);
        ids.filter_map(|(id, node)| node.is_some().then_some(id))
    }

    /// The s-op that says how another is computed: itself, but for a width, and for what asks about a
    /// disjunction, where there is no BOS.
    pub fn formula(&self, id: SOpId) -> SOpId {
        let known = |first: &'g WithFirst| first.sums.get(&id).or(first.unions.get(&id));
        self.first.and_then(known).copied().unwrap_or(id)
    }

    /// What is known of an s-op.
    ///
    /// # Errors
    /// Its values are not known.
    pub fn node(&self, operand: impl Into<Operand>) -> Result<&Arc<Node>, Stopped> {
        let id = match operand.into() {
            Operand::SOp(id) => id,
            Operand::Joint(index) => return Ok(&self.joints[index as usize].node),
        };
        match self.nodes.get(id.0 as usize) {
            Some(Some(Ok(node))) => Ok(node),
            Some(Some(Err(stopped))) => Err(stopped.clone()),
            Some(None) | None => Err(Stopped {
                culprit: Some(id),
                ..Stopped::new(Code::NotCompilable, "this was not analysed".to_string())
            }),
        }
    }

    /// # Errors
    /// What is running is to end.
    pub fn if_interrupted(&self) -> Result<(), Stopped> {
        match self.graph.control().is_stopped() {
            true => Err(Stopped::new(Code::Interrupted, INTERRUPTED.into())),
            false => Ok(()),
        }
    }

    pub fn selector(&self, id: SelectorId) -> Option<&Arc<SelectorFacts>> {
        self.selectors.get(&id)
    }

    pub fn kind(&self, var: VarId) -> VarKind {
        self.vars[var.0 as usize].kind
    }

    pub fn values(&self, var: VarId) -> &Values {
        &self.vars[var.0 as usize].values
    }

    fn analyse(&mut self, id: SOpId) -> Result<Node, Stopped> {
        let graph = self.graph;
        self.if_interrupted()?;
        let otherwise = self.otherwise.get(&id).cloned();
        match otherwise.as_ref().unwrap_or_else(|| graph.get(id)) {
            SOp::Tokens => self.alone(Self::TOKENS),
            SOp::Indices => self.alone(Self::INDICES),
            given @ SOp::Given(_) => {
                let given = graph.given(given).cloned().unwrap_or_default();
                let values = Values::uniform(given.values, self.environments.count());
                let var = self.var(VarKind::Given(id), values, given.may_fail);
                self.alone(var)
            }
            SOp::Constant(value) => {
                finite(value)?;
                let column = self.space(Vec::new())?.column(vec![Some(value.clone())]);
                Ok(Node::new(column, None))
            }
            SOp::Map { op, operands } => self.analyse_map(id, op, operands),
            SOp::Width { selector } => {
                let node = self.analyse_width(*selector)?;
                self.counted_apart(id, *selector, node)
            }
            SOp::Aggregate {
                selector,
                value,
                default,
            } => {
                self.record_first(*selector);
                let node = self.analyse_aggregate(id, *selector, *value, default);
                if self.formula(id) != id && self.is_in_parts(*selector) {
                    return self.as_formula(id);
                }
                if node.is_err() {
                    self.take_as_real(id, *selector, *value, default);
                }
                node
            }
            SOp::WeightedMean {
                scorer,
                value,
                default,
            } => {
                let support = self.first.and_then(|first| first.supports.get(&id));
                support
                    .into_iter()
                    .for_each(|support| self.record_first(*support));
                self.analyse_weighted(id, *scorer, *value, default)
            }
        }
    }

    /// Analyses whether a selector selects the first position, before the variables that are to read
    /// it are made. What fetches from the first position may be what the program has, too, so that it
    /// would be asked of itself.
    fn record_first(&mut self, selector: SelectorId) {
        if !self.asked.insert(selector) {
            return;
        }
        let selects = self.first.and_then(|first| first.selects.get(&selector));
        for needed in selects.map_or(Vec::new(), |id| self.graph.reachable(&[*id])) {
            self.record(needed);
        }
    }

    /// A width as the sum that it is where there is no BOS, unless it needs none: it is a function of
    /// the index, or counts all keys.
    fn counted_apart(
        &mut self,
        id: SOpId,
        selector: SelectorId,
        node: Node,
    ) -> Result<Node, Stopped> {
        let sum = self.formula(id);
        let cubes = &self.selectors[&selector].cubes;
        let all = matches!(&**cubes, [cube] if cube.literals.is_empty());
        if sum == id || node.own.is_none() || all {
            return Ok(node);
        }
        self.as_formula(id)
    }

    /// Whether a disjunction is no single relation of an s-op at keys and one at queries.
    fn is_in_parts(&self, selector: SelectorId) -> bool {
        let joint = |literal: &cube::Literal| {
            let sides = [literal.keys, literal.queries];
            sides.iter().any(|side| matches!(side, Operand::Joint(_)))
        };
        self.selectors
            .get(&selector)
            .is_none_or(|facts| match &*facts.cubes {
                [cube] => cube.literals.iter().any(joint),
                _ => true,
            })
    }

    /// What is known of an s-op from the formula that it is where there is no BOS.
    fn as_formula(&mut self, id: SOpId) -> Result<Node, Stopped> {
        let formula = self.formula(id);
        for needed in self.graph.reachable(&[formula]) {
            self.record(needed);
        }
        self.node(formula).map(|node| Node::clone(node))
    }

    pub const TOKENS: VarId = VarId(0);
    pub const INDICES: VarId = VarId(1);

    /// A node that is one variable.
    fn alone(&mut self, var: VarId) -> Result<Node, Stopped> {
        let space = self.space(vec![var])?;
        let values = self.values(var).clone();
        let column = Column {
            cells: (0..space.rows()).map(|row| space.row(row)[0]).collect(),
            space,
            values,
        };
        Ok(Node::new(column, Some(var)))
    }

    /// Whether a column has no value on some inputs.
    pub fn may_fail(&self, column: &Column) -> bool {
        let vars = &column.space.vars;
        vars.iter().any(|var| self.vars[var.0 as usize].may_fail)
            || column.cells.contains(&space::FAILS)
    }

    /// The variable of this kind, made with these values if it is new.
    fn var(&mut self, kind: VarKind, values: Values, may_fail: bool) -> VarId {
        let next = VarId(self.vars.len() as u32);
        let id = *self.made.entry(kind).or_insert(next);
        if id == next {
            self.vars.push(Var {
                kind,
                values,
                may_fail,
            });
        }
        id
    }
}

/// Infinities and NaN have no place in weights.
fn finite(value: &Value) -> Result<(), Stopped> {
    match value {
        Value::Float(float) if !float.is_finite() => Err(Stopped::new(
            Code::NotCompilable,
            format!("the value {float} can occur, which no weight can hold"),
        )
        .help("keep the numbers smaller, so that none becomes infinite")),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Str(_) => Ok(()),
    }
}
