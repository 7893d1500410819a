//! From s-ops of a program to models: what a model is made for, as the program and the caller say,
//! and the doors to inference, to the compiler, to verification and to certificates.

use super::Session;
use crate::base::{Code, Diagnostic, Fallible, Label, Span};
use crate::certify::Certifier;
use crate::compile::{self, Compiled, Options, Proof, Request, Verification};
use crate::execute::Surveyed;
use crate::graph::shape::is_length;
use crate::graph::{SOp, SOpId};
use crate::infer::{Facts, Setting, infer};
use crate::looped;
use crate::model::{HostOrder, Model};
use crate::value::Value;
use std::collections::BTreeSet;

/// What a caller asks of a model. What it leaves open is as the program's `set vocab`,
/// `set max_length` and `set causal` say.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The tokens; one that is given twice is one.
    pub vocabulary: Option<Vec<Value>>,
    /// The longest input.
    pub max_length: Option<usize>,
    /// Whether positions attend only to themselves and earlier ones.
    pub causal: Option<bool>,
    /// An input whose tokens and length are taken where neither the caller nor the program says.
    pub otherwise: Option<Vec<Value>>,
    /// The style, the passes, the hosts, and whether there is a BOS token.
    pub request: Request,
}

/// S-ops with their names, and where the first is written.
type Outputs<'e> = (Vec<(SOpId, &'e str)>, Option<Span>);

impl Session {
    /// What a model is made for: as the caller asks, or else as the program says.
    ///
    /// # Errors
    /// Neither says which tokens there are, or how long an input can be (E0405).
    pub fn setting(&self, asked: &Asked) -> Fallible<Setting> {
        let said = &self.settings;
        let vocabulary = asked.vocabulary.as_ref().or(said.vocabulary.as_ref());
        let vocabulary = vocabulary.or(asked.otherwise.as_ref());
        let length = asked.otherwise.as_ref().map(Vec::len);
        let max_length = asked.max_length.or(said.max_length).or(length);
        let (Some(vocabulary), Some(max_length)) = (vocabulary, max_length) else {
            let tokens = ["the vocabulary", "--vocab abc", "`set vocab \"abc\"`"];
            let longest = [
                "the length of the longest input",
                "--max-len 8",
                "`set max_length 8`",
            ];
            let wanted = [
                (vocabulary.is_none(), tokens),
                (max_length.is_none(), longest),
            ];
            let missing = |at: usize, between: &str| {
                let missing = wanted.iter().filter(|(is_missing, _)| *is_missing);
                let texts: Vec<&str> = missing.map(|(_, texts)| texts[at]).collect();
                texts.join(between)
            };
            let message = format!("{} must be known for this", missing(0, " and "));
            let (options, statements) = (missing(1, " "), missing(2, " and "));
            let help = format!("give `{options}`, or write {statements} in the program");
            return Err(Diagnostic::error(Code::BadRequest, message)
                .help(help)
                .into());
        };
        Ok(Setting {
            vocabulary: Value::distinct(vocabulary),
            max_length,
            causal: asked.causal.unwrap_or(said.causal),
        })
    }

    /// What values s-ops can have, and all that they need.
    ///
    /// # Errors
    /// A setting that no model can be made for.
    pub fn facts(&self, sops: &[SOpId], setting: &Setting) -> Fallible<Facts> {
        infer(self.graph(), sops, setting, self.limits())
    }

    /// Compiles expressions, at least one, into one model, whose outputs go by their texts.
    ///
    /// ```
    /// use rasp::graph::Sharing;
    /// use rasp::session::{Asked, Session, VerifyOptions};
    /// use rasp::value::Value;
    ///
    /// let mut session = Session::new(Sharing::Equal);
    /// session.load_text("hist.rasp", "set vocab \"abc\"
    ///     hist = selector_width(select(tokens, tokens, ==));");
    /// let asked = Asked {
    ///     max_length: Some(4),
    ///     ..Asked::default()
    /// };
    /// let compiled = session.compile(&["hist"], &asked)?;
    /// assert!(compiled.is_certified());
    /// let found = session.verify(&compiled, &VerifyOptions::default())?;
    /// assert!(found.is_proof());
    /// # Ok::<(), Box<rasp::base::Diagnostic>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Session::setting`] and [`Session::sop`]; an expression that is asked for twice (E0405);
    /// what cannot be made exact (E0601 to E0604).
    pub fn compile<E: AsRef<str>>(
        &mut self,
        expressions: &[E],
        asked: &Asked,
    ) -> Fallible<Compiled> {
        // What a model is for is looked at first: it is known without running anything.
        self.setting(asked)?;
        let (outputs, place) = self.outputs(expressions)?;
        self.compile_sops(&outputs, asked)
            .map_err(|error| match place {
                Some(span) => error.or_at(span, "compiled from this").into(),
                None => error,
            })
    }

    /// The s-ops of a model, each with the name of its output, and where the first is written.
    ///
    /// # Errors
    /// As [`Session::sop`]; an expression that is asked for twice (E0405).
    pub fn outputs<'e, E: AsRef<str>>(&mut self, expressions: &'e [E]) -> Fallible<Outputs<'e>> {
        let mut outputs = Vec::with_capacity(expressions.len());
        let mut place = None;
        for expression in expressions {
            let expression = expression.as_ref();
            if outputs.iter().any(|(_, known)| *known == expression) {
                let message = format!("`{expression}` is asked for twice");
                return Err(Diagnostic::error(Code::BadRequest, message).into());
            }
            let (sop, span) = self.sop_at(expression)?;
            outputs.push((sop, expression));
            place.get_or_insert(span);
        }
        Ok((outputs, place))
    }

    /// Compiles s-ops, at least one, each with the name of its output.
    ///
    /// # Errors
    /// As [`Session::setting`]; no s-op (E0405); what cannot be made exact (E0601 to E0604).
    pub fn compile_sops(&self, outputs: &[(SOpId, &str)], asked: &Asked) -> Fallible<Compiled> {
        let setting = self.setting(asked)?;
        let (sops, names): (Vec<SOpId>, Vec<&str>) = outputs.iter().copied().unzip();
        if sops.is_empty() {
            return Err(Diagnostic::error(Code::BadRequest, "a model needs an output").into());
        }
        let (request, limits) = (&asked.request, self.limits());
        // Its labels are read beside pictures of the program.
        let graph = self.graph().told_apart(&sops, &[]);
        let compiled = compile::compile_in(request, &graph, &sops, &setting, limits);
        let mut compiled = compiled.map_err(|error| self.at_own_place(*error, &sops))?;
        compiled.model.rename(&names);
        Ok(compiled)
    }

    /// What is said of the library, said of the program's own expression that needs it.
    fn at_own_place(&self, mut error: Diagnostic, roots: &[SOpId]) -> Box<Diagnostic> {
        let (graph, evaluator) = (self.graph(), &self.evaluator);
        let Some(main) = error.span().filter(|main| evaluator.is_library(*main)) else {
            return error.into();
        };
        let is_there = |id: &SOpId| {
            let mut spans = vec![graph.span(*id)];
            if let SOp::Aggregate { selector, .. } | SOp::Width { selector } = graph.get(*id) {
                spans.push(graph.selector_span(*selector));
            }
            spans.contains(&main)
        };
        // Its own place, or the innermost call of the program that it was made in.
        let own_place = |id: &SOpId| {
            let calls = evaluator.origins.path(*id).into_iter();
            let places = std::iter::once(graph.span(*id)).chain(calls.map(|(_, span)| span));
            let mut own = places.filter(|span| !evaluator.is_library(*span));
            own.find(|span| *span != Span::BUILT_IN)
        };
        let needed = graph.reachable(roots);
        let there: Vec<SOpId> = needed.iter().copied().filter(is_there).collect();
        // Which of several that one place in the library has made is meant, nothing says.
        let own = match *there {
            [only] => {
                let mut reading = BTreeSet::from([only]);
                // S-ops come after what they read: the first is the innermost.
                needed.iter().find_map(|id| {
                    let mut read = graph.dependencies(*id).into_iter();
                    if *id != only && !read.any(|id| reading.contains(&id)) {
                        return None;
                    }
                    reading.insert(*id);
                    own_place(id)
                })
            }
            _ => roots.iter().find_map(own_place),
        };
        if let Some(span) = own {
            let text = "needed here".to_string();
            error.labels.insert(0, Label { span, text });
            // Of `length` that the program itself reads, the help says what to write; else nobody is to
            // change the library.
            let is_direct = needed.iter().any(|id| graph.span(*id) == span);
            let is_length = there.iter().all(|id| is_length(graph, *id));
            if error.code == Code::NotCausal && !(is_direct && is_length) {
                error = error.help(
                    "do without what looks at later positions here, or compile without the causal mask",
                );
            }
        }
        error.into()
    }

    /// Compiles an expression to a looped model: the body of its `repeat` is some layers that run again and
    /// again. Gives the s-op, too. A model that is not certified was held against the interpreter on some
    /// inputs.
    ///
    /// # Errors
    /// As [`Session::compile`]; an expression without a `repeat`, or one whose rounds are not one body
    /// (E0602).
    pub fn compile_looped(&mut self, expression: &str, asked: &Asked) -> Fallible<(Model, SOpId)> {
        let setting = self.setting(asked)?;
        let (sop, span) = self.sop_at(expression)?;
        let (graph, limits) = (self.graph(), self.limits());
        let model = looped::compile_looped(&asked.request, graph, sop, &setting, limits);
        let mut model = model
            .map_err(|error| self.at_own_place(error.or_at(span, "compiled from this"), &[sop]))?;
        model.rename(&[expression]);
        Ok((model, sop))
    }

    /// Holds a model against the interpreter.
    ///
    /// # Errors
    /// The session is stopped (E0802).
    pub fn verify(&self, compiled: &Compiled, options: &Options) -> Fallible<Verification> {
        self.verify_model((&compiled.sops, &compiled.model), options)
    }

    /// The same for a model of these s-ops, whoever made it.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn verify_model(
        &self,
        (sops, model): (&[SOpId], &Model),
        options: &Options,
    ) -> Fallible<Verification> {
        compile::verify_all(self.graph(), sops, model, options)
    }

    /// The same, and which values the model's variables took on the inputs.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn verify_surveyed(
        &self,
        (sops, model): (&[SOpId], &Model),
        options: &Options,
    ) -> Fallible<(Verification, Vec<Surveyed>)> {
        compile::verify_surveyed(self.graph(), sops, model, options)
    }

    /// What is proved of a model, whoever made it: its weights are what its plan gives, bit for bit,
    /// and its certificates are derived anew, for hosts that scale in this order. Needs no program.
    ///
    /// # Errors
    /// A model without a plan (E0604), with one that does not hold together (E0701), or whose
    /// weights are not what the plan gives (E0604).
    pub fn certify(model: &Model, order: HostOrder) -> Fallible<Proof> {
        if let Some(proof) = looped::proved_plan(model, order)? {
            return Ok(proof);
        }
        let plan = compile::proved_plan(model)?;
        Ok(compile::prove(&Certifier::new(&plan), model, order))
    }
}
