//! Measures extraction on the public benchmark `scrapinghub/article-extraction-benchmark`: 181 news pages with the text of their articles.
//!
//! ```text
//! TOOLC_ARTICLES=FOLDER cargo xtask soak articles
//! ```
//!
//! The folder is a checkout of the benchmark. The program fails if the figures are worse than [`Limits`]. The measure is the benchmark's own: texts are compared by runs of four words, each page
//! counts the same, and F1 is the harmonic mean of the means of precision and recall. Without the folder, nothing is measured.
//! `peers.py` prints the same figures for other extractors. With `TOOLC_ARTICLES_WORST=N`, the N worst pages are listed.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use toolc_extract::{Document, Options, extract};
use url::Url;

/// A page is read this many times, and the best time counts: the machine may be busy.
const RUNS: usize = 3;

struct Score {
    id: String,
    precision: Option<f64>,
    recall: Option<f64>,
    time: Duration,
    kind: String,
}

/// The least F1, and the longest times of a page.
struct Limits {
    f1: f64,
    median: Duration,
    worst: Duration,
}

const LIMITS: Limits = Limits { f1: 0.95, median: Duration::from_millis(15), worst: Duration::from_millis(100) };

fn main() -> ExitCode {
    let Some(folder) = std::env::var_os("TOOLC_ARTICLES") else {
        println!("skipped: TOOLC_ARTICLES is not set to a checkout of scrapinghub/article-extraction-benchmark");
        return ExitCode::SUCCESS;
    };
    let folder = Path::new(&folder);
    let truth = folder.join("ground-truth.json");
    let truth = match std::fs::read(&truth) {
        Ok(truth) => truth,
        Err(error) => {
            eprintln!("error: failed to read {}: {error}", truth.display());
            eprintln!("help: set TOOLC_ARTICLES to a checkout of scrapinghub/article-extraction-benchmark");
            return ExitCode::FAILURE;
        }
    };
    let truth: HashMap<String, serde_json::Value> = serde_json::from_slice(&truth).expect("the file is JSON");
    let mut scores: Vec<Score> = truth.iter().map(|(id, expected)| score(folder, id, expected)).collect();
    scores.sort_by(|a, b| a.id.cmp(&b.id));
    if report(&scores) {
        return ExitCode::SUCCESS;
    }
    let Limits { f1, median, worst } = LIMITS;
    eprintln!("error: expected F1 of at least {f1}, a median of {median:?} and at most {worst:?} a page");
    ExitCode::FAILURE
}

fn score(folder: &Path, id: &str, expected: &serde_json::Value) -> Score {
    let packed = std::fs::read(folder.join("html").join(format!("{id}.html.gz"))).expect("the checkout has the page");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&*packed).read_to_end(&mut bytes).expect("the page is compressed by gzip");
    let text = |name: &str| expected.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
    let address =
        Url::parse(text("url")).unwrap_or_else(|_| Url::parse("https://example.com/").expect("it is an address"));
    let document = Document { bytes: &bytes, content_type: Some("text/html"), address: &address };
    let mut best: Option<(Duration, toolc_extract::Page)> = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        let page = extract(&document, &Options::default()).expect("the benchmark has only pages");
        let time = start.elapsed();
        if best.as_ref().is_none_or(|(before, _)| time < *before) {
            best = Some((time, page));
        }
    }
    let (time, page) = best.expect("there is at least one run");
    let (precision, recall) = compare(&without_markdown(&page.markdown), text("articleBody"));
    if let Some(out) = std::env::var_os("TOOLC_ARTICLES_OUT") {
        let _ = std::fs::write(Path::new(&out).join(format!("{id}.md")), &page.markdown);
        let _ = std::fs::write(Path::new(&out).join(format!("{id}.true")), text("articleBody"));
    }
    Score { id: id.to_owned(), precision, recall, time, kind: format!("{:?} {}", page.kind, page.quality) }
}

/// Prints the figures. Returns whether they are within the limits.
fn report(scores: &[Score]) -> bool {
    let mean =
        |values: Vec<f64>| values.iter().sum::<f64>() / f64::from(u32::try_from(values.len()).unwrap_or(1).max(1));
    let precision = mean(scores.iter().filter_map(|score| score.precision).collect());
    let recall = mean(scores.iter().filter_map(|score| score.recall).collect());
    let mut times: Vec<Duration> = scores.iter().map(|score| score.time).collect();
    times.sort();
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    let f1 = 2.0 * precision * recall / (precision + recall);
    println!("pages {}  F1 {f1:.3}  precision {precision:.3}  recall {recall:.3}", scores.len());
    println!("a page: median {:.1} ms  worst {:.1} ms", median.as_secs_f64() * 1e3, worst.as_secs_f64() * 1e3);
    let listed: usize = std::env::var("TOOLC_ARTICLES_WORST").ok().and_then(|number| number.parse().ok()).unwrap_or(0);
    print_worst(scores, listed);
    f1 >= LIMITS.f1 && median < LIMITS.median && worst < LIMITS.worst
}

fn print_worst(scores: &[Score], listed: usize) {
    let f1_of = |score: &Score| {
        let (precision, recall) = (score.precision.unwrap_or(0.0), score.recall.unwrap_or(1.0));
        2.0 * precision * recall / (precision + recall).max(1e-9)
    };
    let mut worst: Vec<&Score> = scores.iter().collect();
    worst.sort_by(|a, b| f1_of(a).total_cmp(&f1_of(b)));
    for score in worst.into_iter().take(listed) {
        let Score { id, precision, recall, time, kind } = score;
        println!(
            "{} precision {:.3} recall {:.3} {} ms {kind}",
            &id[..12],
            precision.unwrap_or(-1.0),
            recall.unwrap_or(-1.0),
            time.as_millis()
        );
    }
}

/// Precision and recall of runs of four words. A measure that is not defined is left out of the mean.
fn compare(found: &str, expected: &str) -> (Option<f64>, Option<f64>) {
    let (found, expected) = (words(found), words(expected));
    let (found, expected) = (shingles(&found), shingles(&expected));
    let common: usize =
        found.iter().map(|(shingle, count)| expected.get(shingle).map_or(0, |other| *count.min(other))).sum();
    let (of_found, of_expected): (usize, usize) = (found.values().sum(), expected.values().sum());
    let share = |total: usize, other: usize| {
        let ratio = |a: usize, b: usize| {
            f64::from(u32::try_from(a).unwrap_or(u32::MAX)) / f64::from(u32::try_from(b).unwrap_or(u32::MAX))
        };
        (total > 0).then(|| if other == 0 { 0.0 } else { ratio(common, total) })
    };
    (share(of_found, of_expected), share(of_expected, of_found))
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect()
}

/// How often each run of four words occurs. A shorter text is one run.
fn shingles<'w>(words: &'w [&'w str]) -> HashMap<&'w [&'w str], usize> {
    let mut counts = HashMap::new();
    let runs = if words.len() < 4 { vec![words] } else { words.windows(4).collect() };
    for run in runs.into_iter().filter(|run| !run.is_empty()) {
        *counts.entry(run).or_insert(0) += 1;
    }
    counts
}

/// The text of Markdown, without images, the addresses of links, and markers.
fn without_markdown(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(c) = rest.chars().next() {
        let mut size = c.len_utf8();
        match c {
            '\\' => {
                // What is escaped is text.
                if let Some(next) = rest[1..].chars().next().filter(char::is_ascii_punctuation) {
                    out.push(next);
                    size += 1;
                }
            }
            '!' if rest.starts_with("![") => {
                size = rest.find("](").and_then(|at| Some(at + rest[at..].find(')')? + 1)).unwrap_or(size);
            }
            ']' if rest.starts_with("](") => size = rest.find(')').map_or(size, |end| end + 1),
            '*' | '`' | '[' | ']' | '~' | '|' => {}
            '#' | '>' if out.ends_with('\n') || out.is_empty() => {}
            '_' => out.push('_'),
            c => out.push(c),
        }
        rest = &rest[size..];
    }
    out
}
