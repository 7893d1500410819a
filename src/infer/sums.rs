//! The sums and counts that a selector can produce from the values it may select. Values are
//! scaled to integers, so that every sum is exact and equal sums are one sum.

/// All whole numbers up to this are floats.
pub(super) const LARGEST_INT: f64 = (1u64 << 53) as f64;

/// A key that may be selected: the scaled values it can have, and whether it is in every input that has it.
pub struct Term<'v> {
    pub values: &'v [i64],
    pub always: bool,
}

/// Numbers as integers times a power of two.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    pub numbers: Vec<i64>,
    /// What a number is multiplied by.
    pub scale: f64,
}

/// The numbers as integers over a common power of two; `None` if there is no small one, since
/// float sums would then depend on their order.
pub fn scaled(numbers: &[f64]) -> Option<Scaled> {
    let mut scale = 1.0;
    for _ in 0..=20 {
        let fits = |number: &f64| {
            let scaled = number * scale;
            scaled.fract() == 0.0 && scaled.abs() < 2f64.powi(40)
        };
        if numbers.iter().all(fits) {
            let numbers = numbers.iter().map(|number| (number * scale) as i64);
            return Some(Scaled {
                numbers: numbers.collect(),
                scale,
            });
        }
        scale *= 2.0;
    }
    None
}

/// Where the pairs of inputs of one length are so few, as those of a mean over all keys, listing them takes far
/// less than a row of bits for each number of keys.
const FEW_PAIRS: usize = 64;

/// All pairs of how many keys are selected and what their values sum to, ascending; `None` if
/// there are more than `limit`. The first `there` keys are in every input, of the others any number from
/// the first on.
pub fn counts_and_sums(
    (terms, there): (&[Term], usize),
    counts: (usize, usize),
    limit: usize,
) -> Option<Vec<(u32, i64)>> {
    let of = (terms, there);
    let pairs = match listed(of, FEW_PAIRS, limit) {
        Some(few) => few,
        None => match Reached::new(terms) {
            Some(reached) => reached.pairs(of, limit)?,
            None => listed(of, limit, limit)?,
        },
    };
    let within = |pair: &(u32, i64)| (counts.0..=counts.1).contains(&(pair.0 as usize));
    Some(pairs.into_iter().filter(within).collect())
}

/// The pairs one by one, for values that are few and far apart: so many at most of inputs of one length, and
/// of all.
fn listed((terms, there): (&[Term], usize), most: usize, limit: usize) -> Option<Vec<(u32, i64)>> {
    let mut reached = vec![(0u32, 0i64)];
    let mut of_shorter = Vec::new();
    for (at, term) in terms.iter().enumerate() {
        if at >= there && term.always {
            of_shorter.extend_from_slice(&reached);
        }
        let more = reached.iter().flat_map(|(count, sum)| {
            let values = term.values.iter();
            values.map(move |value| (count + 1, sum + value))
        });
        let mut next: Vec<(u32, i64)> = more.collect();
        if !term.always {
            next.append(&mut reached);
        }
        next.sort_unstable();
        next.dedup();
        if next.len() > most || next.len() + of_shorter.len() > limit {
            return None;
        }
        reached = next;
    }
    Some(with_shorter(reached, of_shorter))
}

/// Some pairs with those of shorter inputs.
fn with_shorter(mut pairs: Vec<(u32, i64)>, mut of_shorter: Vec<(u32, i64)>) -> Vec<(u32, i64)> {
    if !of_shorter.is_empty() {
        pairs.append(&mut of_shorter);
        pairs.sort_unstable();
        pairs.dedup();
    }
    pairs
}

/// More words of bits than this and the pairs are listed one by one.
const MOST_WORDS: usize = 1 << 14;

/// The sums that can be reached, a bit each: one row for each number of keys that may be selected
/// beyond those that always are. A bit stands for a sum of what the values exceed the least one by.
struct Reached {
    least: i64,
    words: usize,
    rows: Vec<Vec<u64>>,
    /// How many of the keys so far are always selected, and how many may be.
    always: usize,
    may_be: usize,
}

impl Reached {
    fn new(terms: &[Term]) -> Option<Reached> {
        let all = || terms.iter().flat_map(|term| term.values);
        let (least, most) = (*all().min()?, *all().max()?);
        let range = usize::try_from(most.checked_sub(least)?).ok()?;
        let words = range.checked_mul(terms.len())? / 64 + 1;
        let rows = 1 + terms.iter().filter(|term| !term.always).count();
        if words.checked_mul(rows)? > MOST_WORDS {
            return None;
        }
        let mut rows = vec![vec![0; words]; rows];
        rows[0][0] = 1;
        Some(Reached {
            least,
            words,
            rows,
            always: 0,
            may_be: 0,
        })
    }

    fn pairs(mut self, (terms, there): (&[Term], usize), limit: usize) -> Option<Vec<(u32, i64)>> {
        let (there, later) = terms.split_at(there);
        let (always, may_be): (Vec<&Term>, Vec<&Term>) = there.iter().partition(|term| term.always);
        for term in always.into_iter().chain(may_be) {
            self.take(term);
        }
        let mut of_shorter = Vec::new();
        for term in later {
            if term.always {
                of_shorter.extend(self.listed(limit)?);
            }
            if of_shorter.len() > limit {
                return None;
            }
            self.take(term);
        }
        Some(with_shorter(self.listed(limit)?, of_shorter))
    }

    /// One key more.
    fn take(&mut self, term: &Term) {
        if term.always {
            self.always += 1;
            for row in &mut self.rows[..=self.may_be] {
                let mut more = vec![0; self.words];
                add((term.values, self.least), row, &mut more);
                *row = more;
            }
            return;
        }
        self.may_be += 1;
        for row in (0..self.may_be).rev() {
            let (rows, more) = self.rows.split_at_mut(row + 1);
            add((term.values, self.least), &rows[row], &mut more[0]);
        }
    }

    /// What is reached so far; `None` if that is more than `limit`.
    fn listed(&self, limit: usize) -> Option<Vec<(u32, i64)>> {
        let words = self.rows.iter().flatten();
        if words.map(|word| word.count_ones() as usize).sum::<usize>() > limit {
            return None;
        }
        let rows = self.rows.iter().zip(self.always as u32..);
        let pairs = rows.flat_map(|(row, count)| {
            let least = i64::from(count) * self.least;
            ones(row).map(move |bit| (count, bit + least))
        });
        Some(pairs.collect())
    }
}

/// Adds to some sums those of others with one number more, of which a bit stands for what it exceeds the least
/// by.
pub(super) fn add((numbers, least): (&[i64], i64), sums: &[u64], more: &mut [u64]) {
    let end = sums.iter().rposition(|word| *word != 0);
    let sums = &sums[..end.map_or(0, |end| end + 1)];
    for number in numbers {
        let by = (number - least) as usize;
        let (whole, bits) = (by / 64, by % 64);
        let more = &mut more[whole..];
        for (word, sum) in more.iter_mut().zip(sums) {
            *word |= sum << bits;
        }
        if bits > 0 {
            for (word, sum) in more.iter_mut().skip(1).zip(sums) {
                *word |= sum >> (64 - bits);
            }
        }
    }
}

/// The places of the bits that are 1.
pub(super) fn ones(words: &[u64]) -> impl Iterator<Item = i64> + '_ {
    let words = (0..).zip(words).filter(|(_, word)| **word != 0);
    words.flat_map(|(at, word)| {
        let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
        bits.map(move |bit| 64 * at + bit)
    })
}
