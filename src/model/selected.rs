//! What a head selects on an input, and where its sink is a token. It is said by what made the model,
//! and shown beside the attention. Depends on nothing.

/// What a head selects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selected {
    /// `[queries, keys]` at the tokens.
    pub keys: Vec<Vec<bool>>,
    /// Whether each query looks at position 0 without selecting it, as at the sink that BOS is in other
    /// models; empty where no query does.
    pub sink: Vec<bool>,
}
