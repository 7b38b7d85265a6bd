"""Lines {"url", "file"} to lines {"url", "markdown"}, by trafilatura."""

import gzip
import json
import sys

import trafilatura

for line in sys.stdin:
    page = json.loads(line)
    with open(page["file"], "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    try:
        text = trafilatura.extract(
            data,
            url=page["url"],
            output_format="markdown",
            include_links=True,
            include_tables=True,
            include_formatting=True,
            include_images=True,
        )
    except Exception:  # A page that it cannot read gives nothing.
        text = None
    print(json.dumps({"url": page["url"], "markdown": text or ""}), flush=True)
