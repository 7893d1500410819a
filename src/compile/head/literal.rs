//! Literals as low-rank logits: a sum of products of a query feature and a key feature that is 0
//! where the relation holds and at most -1 where it does not. Attention logits are bilinear, so a
//! conjunction is the sum of its literals in one head; a relation costs as many dimensions of the
//! head as it has distinct rows or columns, and an equality of numbered classes three, by
//! -(x - y)² = 2xy - x² - y², or one for each bit where the squares have too many digits; numbers that
//! may be fractions are found by `notches`.

use crate::compile::linear::LinearRead;
use crate::compile::way::{NotThis, Way, tried};
use crate::compile::{Care, Compiler, Want, ones_where, range_of};
use crate::infer::cube::{Literal, Relation};
use crate::infer::{Operand, Stopped};
use crate::model::is_bfloat16;
use crate::model::label::condition;
use crate::plan::pass::Choice;
use crate::plan::{Kind, Meaning, Product, Term};

/// A product of the logit before what it reads has a place.
pub type ProductPlan = Product<LinearRead>;

/// The same of a term.
pub type TermPlan = Term<LinearRead>;

/// Numbers at each query and at each key, of which a logit adds up the products.
pub(super) struct Factors {
    pub queries: Vec<f64>,
    pub keys: Vec<f64>,
}

/// What a head needs of its literals.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// How precise what it compares must be.
    pub want: Want,
    pub kind: Kind,
}

/// The parabola is used from this many classes on.
pub(super) const FEWEST_FOR_PARABOLA: usize = 4;

/// Numbers beyond this lose their gap of 1 when squared in float32.
const LARGEST_FOR_PARABOLA: f64 = 1_000.0;

/// Keys or queries that a relation treats alike: their common row or column, and which they are.
struct Class {
    /// Where the relation does not hold, on the other side.
    fails: Vec<f64>,
    members: Vec<f64>,
}

impl Compiler<'_> {
    /// The products of a literal.
    pub(crate) fn literal(&mut self, literal: &Literal, needs: Needs) -> Result<TermPlan, Stopped> {
        let want = match self.care == Care::Bits {
            true => Want::Snapped,
            false => needs.want,
        };
        let needs = Needs { want, ..needs };
        if needs.kind == Kind::MeanOrBos
            && let Some((keys, queries, bos)) = self.stand_in(literal)
        {
            return self.with_bos(literal, (keys, queries, bos), needs);
        }
        let relation = &literal.relation;
        let table = ByClasses::new(relation);
        let fewest = table.factors.len();
        if let Some(term) = tried(self.window(literal, needs, fewest))? {
            return Ok(term);
        }
        let products = if let Some(products) = tried(self.alternatives(literal, needs))? {
            products
        } else if !needs.kind.is_relative()
            && let Some(among) = self.among_whole(literal)
        {
            self.notches(literal, among, needs.want)?
        } else if fewest >= FEWEST_FOR_PARABOLA
            && let Some((keys, queries)) = self.matching(literal)
        {
            let squares = keys.iter().chain(&queries).map(|number| number * number);
            let held = !self.host.is_bfloat16() || squares.into_iter().all(is_bfloat16);
            match !held || self.care == Care::Bits {
                true => self.by_bits(literal, &keys, &queries, needs)?,
                false => self.parabola(literal, keys, queries, needs)?,
            }
        } else {
            self.by_classes(literal, table, needs.want)?
        };
        Ok(TermPlan {
            products,
            meaning: Meaning::Relation(relation.bits().into()),
        })
    }

    /// The products of a matching in whose table BOS is the last key.
    fn with_bos(
        &mut self,
        literal: &Literal,
        (keys, queries, bos): (Vec<f64>, Vec<f64>, f64),
        needs: Needs,
    ) -> Result<TermPlan, Stopped> {
        let relation = &literal.relation;
        let mut products = self.parabola(literal, keys, queries, needs)?;
        for (product, number) in products.iter_mut().zip([bos, bos * bos]) {
            let keys = product.keys.iter().copied();
            product.keys = keys.chain([number]).collect();
        }
        let column = |query| (0..relation.keys).any(|key| relation.holds(key, query));
        let of_bos = (0..relation.queries).map(|query| !column(query));
        let holds = relation.bits().iter().copied().chain(of_bos);
        Ok(TermPlan {
            products,
            meaning: Meaning::Relation(holds.collect()),
        })
    }

    /// The products of some factors, given what those of the query and of the key are called, unless they
    /// are to be bfloat16 and some are none.
    pub(super) fn products_of(
        &mut self,
        literal: &Literal,
        want: Want,
        factors: Vec<(Factors, [String; 2])>,
    ) -> Way<Vec<ProductPlan>> {
        let of_sides = factors
            .iter()
            .map(|(of, _)| of.queries.iter().chain(&of.keys));
        let mut numbers = of_sides.flatten();
        if self.host.is_bfloat16() && !numbers.all(|number| is_bfloat16(*number)) {
            return Err(NotThis);
        }
        let mut products = Vec::with_capacity(factors.len());
        for (factors, [of_query, of_key]) in factors {
            let query = self.demanded(literal.queries, &factors.queries, want, &of_query)?;
            let key = self.demanded(literal.keys, &factors.keys, want, &of_key)?;
            products.push(factors.product(query, key));
        }
        Ok(products)
    }

    /// The products of a table, one for each class.
    fn by_classes(
        &mut self,
        literal: &Literal,
        table: ByClasses,
        want: Want,
    ) -> Result<Vec<ProductPlan>, Stopped> {
        let mut products = Vec::with_capacity(table.factors.len());
        for factors in table.factors {
            let against: Vec<f64> = factors.queries.iter().map(|query| -query).collect();
            let predicate = |name: &str| format!("{name} predicate");
            let member = |name: &str| format!("one of the {name}");
            let [of_query, of_key]: [fn(&str) -> String; 2] = match table.of_keys {
                true => [predicate, member],
                false => [member, predicate],
            };
            let query = self.indicator(literal.queries, &against, of_query, want)?;
            let key = self.indicator(literal.keys, &factors.keys, of_key, want)?;
            products.push(factors.product(query.scaled(-1.0), key));
        }
        Ok(products)
    }

    /// A function that is 0 for some values: by name, a comparison of its s-op if it is one, or else as told.
    fn indicator(
        &mut self,
        id: Operand,
        function: &[f64],
        told: impl Fn(&str) -> String,
        want: Want,
    ) -> Result<LinearRead, Stopped> {
        let chosen: Vec<bool> = function.iter().map(|f| *f != 0.0).collect();
        let domain = &self.analysis.node(id)?.column.values.domain;
        let compared = condition(&chosen).and_then(|(sign, at)| Some((sign, domain.get(at)?)));
        let name = self.name(id);
        let label = match compared {
            Some((sign, value)) => format!("{name} {sign} {}", value.source()),
            None => told(&name),
        };
        self.demanded(id, function, want, &label)
    }

    /// A feature that is called so where it is a direction of an embedding or of a pick, too.
    pub(crate) fn demanded(
        &mut self,
        id: Operand,
        function: &[f64],
        want: Want,
        label: &str,
    ) -> Result<LinearRead, Stopped> {
        let read = self.feature(id, function, want, label)?;
        self.demand(&read, label)?;
        Ok(read)
    }

    pub(crate) fn name(&self, id: impl Into<Operand>) -> String {
        let id = id.into();
        self.analysis.describe(id)
    }

    /// Numbers for both sides, centred, so that a key and a query match where theirs are equal, and
    /// differ by 1 at least where they do not; if the literal is such a matching. Numbers of the
    /// program stand for themselves where they are small integers without great gaps.
    pub(super) fn matching(&self, literal: &Literal) -> Option<(Vec<f64>, Vec<f64>)> {
        if !self.chooses(Choice::Factor) {
            return None;
        }
        let numbers = self
            .integer_equality(literal)
            .or_else(|| literal.relation.matching())?;
        let all = || numbers.0.iter().chain(&numbers.1);
        let (lowest, highest) = range_of(all().copied());
        if highest - lowest > 2.0 * LARGEST_FOR_PARABOLA {
            return None;
        }
        let centre = ((lowest + highest) / 2.0).floor();
        let centred = |numbers: &[f64]| -> Vec<f64> {
            numbers.iter().map(|number| number - centre).collect()
        };
        Some((centred(&numbers.0), centred(&numbers.1)))
    }

    fn integer_equality(&self, literal: &Literal) -> Option<(Vec<f64>, Vec<f64>)> {
        let numbers = |id| self.analysis.numbers(id);
        let (keys, queries) = (numbers(literal.keys)?, numbers(literal.queries)?);
        let all = || keys.iter().chain(&queries);
        let (lowest, highest) = range_of(all().copied());
        let whole = all().all(|number| number.fract() == 0.0);
        let dense = highest - lowest <= 2.0 * keys.len().max(queries.len()) as f64;
        let equality = || is_equality(&literal.relation, &keys, &queries);
        (whole && dense && equality()).then_some((keys, queries))
    }

    fn parabola(
        &mut self,
        literal: &Literal,
        keys: Vec<f64>,
        queries: Vec<f64>,
        needs: Needs,
    ) -> Result<Vec<ProductPlan>, Stopped> {
        let [both, key_squares, query_squares] = parabola(&keys, &queries);
        let (key_name, query_name) = (self.name(literal.keys), self.name(literal.queries));
        let squared = |name: &str| format!("{name}²");
        let want = needs.want;
        let key = self.demanded(literal.keys, &keys, want, &key_name)?;
        let squares = &key_squares.keys;
        let key_square = self.demanded(literal.keys, squares, want, &squared(&key_name))?;
        let query = self.demanded(literal.queries, &queries, want, &query_name)?;
        let mut products = vec![
            both.product(query.scaled(2.0), key),
            key_squares.product(LinearRead::constant(-1.0), key_square),
        ];
        if !needs.kind.is_relative() {
            let own: Vec<f64> = queries.iter().map(|query| query * query).collect();
            let read = self.demanded(literal.queries, &own, want, &squared(&query_name))?;
            products.push(query_squares.product(read.scaled(-1.0), LinearRead::constant(1.0)));
        }
        Ok(products)
    }

    /// The same for whole numbers of any size, by their bits, which are -1 or 1: a key and a query
    /// match where all bits do, and are a gap apart for each that does not.
    fn by_bits(
        &mut self,
        literal: &Literal,
        keys: &[f64],
        queries: &[f64],
        needs: Needs,
    ) -> Result<Vec<ProductPlan>, Stopped> {
        let all = || keys.iter().chain(queries);
        let lowest = all().copied().fold(f64::INFINITY, f64::min);
        let most = all().fold(0.0f64, |most, number| most.max(number - lowest));
        let count = (most as usize).checked_ilog2().map_or(0, |log| log + 1);
        let mut products = Vec::new();
        for bit in 0..count {
            let bits = |numbers: &[f64]| -> Vec<f64> {
                let is_set = |number: &f64| (number - lowest) as usize >> bit & 1 == 1;
                let bits = numbers.iter().map(is_set);
                bits.map(|set| if set { 1.0 } else { -1.0 }).collect()
            };
            let (key_bits, query_bits) = (bits(keys), bits(queries));
            let label = |name: &str| format!("bit {bit} of {name}");
            let (key, query) = (self.name(literal.keys), self.name(literal.queries));
            let key = self.demanded(literal.keys, &key_bits, needs.want, &label(&key))?;
            let query = self.demanded(literal.queries, &query_bits, needs.want, &label(&query))?;
            products.push(ProductPlan {
                query: query.scaled(0.5),
                key,
                queries: query_bits.iter().map(|bit| 0.5 * bit).collect(),
                keys: key_bits.into(),
            });
        }
        if !needs.kind.is_relative() {
            let level = -0.5 * f64::from(count);
            products.push(ProductPlan {
                query: LinearRead::constant(level),
                key: LinearRead::constant(1.0),
                queries: vec![level; queries.len()].into(),
                keys: vec![1.0; keys.len()].into(),
            });
        }
        Ok(products)
    }
}

impl Factors {
    /// The product of what is read for these numbers.
    fn product(self, query: LinearRead, key: LinearRead) -> ProductPlan {
        ProductPlan {
            query,
            key,
            queries: self.queries.into(),
            keys: self.keys.into(),
        }
    }
}

/// `-(x - y)²` for a key's number `x` and a query's `y`.
pub(super) fn parabola(keys: &[f64], queries: &[f64]) -> [Factors; 3] {
    let times = |numbers: &[f64], factor: f64| numbers.iter().map(|x| factor * x).collect();
    let squares = |numbers: &[f64], sign: f64| numbers.iter().map(|x| sign * x * x).collect();
    [
        Factors {
            queries: times(queries, 2.0),
            keys: keys.to_vec(),
        },
        Factors {
            queries: vec![-1.0; queries.len()],
            keys: squares(keys, 1.0),
        },
        Factors {
            queries: squares(queries, -1.0),
            keys: vec![1.0; keys.len()],
        },
    ]
}

/// Whether a relation holds for just the numbers that are equal.
pub(super) fn is_equality(relation: &Relation, keys: &[f64], queries: &[f64]) -> bool {
    keys.iter().enumerate().all(|(k, key)| {
        let mut row = queries.iter().enumerate();
        row.all(|(q, query)| relation.holds(k, q) == (key == query))
    })
}

/// A relation by classes: `-1` for each of them and what it does not stand in the relation to.
pub(super) struct ByClasses {
    pub factors: Vec<Factors>,
    /// Whether the classes are of keys, which are fewer then.
    of_keys: bool,
}

impl ByClasses {
    pub fn new(relation: &Relation) -> ByClasses {
        let of_keys = classes(relation.keys, |key| relation.row(key).to_vec());
        let of_queries = classes(relation.queries, |query| relation.column(query));
        let against = |numbers: Vec<f64>| numbers.into_iter().map(|number| -number).collect();
        let by_key = |class: Class| Factors {
            queries: against(class.fails),
            keys: class.members,
        };
        let by_query = |class: Class| Factors {
            queries: against(class.members),
            keys: class.fails,
        };
        let are_fewer = of_keys.len() <= of_queries.len();
        ByClasses {
            factors: match are_fewer {
                true => of_keys.into_iter().map(by_key).collect(),
                false => of_queries.into_iter().map(by_query).collect(),
            },
            of_keys: are_fewer,
        }
    }
}

/// Groups one side of a relation by what holds for it, in order of first members; those for whom
/// everything holds need no term.
fn classes(size: usize, row: impl Fn(usize) -> Vec<bool>) -> Vec<Class> {
    let mut patterns: Vec<Vec<bool>> = Vec::new();
    let mut classes: Vec<Class> = Vec::new();
    let mut known = rustc_hash::FxHashMap::default();
    for member in 0..size {
        let pattern = row(member);
        if pattern.iter().all(|holds| *holds) {
            continue;
        }
        let at = *known.entry(pattern.clone()).or_insert(patterns.len());
        if at == patterns.len() {
            classes.push(Class {
                fails: ones_where(pattern.len(), |at| !pattern[at]),
                members: vec![0.0; size],
            });
            patterns.push(pattern);
        }
        classes[at].members[member] = 1.0;
    }
    classes
}
