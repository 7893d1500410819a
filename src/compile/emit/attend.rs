//! The attend operations of a plan: what the heads of a compiler become, with what stands at the sink.

use super::Emitter;
use crate::compile::head::HeadPlan;
use crate::compile::head::literal::TermPlan;
use crate::compile::linear::LinearRead;
use crate::plan::{Attend, Kind, Linear, Meaning, Product, Style, Term, level};

impl Emitter<'_, '_> {
    pub(crate) fn attends(&mut self, head: &HeadPlan) {
        let kind = head.kind;
        let mut terms: Vec<Term> = head
            .terms
            .iter()
            .map(|term| self.term(kind, term))
            .collect();
        terms.extend(self.bos_term(kind, &head.terms));
        let source = self.source(head.label.clone(), head.span);
        for (read, target) in &head.values {
            let into = self.places[target];
            let value = self.value(kind, read);
            self.plan.attends.push(Attend {
                source: source.clone(),
                row: self.compiler.row(*target),
                pattern: self.plan.attends.len(),
                kind,
                terms: terms.clone(),
                value,
                most: head.most,
                into,
                layer: 0,
            });
        }
    }

    fn term(&mut self, kind: Kind, term: &TermPlan) -> Term {
        let products = term.products.iter().map(|product| {
            let mut key = self.resolve(&product.key);
            match term.meaning {
                _ if !self.plan.bos => {}
                Meaning::Bos { .. } => key = Linear::of(self.plan.flag()),
                // BOS has the level 0 of what is selected, or is the last key.
                Meaning::Relation(_)
                | Meaning::Score { .. }
                | Meaning::Exponent { .. }
                | Meaning::Guard => {
                    let bos = self.plan.at_bos(&key);
                    let last = product.keys.last().filter(|_| kind == Kind::MeanOrBos);
                    let wanted = last.copied().unwrap_or(0.0);
                    if bos != wanted {
                        key = key.plus(self.plan.flag(), wanted - bos);
                    }
                }
            }
            Product {
                query: self.resolve(&product.query),
                key,
                queries: product.queries.clone(),
                keys: product.keys.clone(),
            }
        });
        let products = products.collect();
        Term {
            products,
            meaning: term.meaning.clone(),
        }
    }

    /// Where BOS stands among the keys.
    fn bos_term(&mut self, kind: Kind, terms: &[TermPlan]) -> Option<Term> {
        let scored = terms.iter().any(|term| term.meaning.above().is_some());
        if !self.plan.bos {
            return None;
        }
        let level = level(self.plan.max_length);
        let (depth, nats) = match (self.plan.style, kind) {
            (Style::Faithful, Kind::Mean) if scored => (-level, true),
            (Style::Faithful, Kind::Mean) => (-0.5, false),
            (Style::Faithful, Kind::MeanOfSome) => (-1.0, false),
            (Style::Faithful, _) => return None,
            // BOS is zero: tokens stand above it, or below it in a sum.
            (Style::Compact, Kind::Sum { level }) => (-level, true),
            (Style::Compact, _) => (level, true),
        };
        let (query, key) = match self.plan.style {
            Style::Faithful => (Linear::constant(depth), Linear::of(self.plan.flag())),
            Style::Compact => {
                let one = self.plan.one();
                (Linear::default().plus(one, depth), Linear::of(one))
            }
        };
        Some(Term {
            products: vec![Product {
                query,
                key,
                queries: [depth].into(),
                keys: [1.0].into(),
            }],
            meaning: Meaning::Bos { nats },
        })
    }

    /// What a head moves: without its constant, and at BOS what stands for nothing selected.
    fn value(&mut self, kind: Kind, read: &LinearRead) -> Linear {
        if self.plan.style == Style::Compact {
            return self.resolve(read);
        }
        let (value, constant) = self.moved(read);
        let wanted = match kind {
            Kind::Width => return Linear::of(self.plan.sink()),
            _ if !self.plan.bos => return value,
            Kind::Mean | Kind::MeanOrBos | Kind::MeanOfPart | Kind::Length => -constant,
            Kind::MeanOfSome | Kind::Sum { .. } => return value,
        };
        let bos = self.plan.at_bos(&value);
        match wanted == bos {
            true => value,
            false => value.plus(self.plan.flag(), wanted - bos),
        }
    }
}
