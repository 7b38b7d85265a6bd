"""An assistant that uses Trawl by the official client, as a model would: by what the tools say.

Usage: assistant.py http|stdio auto|legacy

Finds the server, the key, the binary and the sites in the environment, and prints what it got as
one line of JSON for the test to judge.
"""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

URL, KEY = os.environ["TRAWL_URL"], os.environ["TRAWL_KEY"]
SITE, SLOW = os.environ["SITE"], os.environ["SLOW_SITE"]
LONG = os.environ["LONG_PAGE"]


def connection(transport, mode):
    if transport == "http":
        carrier = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {KEY}"}, timeout=60, trust_env=False
        )
        return Client(streamable_http_client(f"{URL}/mcp", http_client=carrier), mode=mode)
    child = StdioServerParameters(
        command=os.environ["TRAWL_BIN"],
        args=["mcp"],
        env={"TRAWL_URL": URL, "TRAWL_KEY": KEY},
    )
    return Client(child, mode=mode)


def text(result):
    assert len(result.content) == 1, result
    return json.loads(result.content[0].text)


async def done(client, name, arguments):
    """What a tool returned; the client has held it against the tool's schema."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, (name, arguments, result.content)
    return result.structured_content if result.structured_content is not None else text(result)


async def refused(client, name, arguments):
    result = await client.call_tool(name, arguments)
    assert result.is_error, (name, arguments, result.content)
    report = text(result)
    assert report["message"] and report["what_to_do"], report
    return report


async def finish(client, job, progress):
    """Follows a run to its end, answering every full batch."""
    batches = 1

    async def heard(done, total, message):
        progress.append([done, total, message])

    while True:
        arguments = {"job_id": job, "wait_seconds": 50}
        result = await client.call_tool("get_run", arguments, progress_callback=heard)
        run = result.structured_content
        if run["status"] == "paused" and run["batch_ready"]:
            assert "continue_batch" in run["next"], run
            again = {"job_id": job, "continue_batch": True}
            await done(client, "confirm_run", again)
            batches += 1
        elif run["status"] not in ("queued", "running"):
            return run, batches


async def read(client, job, **more):
    """Every item, by following the cursors."""
    items, pieces, cursor = [], 0, None
    while True:
        arguments = {"job_id": job, **more}
        if cursor is not None:
            arguments["cursor"] = cursor
        result = await client.call_tool("read_results", arguments)
        piece = text(result)
        assert len(result.content[0].text) < more["max_chars"] + 600, "it does not fit"
        assert "data" in piece["warning"]
        items += piece["items"]
        pieces += 1
        cursor = piece["next_cursor"]
        if cursor is None:
            return items, pieces, piece["total"]


async def read_page(client, url, **more):
    """The parts of a page, by following the cursors."""
    parts, cursor = [], None
    while True:
        arguments = {"url": url, **more}
        if cursor is not None:
            arguments["cursor"] = cursor
        part = text(await client.call_tool("read_page", arguments))
        assert "data" in part["warning"], part
        assert part["item"]["url"] == url, part
        parts.append(part)
        cursor = part["next_cursor"]
        if cursor is None:
            return parts


async def main(transport, mode):
    report = {}
    async with connection(transport, mode) as client:
        report["protocol"] = client.protocol_version
        assert "estimate_run" in client.instructions
        tools = (await client.list_tools()).tools
        report["tools"] = [tool.name for tool in tools]

        estimate = await done(client, "estimate_run", {"mode": "links", "url": SITE})
        report["rate"] = estimate["credit_per_unit"]
        before = (await done(client, "get_account", {}))["credits"]

        start = {"mode": "links", "url": SITE, "scope": {"include_broken": False}}
        run = await done(client, "start_run", start)
        assert run["replayed"] is False, run
        job = report["job"] = run["job_id"]
        twin = await done(client, "start_run", start)
        assert twin["job_id"] == job and twin["replayed"] is True, twin
        conflict = await refused(client, "start_run", {**start, "idempotency_key": "another"})
        assert conflict["job_id"] == job, conflict

        progress = []
        run, report["batches"] = await finish(client, job, progress)
        report["run"], report["progress"] = run, progress
        items, report["pieces"], report["total"] = await read(client, job, max_chars=5_000)
        report["urls"] = [item["url"] for item in items]
        lean, lean_pieces, _ = await read(client, job, max_chars=5_000, fields=["url"])
        assert lean == [{"url": url} for url in report["urls"]] and lean_pieces < report["pieces"]
        after = (await done(client, "get_account", {}))["credits"]
        report["spent"] = before - after

        skipped = await done(client, "list_skipped", {"job_id": job})
        report["skipped"] = [skipped["total"], skipped["reasons"]]
        file = await done(client, "export_results", {"job_id": job, "format": "csv"})
        report["file"] = file["url"]
        runs = await done(client, "list_runs", {"mode": "links"})
        assert job in [run["job_id"] for run in runs["items"]]

        resources = (await client.list_resources()).resources
        address = f"trawl://jobs/{job}/results"
        assert address in [str(resource.uri) for resource in resources], resources
        contents = (await client.read_resource(address)).contents[0]
        assert json.loads(contents.text)["total"] == report["total"]
        templates = (await client.list_resource_templates()).resource_templates
        assert any("{?cursor}" in template.uri_template for template in templates)
        prompts = (await client.list_prompts()).prompts
        prompt = await client.get_prompt(prompts[0].name, {"url": SITE})
        assert SITE in prompt.messages[0].content.text

        slow = await done(client, "start_run", {"mode": "markdown", "url": SLOW, "name": "Slow one", "tags": ["slow"]})
        tagged = await done(client, "list_runs", {"tag": "slow", "q": "slow o"})
        assert [run["name"] for run in tagged["items"]] == ["Slow one"], tagged
        stopped = await done(client, "abort_run", {"job_id": slow["job_id"]})
        again = await done(client, "abort_run", {"job_id": slow["job_id"]})
        assert stopped["status"] == again["status"] == "aborted"
        assert (await done(client, "delete_run", {"job_id": slow["job_id"]}))["deleted"]
        assert (await done(client, "list_runs", {"tag": "slow"}))["total"] == 0

        before = (await done(client, "get_account", {}))["credits"]
        parts = await read_page(client, LONG, max_chars=1_000)
        report["page"] = "".join(part["item"]["markdown"] for part in parts)
        report["page_parts"] = len(parts)
        assert len({part["page_id"] for part in parts}) == 1, "one page in parts"
        after = (await done(client, "get_account", {}))["credits"]
        assert before - after == parts[0]["credits_used"] == 2, "charged once"
        docs = "https://docs.lab.test/"
        plain = await read_page(client, f"{docs}keys", mode="links", formats=["item", "links"])
        assert [part["item"]["status_code"] for part in plain] == [200], plain
        assert plain[0]["links"] and "metadata" not in plain[0], plain
        found = await done(client, "map_site", {"url": docs, "search": "keys"})
        assert f"{docs}keys" in [one["url"] for one in found["urls"]], found
        assert len(found["urls"]) < 10 and found["unreachable"] is None and found["next"], found
        few = await done(client, "map_site", {"url": docs, "limit": 3})
        assert (len(few["urls"]), few["complete"]) == (3, False) and "limit" in few["gaps"], few

        url = report["urls"][0]
        explained = await done(client, "explain_url", {"job_id": job, "url": url})
        report["explained"] = explained
        missing = {"job_id": job, "url": "/not/linked/anywhere"}
        report["missing"] = await done(client, "explain_url", missing)

        nobody = "job_" + "0" * 32
        report["refusals"] = [
            (await refused(client, name, arguments))["code"]
            for name, arguments in [
                ("get_run", {"job_id": nobody}),
                ("get_run", {"job_id": nobody, "wait_seconds": 1}),
                ("get_run", {"job_id": "../account"}),
                ("get_run", {"job_id": job, "wait_second": 1}),
                ("confirm_run", {"job_id": job}),
                ("delete_run", {"job_id": nobody}),
                ("start_run", {"mode": "contacts", "domains": ["example.com"]}),
                ("start_run", {"mode": "links", "url": "http://10.0.0.1/"}),
                ("start_run", {"mode": "links", "url": SITE, "max_credits_per_unit": 3}),
                ("read_results", {"job_id": job, "cursor": "next"}),
                ("read_results", {"job_id": job, "max_chars": 1}),
            ]
        ]
    print(json.dumps(report))


asyncio.run(main(*sys.argv[1:]))
