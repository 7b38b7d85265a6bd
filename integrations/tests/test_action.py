"""The GitHub Action and the MCP configurations."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml
from server import binary

INTEGRATIONS = Path(__file__).resolve().parents[1]
ACTION = INTEGRATIONS / "github-action"

PAGES = {
    "/": '<title>Home</title><a href="/fine">fine</a> <a href="/gone%0A::error::x">gone | `x`</a>',
    "/fine": "<title>Fine</title><p>Text</p>",
}


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    class Site(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

        def do_GET(self) -> None:
            page = PAGES.get(self.path)
            body = (page or "missing").encode()
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815

    http = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{http.server_port}/"
    http.shutdown()
    http.server_close()


def check(folder: Path, **inputs: str) -> tuple[int, str, dict[str, str], str]:
    """Exit code, output, outputs of the step, summary."""
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    step = action["runs"]["steps"][0]
    env = {"PATH": os.environ["PATH"], "GITHUB_ACTION_PATH": str(ACTION)}
    for name, expression in step["env"].items():
        given = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", expression)
        assert given is not None
        key = given.group(1)
        env[name] = inputs.get(key.replace("-", "_"), action["inputs"][key].get("default", ""))
    files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    env |= {name: str(file) for name, file in files.items()}
    env |= {"INPUT_TRAWL": str(binary()), "RUNNER_TEMP": str(folder)}
    ended = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        env=env,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    texts = [file.read_text() if file.exists() else "" for file in files.values()]
    outputs = dict(line.split("=", 1) for line in texts[0].splitlines())
    return ended.returncode, ended.stdout, outputs, texts[1]


def test_broken_link_fails_the_step_and_is_reported(site: str, tmp_path: Path) -> None:
    code, shown, outputs, summary = check(tmp_path, url=site)
    assert code == 1
    assert outputs["broken"] == "1"
    assert len(Path(outputs["report"]).read_text().splitlines()) == 3
    commands = [line for line in shown.splitlines() if line.startswith("::")]
    assert len(commands) == 1, shown
    assert commands[0].startswith(f"::error title=Broken link::{site}gone")
    assert f"linked from {site}" in commands[0]
    assert "1 broken links of 3 URLs" in summary
    assert "| `404` |" in summary


def test_ignored_and_tolerated_links_do_not_fail_the_step(site: str, tmp_path: Path) -> None:
    assert check(tmp_path, url=site, ignore="/gone")[0] == 0
    (tmp_path / "GITHUB_OUTPUT").unlink()
    code, _, outputs, _ = check(tmp_path, url=site, fail="false")
    assert (code, outputs["broken"]) == (0, "1")
    assert check(tmp_path, url=f"{site}fine", arguments="--one-page")[0] == 0


def test_unreachable_site_is_another_exit_code(tmp_path: Path) -> None:
    code, shown, _, _ = check(tmp_path, url="http://127.0.0.1:1/")
    assert code == 3
    assert "could not be crawled" in shown


@pytest.mark.parametrize("name", ["claude-desktop.json", "cursor.json", "vscode.json"])
def test_configuration_is_json_and_names_the_server(name: str) -> None:
    text = (INTEGRATIONS / "mcp" / name).read_text()
    configuration = json.loads(text)
    servers = configuration.get("mcpServers") or configuration["servers"]
    assert set(servers) == {"trawl"}
    assert name in (INTEGRATIONS / "mcp/README.md").read_text()
