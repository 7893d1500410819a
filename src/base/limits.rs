//! Every bound that keeps a program, however hostile, from exhausting time or memory. Reaching one
//! is an error with code `E08xx` that names the limit.

/// The bounds in force; [`Limits::default`] holds the documented values.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes in one source text.
    pub source_bytes: usize,
    /// Brackets open at the same time (error recovery is quadratic in them).
    pub open_brackets: usize,
    /// Depth of an expression tree, brackets or not: `1+1+…+1` is deep too.
    pub expression_depth: usize,
    /// Function calls in progress at the same time.
    pub call_depth: usize,
    /// Expressions evaluated while a program is elaborated.
    pub steps: u64,
    /// Elements of one list or dict.
    pub collection_length: usize,
    /// Lists, dicts and default arguments inside each other.
    pub nesting: u32,
    /// `load`s inside each other.
    pub load_depth: usize,
    /// S-ops and selectors in one graph.
    pub graph_nodes: usize,
    /// Values in the inferred domain of one s-op.
    pub domain_values: usize,
    /// Combinations of argument values that one elementwise function is tabulated over. The longest
    /// input is at most this, as the index alone takes a row for each position.
    pub table_rows: usize,
    /// Width of the residual stream, and feed-forward units of one layer.
    pub model_width: usize,
    /// Parameters of a model that are not zero.
    pub model_parameters: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            source_bytes: 16 << 20,
            open_brackets: 1_000,
            expression_depth: 200_000,
            call_depth: 10_000,
            steps: 20_000_000,
            collection_length: 1_000_000,
            nesting: 500,
            load_depth: 64,
            graph_nodes: 2_000_000,
            domain_values: 200_000,
            table_rows: 200_000,
            model_width: 100_000,
            model_parameters: 20_000_000,
        }
    }
}
