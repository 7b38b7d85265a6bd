//! Charts as inline SVG, rendered by the server, each with its numbers as text.

use maud::{Markup, html};

use crate::number_format::number;

/// The size of a curve in SVG units; the style sheet scales it.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 100.0;

/// A bar with its label and value.
#[derive(Debug, Clone)]
pub(crate) struct ChartBar {
    pub label: Markup,
    pub value: u64,
    /// A colour class of the style sheet: `good`, `warn`, `bad`, or empty.
    pub tone: &'static str,
}

/// A bar chart, one bar per row.
pub(crate) fn bars(bars: &[ChartBar]) -> Markup {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(0).max(1);
    html! {
        div.bars {
            @for bar in bars {
                span { (bar.label) }
                svg aria-hidden="true" preserveAspectRatio="none" {
                    rect class=(bar.tone) height="100%" rx="2"
                        width={ (format_args!("{:.2}", share(bar.value, most))) "%" } {}
                }
                span.number { (number(bar.value)) }
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a bar is approximate")]
fn share(value: u64, most: u64) -> f64 {
    value as f64 / most as f64 * 100.0
}

/// A point of a curve: a value at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ChartPoint {
    /// Milliseconds since the epoch.
    pub at: i64,
    pub value: f64,
}

/// A curve with a filled area below it. `run.js` appends live values.
pub(crate) fn curve(id: &str, points: &[ChartPoint], described: &str) -> Markup {
    let line = line(points);
    let area = line.as_ref().map(|line| format!("M0,{HEIGHT} L{line} L{WIDTH},{HEIGHT} Z"));
    let pairs: Vec<_> =
        points.iter().map(|point| format!("{},{:.2}", point.at, point.value)).collect();
    html! {
        svg.plot id=(id) role="img" aria-label=(described) viewBox={ "0 0 " (WIDTH) " " (HEIGHT) }
            preserveAspectRatio="none" data-points=(pairs.join(" ")) {
            path.area d=(area.unwrap_or_default()) {}
            path.curve d=(line.map(|line| format!("M{line}")).unwrap_or_default()) {}
            path.base d={ "M0," (HEIGHT) " H" (WIDTH) } {}
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a curve is approximate")]
fn line(points: &[ChartPoint]) -> Option<String> {
    let (first, last) = (points.first()?, points.last()?);
    let span = (last.at - first.at).max(1) as f64;
    let most = points.iter().map(|point| point.value).fold(1.0, f64::max);
    let places: Vec<_> = points
        .iter()
        .map(|point| {
            let x = (point.at - first.at) as f64 / span * WIDTH;
            let y = HEIGHT - point.value / most * (HEIGHT - 6.0);
            format!("{x:.1},{y:.1}")
        })
        .collect();
    (places.len() > 1).then(|| places.join(" L"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_bar_has_full_width() {
        let bar = |value| ChartBar { label: html! { "<b>" }, value, tone: "" };
        let shown = bars(&[bar(10), bar(5), bar(0)]).into_string();
        for width in ["\"100.00%\"", "\"50.00%\"", "\"0.00%\""] {
            assert!(shown.contains(width), "{shown}");
        }
        assert!(shown.contains("&lt;b&gt;"));
    }

    #[test]
    fn curve_needs_two_points() {
        let point = |at, value| ChartPoint { at, value };
        assert_eq!(line(&[point(0, 1.0)]), None);
        assert_eq!(
            line(&[point(0, 0.0), point(10, 4.0), point(20, 2.0)]).as_deref(),
            Some("0.0,100.0 L300.0,6.0 L600.0,53.0")
        );
    }
}
