"""Times the programs of `cargo bench --bench interpret` as the literal semantics has them: every
selector a matrix of bools, every mean over a row of it, in NumPy. Optional: `pip install numpy`,
then `python3 benches/reference_numpy.py`. Prints milliseconds, the least of several runs."""

import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit("this script needs NumPy (`pip install numpy`); the benches of rasp run without it")

LENGTHS = [100, 200, 400, 800, 1600]


def select(keys, queries, compare):
    """A row for each query, a column for each key."""
    return compare(keys[np.newaxis, :], queries[:, np.newaxis])


def width(selector):
    return selector.sum(axis=1)


def aggregate(selector, values, default=0):
    count = width(selector)
    total = selector @ values.astype(float)
    return np.where(count == 0, default, total / np.maximum(count, 1))


def indices(tokens):
    return np.arange(len(tokens))


def length(tokens):
    return width(np.ones((len(tokens), len(tokens)), dtype=bool))


def hist(tokens):
    return width(select(tokens, tokens, np.equal))


def double_hist(tokens):
    count = hist(tokens)
    at = indices(tokens)
    earlier = select(tokens, tokens, np.equal) & select(at, at, np.less)
    first = width(earlier) == 0
    return width(select(count, count, np.equal) & first[np.newaxis, :])


def reverse(tokens):
    at = indices(tokens)
    return aggregate(select(at, length(tokens) - at - 1, np.equal), tokens)


def sort(tokens, key=None):
    key = tokens if key is None else key
    at = indices(tokens)
    equal = select(key, key, np.equal) & select(at, at, np.less)
    place = width(select(key, key, np.less) | equal)
    return aggregate(select(place, at, np.equal), tokens)


def sort_by_frequency(tokens):
    return sort(tokens, -hist(tokens))


def two_orders(tokens):
    at = indices(tokens)
    return width(select(tokens, tokens, np.less) & select(at, at, np.less))


def two_orders_in_groups(tokens):
    group = tokens % 100
    at = indices(tokens)
    inside = select(group, group, np.equal) & select(tokens, tokens, np.less)
    return width(inside & select(at, at, np.less))


def mean_before(tokens):
    at = indices(tokens)
    return aggregate(select(at, at, np.less_equal), tokens / 7)


def dyck1(tokens):
    """-1, 0 or 1 for each prefix; brackets are 0 and 1."""
    at = indices(tokens)
    before = select(at, at, np.less_equal)
    opened = (at + 1) * aggregate(before, tokens == 0)
    closed = (at + 1) * aggregate(before, tokens == 1)
    depth = np.round(opened - closed)
    broken = aggregate(before, depth < 0) > 0
    return np.where(broken, -1, depth == 0)


PROGRAMS = [
    ("hist", hist, 26),
    ("double hist", double_hist, 26),
    ("reverse", reverse, 26),
    ("sort", sort, 1 << 40),
    ("sort by frequency", sort_by_frequency, 64),
    ("Dyck-1 PTF", dyck1, 2),
    ("two orders", two_orders, 1 << 40),
    ("two orders in groups", two_orders_in_groups, 1 << 40),
    ("mean before", mean_before, 1 << 40),
]


def least(run):
    best = float("inf")
    begin = time.perf_counter()
    for round_ in range(7):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
        if round_ >= 2 and time.perf_counter() - begin > 2:
            break
    return best * 1e3


def check():
    """That these are the programs meant."""
    tokens = np.array([3, 1, 2, 1])
    assert hist(tokens).tolist() == [1, 2, 1, 2]
    assert double_hist(tokens).tolist() == [2, 1, 2, 1]
    assert reverse(tokens).tolist() == [1, 2, 1, 3]
    assert sort(tokens).tolist() == [1, 1, 2, 3]
    assert sort_by_frequency(tokens).tolist() == [1, 1, 3, 2]
    assert two_orders(tokens).tolist() == [0, 0, 1, 0]
    assert dyck1(np.array([0, 1, 1])).tolist() == [0, 1, -1]


def main():
    check()
    random = np.random.default_rng(0)
    print("milliseconds        " + "".join(f"{n:>9}" for n in LENGTHS))
    for name, program, values in PROGRAMS:
        times = []
        for n in LENGTHS:
            tokens = random.integers(0, values, n)
            times.append(least(lambda: program(tokens)))
        print(f"{name:<20}" + "".join(f"{t:>9.3f}" for t in times))


if __name__ == "__main__":
    main()
