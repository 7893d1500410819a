//! Every bound that keeps a program, however hostile, from exhausting time or memory. Reaching one
//! is an error with code `E0801` that names the limit.

/// One row for each limit: its name, its type, what it is unless it is set, and what it bounds.
macro_rules! limits {
    ($($name:ident: $kind:ident = $default:expr, $of:literal;)*) => {
        /// The bounds in force; [`Limits::default`] holds the documented values.
        #[derive(Clone, Debug)]
        pub struct Limits {
            $(#[doc = $of] pub $name: $kind,)*
        }

        impl Default for Limits {
            fn default() -> Limits {
                Limits { $($name: $default,)* }
            }
        }

        impl Limits {
            /// The names of the limits.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            /// Each limit: its name, its value, and what it bounds.
            pub fn all(&self) -> Vec<(&'static str, u64, &'static str)> {
                vec![$((stringify!($name), self.$name as u64, $of),)*]
            }

            /// Sets the limit of a name; `false` if there is none, or if it cannot be that large.
            pub fn set(&mut self, name: &str, value: u64) -> bool {
                match name {
                    $(stringify!($name) => match $kind::try_from(value) {
                        Ok(value) => self.$name = value,
                        Err(_) => return false,
                    },)*
                    _ => return false,
                }
                true
            }
        }
    };
}

limits! {
    source_bytes: usize = 4 << 20, "bytes in one source text";
    open_brackets: usize = 1_000, "brackets open at the same time";
    expression_depth: usize = 200_000, "expressions inside each other";
    call_depth: usize = 10_000, "function calls inside each other";
    steps: u64 = 20_000_000,
        "expressions evaluated (a call counts as 9), elements of lists and 32 bytes of strings made, before there is an input";
    memory_bytes: u64 = 1 << 30, "bytes of lists, dicts, strings and shown selectors at the same time";
    collection_length: usize = 1_000_000, "elements of a list or dict";
    pairs: u64 = 10_000_000_000,
        "pairs of a key and a query that one score or predicate is worked out for on an input, where no way is known but to look at each; 64 that are compared in bits count as one for each comparison";
    nesting: u32 = 500, "lists, dicts and default arguments inside each other";
    load_depth: usize = 64, "`load`s inside each other";
    loads: u64 = 10_000, "`load`s of a program, one after the other";
    graph_nodes: usize = 2_000_000, "s-ops and selectors";
    domain_values: usize = 200_000, "values that one s-op may take, when compiling";
    table_rows: usize = 200_000,
        "combinations of operand values of one operation, tokens of the longest input, when compiling";
    candidates: usize = 30_000_000,
        "keys that selectors may select, for each query and the length it stands in, when compiling";
    hidden_values: usize = 4_000_000,
        "values that arguments of hidden units take, counted for each function of them, when compiling";
    drawn_cells: usize = 2_000_000,
        "cells of a drawing: a selector has a cell for each pair of tokens";
    drawn_boxes: usize = 1_000, "panels of a drawing, or boxes of the graph of a program";
    model_width: usize = 100_000, "width of the residual stream, units of a feed-forward block";
    model_parameters: usize = 20_000_000, "parameters of a model that are not zero";
}
