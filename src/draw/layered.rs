//! Graphs in layers: readers below what they read, in an order with few crossings (Sugiyama, Tagawa
//! and Toda 1981, with barycentres), edges that pass a layer going round its boxes.

use super::drawing::{Graph, Node, Role};
use super::places::Drawn;
use super::scene::{Anchor, Area, Paint, Text, cut, measure};
use super::svg::number;
use rustc_hash::FxHashMap;

const NAME: f64 = 13.0;
const DETAIL: f64 = 10.0;
const LONGEST: usize = 38;
const BETWEEN: f64 = 22.0;
const BETWEEN_EDGES: f64 = 6.0;
const DOWN: f64 = 46.0;

/// The boxes of one row are together as wide as this, at most; further ones go into rows below.
const WIDE: f64 = 1500.0;

/// Sweeps that order the boxes of each layer.
const SWEEPS: usize = 12;

/// Points that edges pass at most; beyond, they go straight.
const MOST_POINTS: usize = 20_000;

/// A box, or a point that an edge passes.
struct Place {
    node: Option<usize>,
    width: f64,
    center: f64,
}

/// The places of an edge from top to bottom.
struct Route {
    edge: usize,
    places: Vec<usize>,
}

pub(super) fn graph(graph: &Graph) -> Drawn {
    let mut layers = Layers::new(graph);
    layers.order();
    layers.spread();
    layers.draw()
}

struct Layers<'g> {
    graph: &'g Graph,
    places: Vec<Place>,
    ranks: Vec<Vec<usize>>,
    /// The rank of each place.
    rank: Vec<usize>,
    routes: Vec<Route>,
    up: Vec<Vec<usize>>,
    down: Vec<Vec<usize>>,
}

fn lines(node: &Node) -> (String, String) {
    let layer = match node.layer {
        0 => String::new(),
        layer => format!("layer {layer}"),
    };
    (cut(&node.text, LONGEST), layer)
}

fn size(node: &Node) -> (f64, f64) {
    let (text, layer) = lines(node);
    let name = measure(&cut(&node.name, LONGEST), NAME);
    let detail = measure(&text, DETAIL).max(measure(&layer, DETAIL));
    let heights = [(&node.name, 17.0), (&text, 14.0), (&layer, 14.0)];
    let height = heights.iter().filter(|(text, _)| !text.is_empty());
    (
        name.max(detail) + 20.0,
        height.map(|(_, height)| height).sum::<f64>() + 12.0,
    )
}

/// The ranks of boxes where those that are too wide are several.
fn wrapped(graph: &Graph, rank: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank.len()).collect();
    order.sort_by_key(|at| rank[*at]);
    let mut rows = vec![0; rank.len()];
    let mut row = 0;
    for boxes in order.chunk_by(|a, b| rank[*a] == rank[*b]) {
        let widths = boxes.iter().map(|at| size(&graph.nodes[*at]).0 + BETWEEN);
        let width: f64 = widths.sum();
        // As many in each row as in the others.
        let count = (width / WIDE).ceil().max(1.0) as usize;
        for boxes in boxes.chunks(boxes.len().div_ceil(count)) {
            boxes.iter().for_each(|at| rows[*at] = row);
            row += 1;
        }
    }
    rows
}

impl Place {
    /// How far it must be from what stands beside it.
    fn margin(&self) -> f64 {
        match self.node {
            Some(_) => BETWEEN / 2.0,
            None => BETWEEN_EDGES / 2.0,
        }
    }

    fn room(&self) -> f64 {
        self.width + 2.0 * self.margin()
    }
}

impl<'g> Layers<'g> {
    fn new(graph: &'g Graph) -> Layers<'g> {
        let numbers: FxHashMap<&str, usize> = graph
            .nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (&*node.id, at))
            .collect();
        let edges: Vec<(usize, usize, usize)> = graph
            .edges
            .iter()
            .enumerate()
            .filter_map(|(at, edge)| {
                let (from, to) = (numbers.get(&*edge.from)?, numbers.get(&*edge.to)?);
                (from < to).then_some((at, *from, *to))
            })
            .collect();
        let mut rank = vec![0usize; graph.nodes.len()];
        let mut sorted = edges.clone();
        sorted.sort_by_key(|(_, _, to)| *to);
        for (_, from, to) in &sorted {
            rank[*to] = rank[*to].max(rank[*from] + 1);
        }
        // What reads nothing stands right above its first reader.
        for node in 0..graph.nodes.len() {
            if edges.iter().all(|(_, _, to)| *to != node) {
                let readers = edges.iter().filter(|(_, from, _)| *from == node);
                rank[node] = readers.map(|(_, _, to)| rank[*to] - 1).min().unwrap_or(0);
            }
        }
        let rank = wrapped(graph, &rank);
        let count = rank.iter().max().map_or(0, |last| last + 1);
        let mut layers = Layers {
            graph,
            places: Vec::new(),
            ranks: vec![Vec::new(); count],
            rank: Vec::new(),
            routes: Vec::new(),
            up: Vec::new(),
            down: Vec::new(),
        };
        for (at, node) in graph.nodes.iter().enumerate() {
            layers.place(Some(at), size(node).0, rank[at]);
        }
        let points: usize = edges
            .iter()
            .map(|(_, from, to)| rank[*to] - rank[*from] - 1)
            .sum();
        // Edges of one source share the points that they pass.
        let mut passed: FxHashMap<(usize, usize, Role), usize> = FxHashMap::default();
        for (edge, from, to) in edges {
            let role = graph.edges[edge].role;
            let mut places = vec![from];
            if points <= MOST_POINTS {
                for between in rank[from] + 1..rank[to] {
                    let known = passed.get(&(from, between, role)).copied();
                    let point = known.unwrap_or_else(|| layers.place(None, 4.0, between));
                    passed.insert((from, between, role), point);
                    places.push(point);
                }
            }
            places.push(to);
            for pair in places.windows(2) {
                layers.down[pair[0]].push(pair[1]);
                layers.up[pair[1]].push(pair[0]);
            }
            layers.routes.push(Route { edge, places });
        }
        layers
    }

    fn place(&mut self, node: Option<usize>, width: f64, rank: usize) -> usize {
        let at = self.places.len();
        self.places.push(Place {
            node,
            width,
            center: 0.0,
        });
        self.ranks[rank].push(at);
        self.rank.push(rank);
        self.up.push(Vec::new());
        self.down.push(Vec::new());
        at
    }

    /// Orders each layer by where its neighbours stand in the next.
    fn order(&mut self) {
        let mut position = vec![0.0; self.places.len()];
        for rank in &self.ranks {
            for (at, place) in rank.iter().enumerate() {
                position[*place] = at as f64;
            }
        }
        for sweep in 0..SWEEPS {
            let neighbours = if sweep % 2 == 0 { &self.up } else { &self.down };
            for rank in &mut self.ranks {
                let mean = |place: usize| match neighbours[place].len() {
                    0 => position[place],
                    count => {
                        let sum: f64 = neighbours[place].iter().map(|at| position[*at]).sum();
                        sum / count as f64
                    }
                };
                let mut keyed: Vec<(f64, usize)> =
                    rank.iter().map(|place| (mean(*place), *place)).collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                *rank = keyed.into_iter().map(|(_, place)| place).collect();
                for (at, place) in rank.iter().enumerate() {
                    position[*place] = at as f64;
                }
            }
        }
    }

    /// Moves each box towards the middle of its neighbours, as far as the others of its layer let it.
    fn spread(&mut self) {
        for rank in &self.ranks {
            let mut x = 0.0;
            for place in rank {
                let found = &mut self.places[*place];
                found.center = x + found.room() / 2.0;
                x += found.room();
            }
            for place in rank {
                self.places[*place].center -= x / 2.0;
            }
        }
        for sweep in 0..2 * SWEEPS {
            let downwards = sweep % 2 == 0;
            let ranks: Vec<usize> = match downwards {
                true => (0..self.ranks.len()).collect(),
                false => (0..self.ranks.len()).rev().collect(),
            };
            for rank in ranks {
                self.settle(rank, downwards);
            }
        }
    }

    fn settle(&mut self, rank: usize, downwards: bool) {
        let order = &self.ranks[rank];
        let wanted: Vec<f64> = order
            .iter()
            .map(|place| {
                let near = if downwards {
                    &self.up[*place]
                } else {
                    &self.down[*place]
                };
                match near.len() {
                    0 => self.places[*place].center,
                    count => {
                        near.iter().map(|at| self.places[*at].center).sum::<f64>() / count as f64
                    }
                }
            })
            .collect();
        let apart = |a: usize, b: usize| {
            (self.places[order[a]].room() + self.places[order[b]].room()) / 2.0
        };
        // Two ways to keep apart, from the left and from the right; their mean keeps apart, too.
        let mut right = wanted.clone();
        for at in 1..right.len() {
            right[at] = right[at].max(right[at - 1] + apart(at - 1, at));
        }
        let mut left = wanted;
        for at in (0..left.len().saturating_sub(1)).rev() {
            left[at] = left[at].min(left[at + 1] - apart(at, at + 1));
        }
        for (at, place) in self.ranks[rank].iter().enumerate() {
            self.places[*place].center = (left[at] + right[at]) / 2.0;
        }
    }

    fn draw(&self) -> Drawn {
        let edge = |sign: f64| {
            let ends = self
                .places
                .iter()
                .map(move |place| sign * place.center + place.width / 2.0);
            ends.fold(f64::NEG_INFINITY, f64::max)
        };
        let (left, right) = (edge(-1.0), edge(1.0));
        let heights: Vec<f64> = self
            .ranks
            .iter()
            .map(|rank| {
                let nodes = rank.iter().filter_map(|place| self.places[*place].node);
                nodes
                    .map(|at| size(&self.graph.nodes[at]).1)
                    .fold(0.0, f64::max)
            })
            .collect();
        let mut tops = Vec::new();
        let mut y = 0.0;
        for height in &heights {
            tops.push(y);
            y += height + DOWN;
        }
        let mut drawn = Drawn {
            width: (left + right).max(0.0),
            height: (y - DOWN).max(0.0),
            ..Drawn::default()
        };
        let span = |place: usize| {
            let rank = self.rank[place];
            let x = left + self.places[place].center;
            let height = match self.places[place].node {
                Some(at) => size(&self.graph.nodes[at]).1,
                None => heights[rank],
            };
            let top = tops[rank] + (heights[rank] - height) / 2.0;
            (x, top, top + height)
        };
        for route in &self.routes {
            let role = self.graph.edges[route.edge].role;
            let (x, _, bottom) = span(route.places[0]);
            let mut d = format!("M{} {}", number(x), number(bottom));
            let mut from = (x, bottom);
            for (at, place) in route.places.iter().enumerate().skip(1) {
                let (x, top, bottom) = span(*place);
                let last = at + 1 == route.places.len();
                // Readers of several things are reached side by side.
                let to = if last {
                    (x + self.offset(route), top - 6.0)
                } else {
                    (x, top)
                };
                let bend = (to.1 - from.1) / 2.0;
                d.push_str(&format!(
                    "C{} {} {} {} {} {}",
                    number(from.0),
                    number(from.1 + bend),
                    number(to.0),
                    number(to.1 - bend),
                    number(to.0),
                    number(to.1)
                ));
                if !last {
                    d.push_str(&format!("V{}", number(bottom)));
                }
                from = (to.0, bottom);
                if last {
                    let head = format!("M{} {}h8l-4 7z", number(to.0 - 4.0), number(to.1 - 1.0));
                    drawn.path(head, Paint::Edge(role), 1.0);
                }
            }
            drawn.path(d, Paint::Arrow(role), 1.0);
        }
        for (place, found) in self.places.iter().enumerate() {
            if let Some(at) = found.node {
                let (x, top, _) = span(place);
                node(&mut drawn, &self.graph.nodes[at], (x, top));
            }
        }
        drawn
    }

    /// Where along the top of its reader an edge ends.
    fn offset(&self, route: &Route) -> f64 {
        let Some(to) = route.places.last() else {
            return 0.0;
        };
        let mut ends: Vec<(f64, usize)> = self
            .routes
            .iter()
            .filter(|other| other.places.last() == Some(to))
            .map(|other| {
                let before = other.places[other.places.len() - 2];
                (self.places[before].center, other.edge)
            })
            .collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let at = ends
            .iter()
            .position(|(_, edge)| *edge == route.edge)
            .unwrap_or(0);
        let step = (self.places[*to].width * 0.6 / ends.len() as f64).min(26.0);
        (at as f64 - (ends.len() - 1) as f64 / 2.0) * step
    }
}

fn node(drawn: &mut Drawn, node: &Node, (x, top): (f64, f64)) {
    let (width, height) = size(node);
    let area = Area {
        x: x - width / 2.0,
        y: top,
        width,
        height,
    };
    drawn.rect(area, 6.0, Paint::Tint(node.role));
    let (text, layer) = lines(node);
    let mut y = top + 6.0;
    let all = [
        (&node.name, NAME, 17.0, false),
        (&text, DETAIL, 14.0, false),
        (&layer, DETAIL, 14.0, true),
    ];
    for (text, size, height, faint) in all {
        if text.is_empty() {
            continue;
        }
        let mut label = Text::new(x, y + height / 2.0, size, text, Paint::Text(node.role))
            .cut(LONGEST)
            .anchored(Anchor::Middle);
        if !faint && *text != node.text {
            label.full = Some(node.text.clone());
        }
        drawn.text(label);
        y += height;
    }
}
