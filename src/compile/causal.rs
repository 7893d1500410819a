//! Whether a program can be a causal model: its selectors and weights, over the values that they may
//! compare, never reach a later position. Depends on `infer` and the graph.

use crate::base::{Code, Diagnostic, Fallible, Span};
use crate::graph::shape::selects_all;
use crate::graph::{SOp, Selector};
use crate::infer::Analysis;

/// A causal model may only attend to positions that its selectors cannot reach beyond.
pub(super) fn check(analysis: &Analysis) -> Fallible<()> {
    if !analysis.setting.causal {
        return Ok(());
    }
    let graph = analysis.graph;
    // A sum of counts may be computed by a mean that is none of what the roots are made of.
    for id in analysis.analysed() {
        let weighted = analysis.weighted(id);
        if let Some((query, key)) = weighted.and_then(|facts| analysis.weighs_beyond(facts)) {
            return Err(not_causal(graph.span(id), query, key)
                .help("let the weight be 0 where the key is later, or compile without the mask")
                .into());
        }
        let (SOp::Aggregate { selector, .. } | SOp::Width { selector }) = graph.get(id) else {
            continue;
        };
        let Some(facts) = analysis.selector(*selector) else {
            continue;
        };
        let beyond = analysis
            .environments
            .iter()
            .zip(facts.rows.iter())
            .find_map(|(query, row)| {
                let later = row
                    .iter()
                    .find(|key| key.position as usize > query.position)?;
                Some((query.position, later.position as usize))
            });
        if let Some((query, key)) = beyond {
            if matches!(graph.get(id), SOp::Width { .. }) && selects_all(graph, *selector) {
                let help = "`length` counts later tokens, too: `indices + 1` counts those so far; \
                            or compile without the causal mask";
                return Err(not_causal(graph.selector_span(*selector), query, key)
                    .help(help)
                    .into());
            }
            let help = match graph.get_selector(*selector) {
                Selector::Best { selector, .. } if selects_all(graph, *selector) => {
                    "of all positions the best, or the last, may be a later one: choose among \
                     `select(indices, indices, <=)`, or compile without the causal mask"
                }
                Selector::Best { .. } => {
                    "select no later key, with `and select(indices, indices, <=)` to the first \
                     argument of `select_best`, or compile without the causal mask"
                }
                Selector::Compare { .. }
                | Selector::Predicate(_)
                | Selector::And(..)
                | Selector::Or(..)
                | Selector::Not(_) => {
                    "select no later key, with `and select(indices, indices, <=)`, or compile \
                     without the causal mask"
                }
            };
            return Err(not_causal(graph.selector_span(*selector), query, key)
                .help(help)
                .into());
        }
    }
    Ok(())
}

fn not_causal(span: Span, query: usize, key: usize) -> Diagnostic {
    Diagnostic::error(
        Code::NotCausal,
        "a causal model cannot attend to later positions",
    )
    .at(
        span,
        format!("position {query} may select position {key} here"),
    )
}
