//! Follows the links of a site, and writes the text of each page to a file of rows.
//!
//! [`scope`] and [`address`] say which links are followed, and which addresses are one page. A [`frontier`] has the addresses that are still to
//! be visited. [`run`] decides which one is next and takes what [`visit`] brings, and [`files`] has the rows and the state, with which a later
//! call continues.

mod address;
mod files;
mod frontier;
mod run;
mod scope;
mod visit;

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use toolc::{Call, HandlerReply, ToolError, ToolOutput};
use toolc_catalog::web::web_crawl::{Args, Returns, ReturnsEnded, Scope as ScopeWord};

use crate::web::Web;
use files::CrawlFiles;
use frontier::Frontier;
use run::{Budget, Crawl, Ended, Known, Progress, Summary};
use scope::{Reach, Scope, ScopeSettings};

/// Starts or continues a crawl on a thread. If the call is cancelled, returns the name of the crawl, and what it has done so far.
///
/// # Errors
/// If the start or the name of an earlier crawl is not valid, the start cannot be read, or the files cannot be written.
pub(crate) async fn handle(web: &Arc<Web>, args: Args, call: &Call<'_>) -> Result<Returns, ToolError> {
    let (progress, returned) = (Arc::<Progress>::default(), Arc::<Mutex<Option<Returns>>>::default());
    let (web, known, slot) = (Arc::clone(web), Arc::clone(&progress), Arc::clone(&returned));
    let reply = HandlerReply::blocking(call, move |call| {
        let returns = crawl(&web, &args, call, &known)?;
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(returns);
        Ok(ToolOutput::text(""))
    });
    let mut running = match reply {
        HandlerReply::Async(running) => running,
        HandlerReply::Ready(result) => Box::pin(std::future::ready(result)),
    };
    let mut cancelled = pin!(call.cancelled());
    poll_fn(|context| {
        if let Poll::Ready(result) = running.as_mut().poll(context) {
            let returns = || returned.lock().unwrap_or_else(PoisonError::into_inner).take();
            let failed = || ToolError::new("the crawl has no result");
            return Poll::Ready(result.and_then(|_| returns().ok_or_else(failed)));
        }
        let is_cancelled = cancelled.as_mut().poll(context).is_ready();
        match progress.known().filter(|_| is_cancelled) {
            Some(known) => Poll::Ready(Ok(cancelled_at(known))),
            None => Poll::Pending,
        }
    })
    .await
}

/// Returns the result of a call that is cancelled. The thread notices that soon, and saves the state.
fn cancelled_at(known: Known) -> Returns {
    let Known { name, rows_path, rows, left } = known;
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    Returns {
        file: rows_path.display().to_string(),
        pages: number(rows),
        ended: ReturnsEnded::Cancelled,
        resume: (left > 0).then_some(name),
        left: number(left),
        titles: Vec::new(),
        skipped: None,
        failed: None,
        note: None,
    }
}

fn crawl(web: &Arc<Web>, args: &Args, call: &Call<'_>, progress: &Progress) -> Result<Returns, ToolError> {
    let Some(folder) = &web.settings.results else {
        return Err(ToolError::new("this program has no folder for the results of a crawl"));
    };
    let io = |error: std::io::Error| ToolError::new(format!("the files of the crawl cannot be used: {error}"));
    let (mut files, settings, frontier) = match (&args.url, &args.resume) {
        (Some(url), None) => {
            let start = web.target(url).map_err(ToolError::new)?;
            let settings = settings(start.url(), args);
            // Before there are files.
            Scope::new(&settings).map_err(ToolError::new)?;
            (CrawlFiles::create(folder).map_err(io)?, settings, Frontier::new(start.url()))
        }
        (None, Some(_)) if args.include.is_some() || args.exclude.is_some() => {
            let error =
                "a crawl is continued with its own globs: leave `include` and `exclude` out, or start one with `url`";
            return Err(ToolError::new(error));
        }
        (None, Some(name)) => CrawlFiles::open(folder, name).map_err(ToolError::new)?,
        _ => {
            return Err(ToolError::new(
                "either `url` or `resume` is needed, not both: `url` starts a crawl, and `resume` continues one",
            ));
        }
    };
    let budget = budget(args, web);
    progress.note(&files, frontier.left());
    let crawl = Crawl::new(web, call, (&mut files, progress), (settings, frontier), budget).map_err(ToolError::new)?;
    let (ended, summary, left) = crawl.run().map_err(io)?;
    if files.rows() == 0
        && left == 0
        && let Some(failed) = summary.failed.first()
    {
        let error = ToolError::new(format!("no page could be read: {failed}"));
        files.delete();
        return Err(error);
    }
    Ok(returns(ended, summary, left, &files))
}

fn budget(args: &Args, web: &Web) -> Budget {
    let count = |number: i64| usize::try_from(number).unwrap_or_default();
    let minutes = u32::try_from(args.max_minutes).unwrap_or(1);
    Budget {
        pages: count(args.max_pages),
        depth: count(args.max_depth),
        bytes: web.settings.crawl_bytes,
        time: Duration::from_mins(1).saturating_mul(minutes),
    }
}

fn settings(start: &url::Url, args: &Args) -> ScopeSettings {
    ScopeSettings {
        start: start.clone(),
        reach: match args.scope {
            ScopeWord::Section => Reach::Section,
            ScopeWord::Host => Reach::Host,
            ScopeWord::Domain => Reach::Domain,
        },
        include: args.include.clone().unwrap_or_default(),
        exclude: args.exclude.clone().unwrap_or_default(),
    }
}

fn returns(ended: Ended, summary: Summary, left: usize, files: &CrawlFiles) -> Returns {
    let Summary { titles, skipped, failed, mut notes, warnings } = summary;
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    if warnings > 0 {
        notes.push(format!("{warnings} of the new rows have a `warning` about their text"));
    }
    Returns {
        file: files.rows_path().display().to_string(),
        pages: number(files.rows()),
        ended: match ended {
            Ended::Complete => ReturnsEnded::Complete,
            Ended::Pages => ReturnsEnded::MaxPages,
            Ended::Depth => ReturnsEnded::MaxDepth,
            Ended::Bytes => ReturnsEnded::MaxBytes,
            Ended::Time => ReturnsEnded::Time,
            Ended::Cancelled => ReturnsEnded::Cancelled,
        },
        resume: (left > 0).then(|| files.name().to_owned()),
        left: number(left),
        titles,
        skipped: (!skipped.is_empty())
            .then(|| skipped.into_iter().map(|(reason, count)| (reason.to_owned(), number(count))).collect()),
        failed: (!failed.is_empty()).then_some(failed),
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    }
}
