"""Measures other extractors on the same pages, and in the same way, as the benchmark `articles`.

    python3 -m venv target/peers
    target/peers/bin/pip install trafilatura readability-lxml lxml_html_clean
    target/peers/bin/python extract/benches/peers.py FOLDER

FOLDER is a checkout of scrapinghub/article-extraction-benchmark.
"""

import gzip
import json
import re
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

WORD = re.compile(r"\w+")
RUNS = 3


def shingles(text):
    words = WORD.findall(text or "")
    runs = [tuple(words)] if 0 < len(words) < 4 else zip(words, words[1:], words[2:], words[3:])
    return Counter(runs)


def compare(found, expected):
    """Precision and recall, or None where there is nothing to measure."""
    found, expected = shingles(found), shingles(expected)
    common = sum((found & expected).values())
    precision = common / sum(found.values()) if found else None
    recall = common / sum(expected.values()) if expected else None
    return precision, recall


def by_trafilatura(html):
    import trafilatura

    return trafilatura.extract(html, include_comments=False) or ""


def by_trafilatura_fast(html):
    import trafilatura

    return trafilatura.extract(html, include_comments=False, fast=True) or ""


def by_readability(html):
    import lxml.html
    import readability

    summary = readability.Document(html).summary()
    return lxml.html.fromstring(summary).text_content() if summary.strip() else ""


def measure(name, extract, pages):
    precisions, recalls, times = [], [], []
    for html, expected in pages:
        best, text = None, ""
        for _ in range(RUNS):
            start = time.perf_counter()
            try:
                text = extract(html)
            except ImportError as error:
                sys.exit(f"error: {error}: install the extractors as above")
            except Exception:
                text = ""
            taken = time.perf_counter() - start
            best = taken if best is None else min(best, taken)
        precision, recall = compare(text, expected)
        precisions += [precision] if precision is not None else []
        recalls += [recall] if recall is not None else []
        times.append(best * 1000)
    precision, recall = statistics.mean(precisions), statistics.mean(recalls)
    print(
        f"{name:18} F1 {2 * precision * recall / (precision + recall):.3f}  precision {precision:.3f}  recall {recall:.3f}  "
        f"median {statistics.median(times):.1f} ms  worst {max(times):.1f} ms",
        flush=True,
    )


def main():
    folder = Path(sys.argv[1])
    truth = json.loads((folder / "ground-truth.json").read_text())
    pages = []
    for name, expected in sorted(truth.items()):
        html = gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes()).decode("utf-8", "replace")
        pages.append((html, expected.get("articleBody", "")))
    for name, extract in [
        ("trafilatura", by_trafilatura),
        ("trafilatura fast", by_trafilatura_fast),
        ("readability-lxml", by_readability),
    ]:
        measure(name, extract, pages)


if __name__ == "__main__":
    main()
