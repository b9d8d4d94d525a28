//! Prints rows of figures: toolc, the floor, the peers, and the ratio to the best peer.

/// A figure, and its ratio to that of toolc.
pub(crate) type Cell = Option<(String, Option<f64>)>;

pub(crate) fn head(names: &[&str]) {
    let names: String = names.iter().map(|name| format!("{name:>12}         ")).collect();
    println!("{:26}{names}  best peer", "");
}

/// Prints a row. Cells are in the order of the head, and `None` if there is nothing to measure.
pub(crate) fn row(name: &str, cells: impl IntoIterator<Item = Cell>) {
    let (mut text, mut best) = (String::new(), None);
    for (index, cell) in cells.into_iter().enumerate() {
        let (figure, ratio) = cell.unwrap_or(("-".into(), None));
        let multiple = ratio.filter(|_| index > 0).map_or(String::new(), times);
        text += &format!("{figure:>12}{multiple:>9}");
        if index >= crate::PEERS {
            best = [best, ratio].into_iter().flatten().reduce(f64::min);
        }
    }
    println!("{name:26}{text}{:>11}", best.map_or(String::new(), times));
}

fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2} x") } else { format!("{ratio:.0} x") }
}
