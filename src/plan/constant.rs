//! What embeddings hold, and variables that hold one number at all tokens, or tell one position from the others:
//! what biases and queries are made of. Depends on the plan alone.

use super::{Plan, Source, Variable, VariableId, Written};

impl Plan {
    /// What a variable that is embedded has for each token and for each index; either may be empty.
    pub fn embedding(&self, id: VariableId) -> Option<[&[f64]; 2]> {
        let Written::Embed { tokens, indices } = &self.variable(id).written else {
            return None;
        };
        Some([tokens, indices])
    }

    /// What a variable holds at every token, if that is one number.
    pub fn constant(&self, id: VariableId) -> Option<f64> {
        match &self.variable(id).written {
            Written::Flag => Some(0.0),
            Written::One => Some(1.0),
            Written::Embed { tokens, indices } => {
                let first = tokens.first().copied().unwrap_or(0.0);
                let is_one = indices.is_empty() && tokens.iter().all(|number| *number == first);
                is_one.then_some(first)
            }
            Written::Given(..) | Written::Attend | Written::FeedForward => None,
        }
    }

    /// What a variable holds where a token of this number stands at this index, if no operation writes it.
    pub fn held_at(&self, id: VariableId, [token, index]: [usize; 2]) -> Option<f64> {
        let Some([tokens, indices]) = self.embedding(id) else {
            return self.constant(id);
        };
        let number = |numbers: &[f64], at: usize| numbers.get(at).copied().unwrap_or(0.0);
        Some(number(tokens, token) + number(indices, index))
    }

    /// The BOS flag, made if it is not there.
    pub(crate) fn flag(&mut self) -> VariableId {
        self.constant_variable("BOS", Written::Flag, 1.0)
    }

    /// The variable that is 1 at every token, made if it is not there. Without BOS it is an embedding
    /// like others.
    pub(crate) fn one(&mut self) -> VariableId {
        let written = match self.bos {
            true => Written::One,
            false => self.embedded_one(),
        };
        self.constant_variable("one", written, 0.0)
    }

    /// The embedding that is 1 at every token and 0 at BOS, made if it is not there.
    pub(crate) fn one_at_tokens(&mut self) -> VariableId {
        self.constant_variable("one at tokens", self.embedded_one(), 0.0)
    }

    /// What is 1 everywhere for biases that bfloat16 does not hold, if there is any.
    pub fn one_of_biases(&self) -> Option<VariableId> {
        let is_split = self.host.is_bfloat16();
        is_split.then(|| self.holding(&self.embedded_one(), 1.0))?
    }

    /// The same, made if it is not there.
    pub(crate) fn add_one_of_biases(&mut self) -> VariableId {
        self.constant_variable("one", self.embedded_one(), f64::from(u8::from(self.bos)))
    }

    /// That of hidden units. Where all is 0 at BOS, so are their biases.
    pub fn one_of_units(&self) -> Option<VariableId> {
        let one = self.one_of_biases()?;
        self.holding(&Written::One, 0.0).is_none().then_some(one)
    }

    fn embedded_one(&self) -> Written {
        Written::Embed {
            tokens: vec![1.0; self.vocabulary.len()],
            indices: Vec::new(),
        }
    }

    /// The variable that is 1 at the sink and 0 elsewhere, made if it is not there.
    pub(crate) fn sink(&mut self) -> VariableId {
        if self.bos {
            return self.flag();
        }
        let at = |index: usize| f64::from(u8::from(index == 0));
        let written = Written::Embed {
            tokens: Vec::new(),
            indices: (0..self.max_length).map(at).collect(),
        };
        self.constant_variable("position 0", written, 0.0)
    }

    /// The first variable that is written so, and is this at BOS if there is one.
    pub fn holding(&self, written: &Written, bos: f64) -> Option<VariableId> {
        let is_it = |v: &Variable| v.written == *written && (v.bos == bos || !self.bos);
        let known = self.variables.iter().position(is_it)?;
        Some(VariableId(known as u32))
    }

    fn constant_variable(&mut self, label: &str, written: Written, bos: f64) -> VariableId {
        if let Some(known) = self.holding(&written, bos) {
            return known;
        }
        let values = match &written {
            Written::Embed { indices, .. } if !indices.is_empty() => [0.0, 1.0].into(),
            Written::Embed { .. } => [1.0].into(),
            Written::Flag
            | Written::One
            | Written::Given(..)
            | Written::Attend
            | Written::FeedForward => [1.0 - bos].into(),
        };
        self.add(Variable {
            label: label.to_string(),
            source: Source::default(),
            written,
            bos,
            values,
            rounding: None,
            asked_for: false,
        })
    }
}
