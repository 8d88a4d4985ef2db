//! Order of definitions that refer to each other.

/// Visits nodes so that what a node depends on comes before it. Each cycle found is passed to `on_cycle` once, as the
/// nodes along it. Without recursion: a chain of definitions may be as long as the file.
pub(crate) fn order(dependencies: &[Vec<usize>], mut on_cycle: impl FnMut(&[usize])) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; dependencies.len()];
    let mut order = Vec::with_capacity(dependencies.len());
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..dependencies.len() {
        if marks[root] != Mark::New {
            continue;
        }
        marks[root] = Mark::Open;
        stack.push((root, 0));
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            let Some(&to) = dependencies[node].get(*next) else {
                marks[node] = Mark::Done;
                order.push(node);
                stack.pop();
                continue;
            };
            *next += 1;
            match marks[to] {
                Mark::New => {
                    marks[to] = Mark::Open;
                    stack.push((to, 0));
                }
                Mark::Open => {
                    let from = stack.iter().position(|(n, _)| *n == to).unwrap_or(0);
                    let mut cycle: Vec<usize> = stack[from..].iter().map(|(n, _)| *n).collect();
                    // the chain begins with the definition that comes first in the file
                    let first = cycle.iter().enumerate().min_by_key(|(_, n)| **n);
                    let first = first.map_or(0, |(k, _)| k);
                    cycle.rotate_left(first);
                    on_cycle(&cycle);
                }
                Mark::Done => {}
            }
        }
    }
    order
}

/// `a → b → a`.
pub(crate) fn chain<'n>(cycle: &[usize], name: impl Fn(usize) -> &'n str) -> String {
    let names: Vec<&str> = cycle.iter().chain(cycle.first()).map(|k| name(*k)).collect();
    names.join(" → ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_come_first() {
        let found = order(&[vec![1], vec![2], vec![]], |_| panic!("no cycle"));
        assert_eq!(found, [2, 1, 0]);
    }

    #[test]
    fn a_cycle_is_reported_once() {
        let mut cycles = Vec::new();
        let found = order(&[vec![1], vec![2], vec![1], vec![3]], |c| {
            cycles.push(c.to_vec());
        });
        assert_eq!(cycles, [vec![1, 2], vec![3]]);
        assert_eq!(found.len(), 4);
    }
}
