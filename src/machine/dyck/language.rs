//! The languages themselves: what a word of brackets is, what may follow its prefixes, and random words
//! with near misses. What models are held against. Depends on `base` and `value`.

use crate::base::Random;
use crate::value::Value;

/// Dyck-(k,D): well-nested words of k types of brackets, at most D open at a time; Dyck-k without a
/// depth. A word is a list of token indices: `2 t` opens and `2 t + 1` closes a bracket of type t.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// Types of brackets: at least 1.
    pub types: usize,
    /// The most brackets open at a time.
    pub depth: Option<usize>,
}

/// What may follow a prefix that words of the language begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follow {
    /// Whether any bracket may be opened.
    pub opens: bool,
    /// The type on top of the stack, which may be closed; without one the word may end.
    pub top: Option<usize>,
}

/// A prefix on its way through a word.
#[derive(Clone, Debug)]
struct Stack {
    open: Vec<usize>,
    broken: bool,
}

impl Language {
    /// After each token of a word, what may follow; `None` once no word of the language begins so.
    pub fn follow_each(&self, word: &[usize]) -> Vec<Option<Follow>> {
        let mut stack = Stack {
            open: Vec::new(),
            broken: false,
        };
        let step = |token: &usize| {
            stack.push(*token);
            stack.broken |= !self.allows(stack.open.len());
            (!stack.broken).then(|| self.follow(&stack.open))
        };
        word.iter().map(step).collect()
    }

    /// What may follow nothing.
    pub fn first(&self) -> Follow {
        self.follow(&[])
    }

    /// Whether a word is in the language.
    pub fn has(&self, word: &[usize]) -> bool {
        let ends = |follow: &Option<Follow>| follow.is_some_and(|follow| follow.top.is_none());
        self.follow_each(word).last().is_none_or(ends)
    }

    /// Everything that may follow a prefix.
    pub fn follows(self) -> impl Iterator<Item = Follow> {
        let may_be_full = self.depth.is_some();
        let inside = (0..self.types).flat_map(move |kind| {
            let full = may_be_full.then_some(false);
            let opens = [Some(true), full].into_iter().flatten();
            let top = Some(kind);
            opens.map(move |opens| Follow { opens, top })
        });
        let outside = Follow {
            opens: true,
            top: None,
        };
        inside.chain([outside])
    }

    fn allows(&self, open: usize) -> bool {
        self.depth.is_none_or(|depth| open <= depth)
    }

    fn follow(&self, open: &[usize]) -> Follow {
        Follow {
            opens: self.allows(open.len() + 1),
            top: open.last().copied(),
        }
    }

    /// A random word of the language, of an even length that is not 0. Some stay near the ground, some
    /// as deep as may be.
    pub fn word(&self, random: &mut Random, length: usize) -> Vec<usize> {
        let mut word = Vec::with_capacity(length);
        let mut open: Vec<usize> = Vec::new();
        let leans_to_close = 1 + random.below(3);
        for left in (1..=length).rev() {
            let may_open = self.allows(open.len() + 1) && open.len() + 1 < left;
            let kind = match open.pop() {
                Some(top) if !may_open || random.below(4) < leans_to_close => {
                    word.push(2 * top + 1);
                    continue;
                }
                top => {
                    open.extend(top);
                    random.below(self.types)
                }
            };
            open.push(kind);
            word.push(2 * kind);
        }
        word
    }

    /// A word with one mistake, of four kinds in turn: a bracket of another type (with one type: on the
    /// other side), neighbours exchanged, a bracket left out, one pair too many where the word is
    /// deepest. Some of the second and the last are words of the language still.
    pub fn miss(&self, random: &mut Random, mut word: Vec<usize>, kind: usize) -> Vec<usize> {
        let at = random.below(word.len());
        match kind % 4 {
            0 if self.types == 1 => word[at] ^= 1,
            0 => word[at] = (word[at] + 2 * (1 + random.below(self.types - 1))) % (2 * self.types),
            1 if word.len() > 1 => {
                let at = at.min(word.len() - 2);
                word.swap(at, at + 1);
            }
            3 => {
                let deepest = self.deepest(&word);
                let kind = random.below(self.types);
                word.splice(deepest..deepest, [2 * kind, 2 * kind + 1]);
            }
            _ => drop(word.remove(at)),
        }
        word
    }

    /// The place behind which most brackets are open for the first time.
    fn deepest(&self, word: &[usize]) -> usize {
        let (mut depth, mut most) = (0i64, (0, 0));
        for (index, token) in word.iter().enumerate() {
            depth += if token % 2 == 0 { 1 } else { -1 };
            if depth > most.0 {
                most = (depth, index + 1);
            }
        }
        most.1
    }
}

impl Stack {
    fn push(&mut self, token: usize) {
        match token % 2 {
            0 => self.open.push(token / 2),
            _ => self.broken |= self.open.pop() != Some(token / 2),
        }
    }
}

impl Follow {
    /// The tokens that may follow, by their indices, and whether the word may end.
    pub fn tokens(&self, types: usize) -> (Vec<usize>, bool) {
        let may = |token: &usize| match token % 2 {
            0 => self.opens,
            _ => self.top == Some(token / 2),
        };
        ((0..2 * types).filter(may).collect(), self.top.is_none())
    }

    /// The tokens that may follow as one string, in the order of the vocabulary; `$` last where the word
    /// may end.
    pub fn spelled(&self, vocabulary: &[Value]) -> Value {
        let (tokens, ends) = self.tokens(vocabulary.len() / 2);
        let mut text: String = tokens
            .iter()
            .map(|at| vocabulary[*at].to_string())
            .collect();
        if ends {
            text.push_str(super::END);
        }
        Value::str(&text)
    }
}
