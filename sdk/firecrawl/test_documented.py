"""Every field that the official Python clients can send has a row in docs/firecrawl.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import pytest
from firecrawl.v1 import client as v1
from firecrawl.v2 import types
from pydantic import BaseModel

PAGE = (Path(__file__).parents[2] / "docs/firecrawl.md").read_text(encoding="utf-8")


def plain(name: str) -> str:
    """The name without the conventions of a language: the clients write `include_paths`."""
    return name.replace("_", "").lower()


def rows(heading: str) -> set[str]:
    """The names in the first column of the tables below a heading."""
    start = PAGE.index(f"\n{heading}\n")
    below = PAGE[start + 1 :].partition("\n")[2]
    section = re.split(r"^#", below, maxsplit=1, flags=re.MULTILINE)[0]
    return set(re.findall(r"^\| `([^`]+)` \|", section, flags=re.MULTILINE))


EVERY = rows("### Every scrape: `scrape`, `batch/scrape` and `scrapeOptions` of `crawl`")
SCRAPE = EVERY | rows("### `scrape`, besides those of every scrape")
JOB = EVERY | rows(
    "### `batch/scrape` and `scrapeOptions` of `crawl`, besides those of every scrape"
)
BATCH = JOB | rows("### `batch/scrape`, besides those before")
CRAWL = rows("### `crawl`")
MAP = rows("### `map`")
FORMATS = rows("## Formats")


def missing(names: Iterable[str], documented: set[str]) -> set[str]:
    known = {plain(name) for name in documented}
    return {name for name in names if plain(name) not in known}


@pytest.mark.parametrize(
    ("model", "documented", "apart"),
    [
        (types.ScrapeOptions, SCRAPE, set()),
        # Summaries of tools are for `scrape` only.
        (types.ScrapeOptions, JOB, set()),
        (types.CrawlRequest, CRAWL, set()),
        # The options of a batch are members of its body.
        (types.BatchScrapeRequest, BATCH, {"options"}),
        (types.MapOptions, MAP, set()),
        (types.WebhookConfig, {"url", "events", "headers", "metadata"}, set()),
        (v1.V1ScrapeOptions, SCRAPE, set()),
        (v1.V1ScrapeParams, SCRAPE, set()),
        (v1.V1ScrapeOptions, JOB, set()),
        (v1.V1CrawlParams, CRAWL, set()),
        (v1.V1MapParams, MAP, set()),
    ],
)
def test_every_field_of_a_request_is_documented(
    model: type[BaseModel], documented: set[str], apart: set[str]
) -> None:
    names = set(model.model_fields) - apart
    assert len(names) > 3
    assert missing(names, documented) == set()


def literals(annotation: Any) -> set[str]:
    """The texts of all `Literal`s in a type."""
    if isinstance(annotation, str):
        return {annotation}
    return set().union(*(literals(part) for part in get_args(annotation)))


def test_every_format_is_documented() -> None:
    names = literals(types.FormatString)
    names |= literals(v1.V1ScrapeOptions.model_fields["formats"].annotation)
    assert {"markdown", "changeTracking"} <= names
    assert missing(names, FORMATS) == set()


def test_every_action_is_documented() -> None:
    actions = types.ScrapeOptions.model_fields["actions"].annotation
    named = get_args(get_args(get_args(actions)[0])[0])
    classes = [vars(types)[one.__forward_arg__] for one in named]
    kinds = set().union(*(literals(one.model_fields["type"].annotation) for one in classes))
    section = PAGE.partition("\n## Actions\n")[2].partition("\n## ")[0]
    assert {"click", "executeJavascript"} <= kinds
    assert {kind for kind in kinds if f"`{kind}`" not in section} == set()
