"""The examples of the documentation, run as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from server import ROOT, Server

PAGES = ["sdk/python/README.md", "docs/sdk-python.md"]


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page: str, server: Server, tmp_path: Path) -> None:
    text = (ROOT / page).read_text()
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert examples
    env = {
        "TRAWL_URL": server.url,
        "TRAWL_KEY": server.key,
        "PYTHONPATH": str(ROOT / "sdk/python/src"),
        "PATH": "",
    }
    for example in examples:
        ended = subprocess.run(
            [sys.executable, "-c", example],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, f"{example}\n{ended.stderr}"
