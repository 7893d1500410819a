//! The programs in `examples/` and `examples/papers/`.

use std::path::{Path, PathBuf};

/// The programs with the name of their main s-op.
pub const PROGRAMS: &[(&str, &str)] = &[
    ("addition", "sum"),
    ("double_hist", "double_hist"),
    ("dyck1", "dyck1"),
    ("dyck2", "dyck2"),
    ("frac_prevs", "frac_prevs"),
    ("hist", "hist"),
    ("induction", "induction"),
    ("length", "input_length"),
    ("most_frequent", "most_frequent"),
    ("parity", "parity"),
    ("reverse", "reverse"),
    ("shuffle_dyck2", "shuffle_dyck2"),
    ("sort", "sorted"),
    ("papers/olsson2022_induction", "induction"),
    ("papers/preprint_balanced", "balanced"),
    ("papers/preprint_by_frequency", "answer"),
    ("papers/preprint_count_a", "count_a"),
    ("papers/preprint_count_conditioned", "same"),
    ("papers/preprint_has_prev", "has_prev"),
    ("papers/preprint_histogram_given_bos", "histogram_given_bos"),
    ("papers/preprint_inference", "answer"),
    ("papers/preprint_length", "input_length"),
    ("papers/preprint_parity", "parity"),
    ("papers/preprint_reverse", "reverse"),
    ("papers/preprint_score", "weighted"),
    ("papers/preprint_select_best", "latest"),
    ("papers/preprint_selector_width", "same_width"),
    ("papers/preprint_sort", "sorted"),
    ("papers/preprint_transformer", "once"),
    ("papers/tracr_count", "count_a"),
    ("papers/tracr_count_less_freq", "at_most_two"),
    ("papers/tracr_detect_pattern", "abc"),
    ("papers/tracr_frac_prevs", "frac_x"),
    ("papers/tracr_hist", "hist"),
    ("papers/tracr_length", "input_length"),
    ("papers/tracr_nary_sequencemap", "between"),
    ("papers/tracr_pair_balance", "balance"),
    ("papers/tracr_reverse", "reverse"),
    ("papers/tracr_shift_by", "shifted"),
    ("papers/tracr_shuffle_dyck", "shuffled"),
    ("papers/tracr_sort", "sorted"),
    ("papers/tracr_sort_freq", "sorted"),
    ("papers/tracr_sort_unique", "sorted"),
    ("papers/weiss2021_double_histogram", "hist2"),
    ("papers/weiss2021_dyck1", "dyck1PTF"),
    ("papers/weiss2021_dyck2", "dyck2PTF"),
    ("papers/weiss2021_dyck3", "dyck3PTF"),
    ("papers/weiss2021_histogram", "hist_nobos"),
    ("papers/weiss2021_long_addition", "longsum"),
    ("papers/weiss2021_most_frequent", "most_freq"),
    ("papers/weiss2021_reverse", "reverse"),
    ("papers/weiss2021_rover", "res"),
    ("papers/weiss2021_selector_width", "same_width"),
    ("papers/weiss2021_shuffle_dyck2", "shuffle_dyck2"),
    ("papers/weiss2021_sort", "sorted"),
];

pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples")
        .join(name)
        .with_extension("rasp")
}
