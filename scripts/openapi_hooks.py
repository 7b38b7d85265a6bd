"""What schemathesis cannot make from the OpenAPI document: lines of JSON, and pages that exist."""

import json

import schemathesis
from hypothesis import strategies
from schemathesis import GenerationMode

SAMPLE_PAGE = "https://shop.lab.test/"

names = strategies.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=20)
urls = names.map(lambda name: f"https://{name}.example/{name}")
lines = strategies.one_of(
    urls.map(json.dumps), urls.map(lambda url: json.dumps({"url": url})), strategies.just("")
)
# The first line has a URL: a list without one is an error.
schemathesis.openapi.media_type(
    "application/x-ndjson",
    strategies.tuples(urls.map(json.dumps), strategies.lists(lines, max_size=5)).map(
        lambda parts: "\n".join([parts[0], *parts[1]]).encode()
    ),
)


@schemathesis.serializer("application/x-ndjson", "text/plain")
def lines_of(_context, value):
    """Examples are texts."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Reads a page of the sample sites, which are built in: others cannot be reached."""
    generation = case.meta.generation if case.meta else None
    is_valid = generation is not None and generation.mode == GenerationMode.POSITIVE
    if case.operation.label == "POST /v1/pages" and is_valid and isinstance(case.body, dict):
        case.body["url"] = SAMPLE_PAGE
