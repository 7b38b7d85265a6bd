"""Writes the synchronous client from the asynchronous one.

unasync_client.py SOURCE TARGET
"""

import shutil
import sys
from pathlib import Path

import unasync

WORDS = {
    "AsyncClient": "Client",
    "AsyncGenerator": "Generator",
    "aclosing": "closing",
    "aclose": "close",
    "aiter_bytes": "iter_bytes",
    "aiter_lines": "iter_lines",
    "aread": "read",
    "asynccontextmanager": "contextmanager",
    "pause_async": "pause",
    **{
        f"Async{name}": name
        for name in (
            "AccountResource",
            "Job",
            "Jobs",
            "Lists",
            "Schedules",
            "Transport",
            "Trawl",
            "Webhooks",
        )
    },
}

source, target = Path(sys.argv[1]), Path(sys.argv[2])
shutil.rmtree(target, ignore_errors=True)
target.mkdir()
rule = unasync.Rule(f"{source}/", f"{target}/", additional_replacements=WORDS)
unasync.unasync_files([str(file) for file in sorted(source.glob("*.py"))], [rule])
for file in target.glob("*.py"):
    text = file.read_text()
    text = text.replace("`AsyncJob.wait`", "`Job.wait`").replace("_async", "_sync")
    note = "# Generated from ../_async by scripts/generate-sdk-models. Do not edit.\n\n"
    file.write_text(note + text)
