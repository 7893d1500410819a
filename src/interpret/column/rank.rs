//! The key and query columns of a comparison as ranks: small ints that compare like the values
//! they stand for, so that everything after this works on arrays indexed by rank.

use super::radix;
use super::{Column, Dictionary, Values};
use crate::interpret::exact::LARGEST_EXACT;
use crate::value::Value;
use smol_str::SmolStr;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

/// The rank of what equals nothing and is in no order: NaN, and a string beside numbers.
pub const NONE: u32 = u32::MAX;

/// A column as ranks.
#[derive(Clone)]
pub enum Ranks {
    Constant(u32),
    List(Arc<[u32]>),
}

impl Ranks {
    pub fn get(&self, position: usize) -> u32 {
        match self {
            Ranks::Constant(rank) => *rank,
            Ranks::List(ranks) => ranks[position],
        }
    }
}

/// Both columns of a comparison, ranked together.
pub struct Ranked {
    pub keys: Ranks,
    pub queries: Ranks,
    /// Every rank is smaller, except [`NONE`].
    pub count: usize,
    /// Whether finding the ranks took sorting.
    pub sorted: bool,
}

/// The code of what gets the rank [`NONE`].
const UNORDERED: i64 = i64::MIN;

/// Columns as ints of any size that compare like the values.
struct Codes<'a> {
    keys: Cow<'a, [i64]>,
    /// `None` if they are those of the keys.
    queries: Option<Cow<'a, [i64]>>,
    /// Whether [`UNORDERED`] has its special meaning among them.
    unordered: bool,
}

/// Ranks two columns. Beside a constant, and for ints of a range not much wider than the input,
/// for bools and for strings of one dictionary, in O(n); otherwise there is sorting, byte by byte.
pub fn rank(keys: &Arc<Column>, queries: &Arc<Column>) -> Ranked {
    let constant = |column: &Column| {
        if let Values::Constant(value) = column.values() {
            Some(value.clone())
        } else {
            None
        }
    };
    if let Some(value) = constant(queries).or_else(|| constant(keys)) {
        return Ranked {
            keys: beside(keys, &value),
            queries: beside(queries, &value),
            count: 3,
            sorted: false,
        };
    }
    if let (Values::Strings(a, key_ids), Values::Strings(b, query_ids)) =
        (keys.values(), queries.values())
        && Arc::ptr_eq(a, b)
        && is_narrow(a.len() as u64, keys.len())
    {
        let ranks: Arc<[u32]> = key_ids.as_slice().into();
        return Ranked {
            queries: Ranks::List(if Arc::ptr_eq(keys, queries) {
                ranks.clone()
            } else {
                query_ids.as_slice().into()
            }),
            keys: Ranks::List(ranks),
            count: a.len(),
            sorted: false,
        };
    }
    dense(codes(keys, queries))
}

/// Whether arrays over a range of codes are worth the room they take.
fn is_narrow(range: u64, keys: usize) -> bool {
    range < 4 * keys as u64 + 64
}

/// Ranks beside a constant of rank 1: 0 for less, 2 for greater.
fn beside(column: &Column, constant: &Value) -> Ranks {
    let place = |order: Ordering| match order {
        Ordering::Less => 0,
        Ordering::Equal => 1,
        Ordering::Greater => 2,
    };
    let rank = |value: &Value| value.order(constant).map_or(NONE, place);
    Ranks::List(match (column.values(), constant) {
        (Values::Constant(value), _) => return Ranks::Constant(rank(value)),
        (Values::Ints(ints), Value::Int(constant)) => {
            ints.iter().map(|int| place(int.cmp(constant))).collect()
        }
        (Values::Bools(bools), _) => {
            let [no, yes] = [false, true].map(|bool| rank(&Value::Bool(bool)));
            let rank = |bool| if bool { yes } else { no };
            bools.iter().map(rank).collect()
        }
        (Values::Strings(dictionary, ids), _) => {
            let entry = |text: &SmolStr| rank(&Value::Str(text.clone()));
            let ranks: Vec<u32> = dictionary.iter().map(entry).collect();
            ids.iter().map(|id| ranks[*id as usize]).collect()
        }
        _ => (0..column.len()).map(|at| rank(&column.get(at))).collect(),
    })
}

fn codes<'a>(keys: &'a Arc<Column>, queries: &'a Arc<Column>) -> Codes<'a> {
    let same = Arc::ptr_eq(keys, queries);
    if let (Values::Strings(a, key_ids), Values::Strings(b, query_ids)) =
        (keys.values(), queries.values())
    {
        return strings((a, key_ids), (b, query_ids));
    }
    if keys.is_text() != queries.is_text() {
        return Codes {
            keys: vec![UNORDERED; keys.len()].into(),
            queries: Some(vec![UNORDERED; queries.len()].into()),
            unordered: true,
        };
    }
    let both = |code: fn(&'a Column) -> Option<Cow<'a, [i64]>>| {
        let keys = code(keys)?;
        let queries = if same { None } else { Some(code(queries)?) };
        Some((keys, queries))
    };
    if let Some((keys, queries)) = both(whole) {
        return Codes {
            keys,
            queries,
            unordered: false,
        };
    }
    let (keys, queries) = both(fractional).unwrap_or_else(|| by_order(keys, queries));
    Codes {
        keys,
        queries,
        unordered: true,
    }
}

fn strings(keys: (&Dictionary, &Vec<u32>), queries: (&Dictionary, &Vec<u32>)) -> Codes<'static> {
    let named = |ids: &[u32], names: &[i64]| ids.iter().map(|id| names[*id as usize]).collect();
    let mut all: Vec<&SmolStr> = keys.0.iter().chain(queries.0.iter()).collect();
    all.sort_unstable();
    all.dedup();
    let names = |dictionary: &Dictionary| -> Vec<i64> {
        let name = |text: &SmolStr| all.binary_search(&text).map_or(UNORDERED, |at| at as i64);
        dictionary.iter().map(name).collect()
    };
    Codes {
        keys: named(keys.1, &names(keys.0)),
        queries: Some(named(queries.1, &names(queries.0))),
        unordered: false,
    }
}

fn whole(column: &Column) -> Option<Cow<'_, [i64]>> {
    match column.values() {
        Values::Ints(ints) => Some(ints.into()),
        Values::Bools(bools) => Some(bools.iter().map(i64::from).collect()),
        Values::Mixed(values) => values.iter().map(Value::as_int).collect(),
        Values::Constant(_) | Values::Floats(_) | Values::Strings(..) => None,
    }
}

/// Floats as ints in the same order, together with ints that are exact as floats.
fn fractional(column: &Column) -> Option<Cow<'_, [i64]>> {
    let exact = |int: i64| (int.unsigned_abs() <= LARGEST_EXACT).then_some(int as f64);
    match column.values() {
        Values::Floats(floats) => Some(floats.iter().map(|float| float_code(*float)).collect()),
        Values::Ints(ints) => ints.iter().map(|int| exact(*int).map(float_code)).collect(),
        Values::Bools(bools) => {
            let code = |bool| float_code(f64::from(u8::from(bool)));
            Some(bools.iter().map(code).collect())
        }
        Values::Mixed(values) => values
            .iter()
            .map(|value| match value.as_int() {
                Some(int) => exact(int).map(float_code),
                None => value.as_float().map(float_code),
            })
            .collect(),
        Values::Constant(_) | Values::Strings(..) => None,
    }
}

fn float_code(float: f64) -> i64 {
    if float.is_nan() {
        return UNORDERED;
    }
    // Both zeros are one; the bits of negative floats ascend with their size.
    let bits = (float + 0.0).to_bits() as i64;
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// Any values at all, by sorting them.
fn by_order(keys: &Column, queries: &Column) -> (Cow<'static, [i64]>, Option<Cow<'static, [i64]>>) {
    let (keys, queries) = (keys.to_values(), queries.to_values());
    let mut values: Vec<&Value> = keys.iter().chain(&queries).collect();
    values.retain(|value| !value.is_nan());
    values.sort_unstable_by(|a, b| a.canonical_order(b));
    values.dedup_by(|a, b| a.equals(b));
    let code = |value: &Value| {
        let order = |other: &&Value| {
            if other.equals(value) {
                Ordering::Equal
            } else {
                other.canonical_order(value)
            }
        };
        let found = values.binary_search_by(order);
        found.map_or(UNORDERED, |at| at as i64)
    };
    let keys_coded = keys.iter().map(code).collect();
    (keys_coded, Some(queries.iter().map(code).collect()))
}

/// Brings codes down to the ranks 0, 1, … in the same order.
fn dense(codes: Codes<'_>) -> Ranked {
    let Codes { keys, queries, .. } = &codes;
    let length = keys.len() + queries.as_ref().map_or(0, |queries| queries.len());
    let unordered = codes.unordered;
    let ordered = move |code: &i64| !(unordered && *code == UNORDERED);
    let all = keys.iter().chain(queries.iter().flat_map(|q| q.iter()));
    let widest = |(low, high): (i64, i64), code: &i64| (low.min(*code), high.max(*code));
    // Where all are in an order, none is asked whether it is: that keeps branches out of the loop.
    let range = if unordered {
        all.clone()
            .filter(|code| ordered(code))
            .fold((i64::MAX, i64::MIN), widest)
    } else {
        all.clone().fold((i64::MAX, i64::MIN), widest)
    };
    // Nothing is in any order if the lowest code is above the highest.
    let low = if range.0 > range.1 { 0 } else { range.0 };
    let range = range.1.max(low).abs_diff(low);
    if is_narrow(range, keys.len()) {
        let offset = move |code: &i64| match ordered(code) {
            true => code.wrapping_sub(low) as u32,
            false => NONE,
        };
        let keys: Arc<[u32]> = keys.iter().map(offset).collect();
        return Ranked {
            queries: Ranks::List(match queries {
                Some(codes) => codes.iter().map(offset).collect(),
                None => keys.clone(),
            }),
            keys: Ranks::List(keys),
            count: range as usize + 1,
            sorted: false,
        };
    }
    let placed = all.enumerate().filter(|(_, code)| ordered(code));
    let placed = placed.map(|(at, code)| (code.abs_diff(low), at as u32));
    let mut ranks = vec![NONE; length];
    let code_bits = u64::BITS - range.leading_zeros();
    let place_bits = usize::BITS - length.leading_zeros();
    let count = if code_bits + place_bits <= u64::BITS {
        // One word holds code and place, which sorts in half the time.
        let mut words: Vec<u64> = Vec::with_capacity(length);
        words.extend(placed.map(|(code, at)| code << place_bits | u64::from(at)));
        radix::sort_by_key(&mut words, code_bits, |word| word >> place_bits);
        let mask = (1 << place_bits) - 1;
        let unpack = |word: &u64| (word >> place_bits, (word & mask) as u32);
        number(&mut ranks, words.iter().map(unpack))
    } else {
        let mut pairs: Vec<(u64, u32)> = Vec::with_capacity(length);
        pairs.extend(placed);
        radix::sort_by_key(&mut pairs, code_bits, |(code, _)| *code);
        number(&mut ranks, pairs.into_iter())
    };
    let keys: Arc<[u32]> = ranks[..keys.len()].into();
    Ranked {
        queries: Ranks::List(match queries {
            Some(_) => ranks[keys.len()..].into(),
            None => keys.clone(),
        }),
        keys: Ranks::List(keys),
        count,
        sorted: true,
    }
}

/// Numbers sorted codes from 0, equal ones alike; gives how many there are.
fn number(ranks: &mut [u32], sorted: impl Iterator<Item = (u64, u32)>) -> usize {
    let mut last = None;
    let mut count = 0;
    for (code, at) in sorted {
        if last != Some(code) {
            last = Some(code);
            count += 1;
        }
        ranks[at as usize] = count as u32 - 1;
    }
    count
}
