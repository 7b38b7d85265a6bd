"""What schemathesis does not know of the OpenAPI document: bodies of lines, and pages that exist."""

import schemathesis
from schemathesis import GenerationMode

SAMPLE_PAGE = "https://shop.lab.test/"


@schemathesis.serializer("application/x-ndjson", "text/plain")
def lines_of(_context, value):
    """Lists of URLs are texts: the examples of the document are valid, other texts are refused."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Reads a page of the sample sites, which are built in: others cannot be reached."""
    generation = case.meta.generation if case.meta else None
    is_valid = generation is not None and generation.mode == GenerationMode.POSITIVE
    if case.operation.label == "POST /v1/pages" and is_valid and isinstance(case.body, dict):
        case.body["url"] = SAMPLE_PAGE
