//! Bounds on what heads write: how much attention leaks to what is not selected, how equal the
//! levels of selected keys are, and what both make of a width, a mean or a sum.

use super::HeadBound;
use super::bound::{Bound, Bounds};
use super::facts::{HeadFacts, NOMINAL, Side};
use super::host::is_lost;
use super::host_sum::HostSum;
use super::others::{NONE, Others};
use super::products::Products;
use crate::plan::{
    Attend, Kind, Linear, Meaning, Product, Style, Term, VariableId, Written, level,
};

/// How far rows of a faithful head may be from uniform because of a host's order of scaling.
const UNIFORM: f64 = 5e-7;

/// What is known of a head's logits, before they are divided by √d_head.
pub(super) struct Logit {
    /// How far the level of a selected token may be off.
    of_selected: f64,
    /// The same of BOS, and of BOS where it is one of the keys that are selected.
    of_bos: f64,
    of_bos_selected: f64,
    /// How far that of another may be.
    of_others: f64,
    /// How far BOS and a token may be from where they stand for the query at BOS.
    of_query_at_bos: f64,
    /// What of the first two comes from queries and keys that are divided.
    divided: f64,
    /// How often what is not 0 is rounded.
    roundings: f64,
    /// What share of the gap errors of queries take, which all keys see.
    lost: f64,
    /// How many nats above one key BOS stands at most where it stands for none.
    of_none: f64,
}

impl Bounds<'_> {
    /// The pattern of a head with this logit.
    pub fn head(&self, attend: &Attend, logit: &Logit) -> Result<HeadBound, String> {
        let scale = self.facts.head(attend).scale;
        // BOS has all the weight, or none that counts, but where it is one more key.
        let of_bos = match attend.kind {
            Kind::Mean | Kind::MeanOfSome => 0.0,
            Kind::Width | Kind::Length | Kind::MeanOrBos | Kind::MeanOfPart | Kind::Sum { .. } => {
                logit.of_bos_selected
            }
        };
        let of_any = logit.of_selected.max(logit.of_bos) / scale.root;
        // Half of how far two may be from each other, of which one may be BOS.
        let level_error = logit
            .of_selected
            .max(f64::midpoint(logit.of_selected, of_bos))
            / scale.root;
        // There BOS stands for the keys of other parts, however many.
        let of_row = match attend.kind == Kind::MeanOfPart {
            true => logit.of_selected / scale.root,
            false => level_error,
        };
        let above = attend.above() * scale.nats();
        let nats = scale.gap / scale.root * (1.0 - logit.lost) - above;
        let between = matches!(attend.kind, Kind::Mean | Kind::Sum { .. });
        let gap = match between {
            // BOS stands half way, or a level below where there are scores.
            true => (nats / 2.0).min(nats),
            false => nats,
        };
        let depth = attend.depth().map(|depth| depth * scale.nats());
        let gap = match (depth, attend.kind) {
            (Some(level), Kind::Mean) if self.plan.bos => level.min(nats - level),
            // Position 0 has a score of its own, and keys are as far apart as scores put them.
            (Some(depth), Kind::Mean) => {
                let apart = nats.min(level(self.plan.max_length));
                match depth > 0.0 {
                    true => apart.min(depth - above).min(nats - depth),
                    false => apart,
                }
            }
            (Some(level), Kind::MeanOfSome) => level.min(nats),
            // A query that no part has a key for sees BOS, far below those that there are for others.
            (Some(depth), Kind::MeanOfPart) if depth > NONE => nats - depth,
            // Without BOS nothing else says how far the best key stands above the next.
            (None, Kind::MeanOfSome) if attend.is_scored() => nats.min(level(self.plan.max_length)),
            _ => gap,
        };
        let of_others = logit.of_others / scale.root;
        let rounded = |nats: f64| logit.roundings * self.floats.unit * nats.abs();
        let gap = gap - of_any - of_others - rounded(nats);
        let at_bos = |above: f64| above - logit.of_query_at_bos / scale.root - rounded(above);
        let gap = gap.min(self.facts.head(attend).above_at_bos.map_or(gap, at_bos));
        let none = match (attend.kind, depth) {
            (Kind::MeanOfPart, Some(depth)) if depth > NONE => logit.of_none.max(-depth),
            _ => logit.of_none,
        };
        let of_none = match none.is_finite() {
            true => (none + 2.0 * of_any + rounded(none)).exp(),
            false => 0.0,
        };
        let leak = self.plan.max_length as f64 * (-gap).exp() + of_none;
        // What is not a number is not bounded either.
        if !(gap > 0.0 && gap.is_finite() && level_error.is_finite()) {
            return Err(format!("{}: keys are not kept apart", attend.source.name));
        }
        Ok(HeadBound {
            layer: attend.layer,
            selector: attend.source.name.clone(),
            gap,
            leak,
            level_error,
            row_error: attend
                .is_uniform(self.plan.max_length)
                .then(|| (of_row / 2.0).tanh()),
        })
    }

    /// The logit of a head before it is divided by √d_head, and after queries and keys are. Tokens
    /// and BOS are bounded apart: what says where BOS stands is 0 at tokens, and what tells tokens
    /// apart is mostly 0 at BOS. The levels of the query of BOS are nobody's, only how far others are
    /// from BOS counts there.
    pub fn logit(&self, head: &HeadFacts) -> Logit {
        let d_head = head.dimensions.len();
        let (mut tokens, mut bos) = (Products::none(), Products::none());
        // The same without dimensions that add a power of two, or nothing, to what is selected.
        let mut unpaired = Products::none();
        let (mut of_bos_to_tokens, mut of_bos_to_bos) = (Products::none(), Products::none());
        let (mut lost, mut of_none) = (0.0, f64::NEG_INFINITY);
        let mut bos_selected = Products::none();
        // Where BOS stands is said by one product, if by any.
        let levels = head
            .dimensions
            .iter()
            .filter(|[_, key]| key.whole.at_bos != 0.0);
        let has_level = head.stands_for_others && levels.count() == 1;
        let dimensions = head.dimensions.iter().zip(&head.sensitivities);
        for (at, ([query, key], sensitivity)) in dimensions.enumerate() {
            let [mut query_of_token, query_of_bos] = self.at_tokens_and_bos(query);
            let [key_of_token, key_of_bos] = self.at_tokens_and_bos(key);
            let size = |bound: &Bound| bound.centre.abs() + bound.radius;
            let largest = size(&query_of_token) + query_of_token.error;
            if let Some(sensitivity) = sensitivity {
                lost += sensitivity * std::mem::take(&mut query_of_token.error);
            }
            let of_token = (&query_of_token, largest);
            let of_bos = query.whole.at_bos.abs() + query_of_bos.error;
            let of_bos = (&query_of_bos, of_bos);
            let token = (&key_of_token, size(&key_of_token));
            let at_bos = (&key_of_bos, key.whole.at_bos.abs());
            tokens.add(of_token, token);
            if !head.is_paired(at) {
                unpaired.add(of_token, token);
            }
            bos.add(of_token, at_bos);
            let nats = key.whole.at_bos / head.scale.root;
            let others = (has_level && nats != 0.0)
                .then(|| self.others(&query.whole, nats))
                .flatten();
            match &others {
                Some(Others { some, none }) => {
                    bos_selected.add((some, some.largest + some.error), at_bos);
                    of_none = *none;
                }
                None => bos_selected.add(of_token, at_bos),
            }
            of_bos_to_tokens.add(of_bos, token);
            of_bos_to_bos.add(of_bos, at_bos);
        }
        // By the values that are listed, which may be far less than what is read at once adds up to.
        let listed = |listed: f64| (listed + tokens.noise).min(tokens.size);
        let selected = listed(head.sizes.selected);
        let is_paired_lost = head.paired.as_ref().is_some_and(|paired| {
            let is_exact = unpaired.adds_exactly(selected, self.floats);
            let is_read = tokens.exact && tokens.noise == 0.0 && tokens.residue == 0.0;
            // Quotients of a level that is not 0 are equal only if all of it is lost.
            let share = if head.sizes.has_level { 0.5 } else { 1.0 };
            let resolved = share * self.floats.unit * 2f64.powi(unpaired.least);
            is_exact && is_read && paired.size <= resolved
        });
        let mut of_selected = match is_paired_lost {
            true => self.errors(head, &unpaired, (selected, selected)),
            false => self.errors(head, &tokens, (selected, selected)),
        };
        if head.uneven > 0.0 && !is_paired_lost {
            // What was not equal is divided by √d_head each for itself.
            of_selected.0 += self.floats.unit * selected;
        }
        let rounded = head.sizes.of_both_signs + head.scale.gap;
        let sizes = (listed(head.sizes.any), listed(rounded));
        let of_others = self.errors(head, &tokens, sizes).0;
        let of_all =
            |products: &Products| self.errors(head, products, (products.size, products.size));
        let of_bos = of_all(&bos);
        let of_bos_selected = of_all(&bos_selected);
        let whole = |products: &Products| of_all(products).0;
        let of_query_at_bos = whole(&of_bos_to_tokens) + whole(&of_bos_to_bos);
        // Selected keys are this far from the middle of their levels, and what hosts round where they divide.
        let from_middle = head.uneven / 2.0 * (1.0 + 16.0 * self.floats.unit);
        let roundings = match self.order.is_exact(d_head) {
            true => 4.0,
            false => (head.addends + 6) as f64,
        };
        Logit {
            of_selected: of_selected.0 + from_middle,
            of_bos: of_bos.0 + from_middle,
            of_bos_selected: of_bos_selected.0 + from_middle,
            of_others: of_others.max(of_bos.0) + from_middle,
            of_query_at_bos,
            divided: of_selected.1.max(of_bos.1),
            roundings,
            lost,
            of_none,
        }
    }

    /// What a head reads at tokens, where the BOS flag is 0 and adds nothing, and at BOS.
    fn at_tokens_and_bos(&self, side: &Side) -> [Bound; 2] {
        let whole = self.summed(&side.whole, side.whole.constant);
        match &side.at_tokens {
            None => [whole.clone(), whole],
            Some(at_tokens) => [self.summed(at_tokens, at_tokens.constant), whole],
        }
    }

    /// How far a sum of products may be off that are no larger together than the first of two sizes, and of
    /// which so much is rounded as is in the second; and what of that comes from queries and keys that are
    /// divided.
    fn errors(
        &self,
        head: &HeadFacts,
        products: &Products,
        (largest, size): (f64, f64),
    ) -> (f64, f64) {
        let d_head = head.dimensions.len();
        let unit = self.floats.unit;
        let exact = products.adds_exactly(largest, self.floats);
        let addends = head.addends.min(products.addends) as f64;
        // √d_head divides once; what was equal stays equal.
        let rounding = if exact { 0.0 } else { addends + 2.0 };
        // The query, the key and the divisors of both are rounded, then each product and sum. Where nothing
        // cancels what a selected key adds up is 0, and stays 0.
        let noise = products.noise.max(products.residue);
        let stays_zero = exact && noise == 0.0 && !head.cancels;
        let divided = match stays_zero || self.order.is_exact(d_head) {
            true => 0.0,
            false => (addends + 6.0) * unit * size,
        };
        (noise + rounding * unit * size + divided, divided)
    }

    /// Where a host that divides queries or keys makes rows of a head uneven that are to be uniform.
    pub fn uneven(&self, attend: &Attend, logit: &Logit) -> Option<String> {
        if self.plan.style != Style::Faithful || !attend.is_uniform(self.plan.max_length) {
            return None;
        }
        let divided = logit.divided / self.facts.head(attend).scale.root;
        let uneven = (2.0 * divided).exp_m1();
        let name = &attend.source.name;
        (uneven > UNIFORM).then(|| format!("{name}: its rows are uniform to {uneven:.1e} only"))
    }

    /// What does not hold of scores of real numbers, if anything: they are where their tables say, and
    /// together no further from each other and from that of BOS, which is 0, than they are said to be.
    /// Where BOS stands a level below scores, none is less than its own.
    pub fn fault_of_exponents(&self, attend: &Attend) -> Option<String> {
        let is_in = |linear: &Linear, ends: &[f64]| {
            let (low, high) = self.at_tokens(&self.facts.host_sum(self.plan, linear));
            matches!(ends, [.., last] if ends[0] <= low && high <= *last)
        };
        let corners = |product: &Product| -> Vec<f64> {
            let queries = product.queries.iter();
            let pairs = queries.flat_map(|query| product.keys.iter().map(move |key| query * key));
            pairs.collect()
        };
        let is_fine = |term: &Term| {
            let Meaning::Exponent { above } = term.meaning else {
                return true;
            };
            let products = term.products.iter().map(corners);
            let sums = products.fold((0.0, 0.0), |(low, high), corners| {
                let least = corners.iter().copied().fold(f64::INFINITY, f64::min);
                let most = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                (low + least, high + most)
            });
            let mut products = term.products.iter();
            let near = NOMINAL * (1.0 + above);
            let least = sums.0.min(0.0);
            (least >= -near || attend.kind == Kind::MeanOfSome)
                && sums.1.max(0.0) - least <= above + near
                && products.all(|p| is_in(&p.query, &p.queries) && is_in(&p.key, &p.keys))
        };
        let name = &attend.source.name;
        let fine = attend.terms.iter().all(is_fine);
        (!fine).then(|| format!("{name}: scores that may be larger than they are said to be"))
    }

    /// What an operation adds to its variable.
    pub fn attended(&self, at: usize, attend: &Attend, head: &HeadBound) -> Bound {
        let read = self.facts.value(at);
        match attend.kind {
            Kind::Width => self.inverse_width(attend, head),
            Kind::Mean | Kind::MeanOfSome | Kind::MeanOrBos | Kind::MeanOfPart | Kind::Length => {
                self.mean(read, attend, head)
            }
            Kind::Sum { level } => self.sum_through_sink(read, attend, head, level),
        }
    }

    /// One over a width and BOS.
    fn inverse_width(&self, attend: &Attend, head: &HeadBound) -> Bound {
        let uneven = (2.0 * head.level_error).exp() - 1.0;
        let values = self.plan.variable(attend.into).values.iter();
        let by_value = values.map(|x| {
            let width = 1.0 / x - 1.0;
            let counts = width * uneven + head.leak;
            (*x, x * (x * counts + 3.0 * self.floats.unit))
        });
        let by_value: Vec<(f64, f64)> = by_value.collect();
        let error = by_value.iter().fold(0.0f64, |most, (_, e)| most.max(*e));
        Bound {
            by_value,
            ..Bound::inexact(1.0, error)
        }
    }

    /// The mean of what is read at keys.
    fn mean(&self, read: &HostSum, attend: &Attend, head: &HeadBound) -> Bound {
        let value = self.summed(read, read.constant);
        // One key has all the weight, whatever its level. Of several, some may have up to e^2δ times their
        // weight compared with the others: no share grows by more than tanh δ/2.
        let single = attend.most <= 1 && attend.is_level_or_best();
        let uneven = match single && attend.kind != Kind::MeanOfPart {
            true => 0.0,
            false => (head.level_error / 2.0).tanh(),
        };
        // What one key gets too much another lacks: only their difference counts.
        let (low, high) = self.range(read);
        let spread = high - low + 2.0 * value.error;
        let weights = (uneven + head.leak) * spread;
        let is_whole = self.is_whole(attend, head);
        let (weights, roundings) = match is_whole {
            // Adding so little to a float takes it no further than twice that.
            true => (4.0 * head.leak * spread, 0.0),
            false => (
                weights + 2.0 * head.leak * value.largest,
                self.roundings(attend, head),
            ),
        };
        let error = weights + roundings * self.floats.unit * value.largest + value.error;
        // What leaks is nothing beside a value that is not 0.
        let leaked = 2.0 * head.leak * (value.largest + value.error);
        let residue = value.residue + leaked;
        let grain = value
            .grain
            .filter(|grain| is_whole && is_lost(residue, *grain, self.floats));
        let (error, residue) = match grain {
            Some(_) => (value.error + leaked, residue),
            None => (error, 0.0),
        };
        let low_of_sum = match attend.kind.sets_bos_apart() {
            true => self.at_tokens(read).0,
            false => low,
        };
        let by_value = match low_of_sum >= 0.0 && roundings > 0.0 {
            true => self.mean_by_value((attend, head), (weights, error), &value),
            false => Vec::new(),
        };
        Bound {
            by_value,
            one_sided: self.sided_mean(attend, weights, roundings),
            centre: f64::midpoint(low, high),
            radius: (high - low) / 2.0 + error,
            grain,
            residue,
            ..Bound::inexact(value.largest, error)
        }
    }

    /// The sum of what is read at keys that stand so many nats below BOS.
    fn sum_through_sink(
        &self,
        read: &HostSum,
        attend: &Attend,
        head: &HeadBound,
        level: f64,
    ) -> Bound {
        let unit = self.floats.unit;
        let value = self.summed(read, read.constant);
        let (length, most) = (self.plan.max_length as f64, attend.most as f64);
        // How far all of what is selected stands below BOS is divided and rounded, too.
        let depth = level * self.facts.head(attend).scale.nats();
        let uneven = (2.0 * head.level_error).exp() - 1.0 + 4.0 * unit * depth;
        let sink = most * (most + 1.0) * (-level).exp() * 2.0;
        // What is not selected stands below by the gap, and below BOS by the level more.
        let share = most * uneven + head.leak + sink + (length + 14.0) * unit * most;
        Bound::inexact(
            most * value.largest,
            share * value.largest + most * value.error * (1.0 + uneven),
        )
    }

    /// What a mean of numbers that are not negative, or what stands for that of none, may be off by where it
    /// is one of its values, each with its error, of which so much is that of the weights, and all is no more
    /// than the second. No sum on the way is larger than the mean in the end, nor than so many of the largest
    /// shares.
    fn mean_by_value(
        &self,
        (attend, head): (&Attend, &HeadBound),
        (weights, most): (f64, f64),
        value: &Bound,
    ) -> Vec<(f64, f64)> {
        let keys = attend.most as f64 + 2.0;
        let largest = value.largest;
        let roundings = |mean: f64| match self.is_counted(attend, head) {
            true => keys * (mean - mean * mean / (2.0 * largest)) + 5.0 * mean,
            false => (keys + 6.0) * mean,
        };
        let values = self.plan.variable(attend.into).values.iter();
        let errors = values.map(|mean| {
            let size = (mean.abs() + weights + value.error).min(largest);
            let error = weights + roundings(size) * self.floats.unit + value.error;
            (*mean, error.min(most))
        });
        errors.collect()
    }

    /// Whether what is moved has a weight of 1, to the bit, or one that leaks: of one key, or of BOS
    /// where tokens have nothing to move. All weights but one are lost in the sum that they are divided by.
    fn is_whole(&self, attend: &Attend, head: &HeadBound) -> bool {
        let value = &attend.value;
        let is_flag = |id: VariableId| self.plan.variable(id).written == Written::Flag;
        let of_bos = || value.constant == 0.0 && value.reads().all(is_flag);
        let is_one = match attend.kind {
            Kind::Mean => attend.most <= 1 || of_bos(),
            Kind::MeanOfSome | Kind::MeanOrBos => attend.most <= 1,
            Kind::Width | Kind::Length | Kind::MeanOfPart | Kind::Sum { .. } => false,
        };
        is_one && attend.is_level_or_best() && !weighs(attend) && self.is_lost(head)
    }

    /// Whether what leaks is lost in the sum of what is selected.
    fn is_lost(&self, head: &HeadBound) -> bool {
        head.leak < self.floats.unit / 4.0
    }

    /// How often what a mean moves is rounded. Each of its keys, BOS perhaps one more, has its share, and
    /// a sum of some is no larger than their shares together: in whatever order they are added, that
    /// rounds the mean half as often as there are keys. What they are divided by is a sum as well, which
    /// is a whole number where levels are equal.
    pub fn roundings(&self, attend: &Attend, head: &HeadBound) -> f64 {
        let sum = (attend.most as f64 + 2.0) / 2.0;
        match self.is_counted(attend, head) {
            true => sum + 4.0,
            false => 2.0 * sum + 6.0,
        }
    }

    /// Whether all keys of a mean have the same share, one over their number.
    fn is_counted(&self, attend: &Attend, head: &HeadBound) -> bool {
        let are_level = attend.above() == 0.0 && head.level_error == 0.0 && self.is_lost(head);
        are_level && attend.kind != Kind::MeanOfPart
    }
}

/// Whether keys have weights of their own.
fn weighs(attend: &Attend) -> bool {
    let is_exponent = |term: &Term| matches!(term.meaning, Meaning::Exponent { .. });
    attend.terms.iter().any(is_exponent)
}
