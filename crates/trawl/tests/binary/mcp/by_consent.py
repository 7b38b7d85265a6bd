"""An assistant that has only the address of the server, and discovers how to ask its user.

Usage: by_consent.py ADDRESS EMAIL PASSWORD

The official client does discovery, registration, PKCE and tokens. The person is played by hand:
signs in, reads the consent page, presses its button.
"""

import asyncio
import json
import re
import sys
from html import unescape
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

ADDRESS, EMAIL, PASSWORD = sys.argv[1:]


class Memory:
    """Where the client keeps what it was given."""

    tokens = client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


class Person:
    """The user of the assistant, with a browser."""

    asked = sent_to = None

    async def open(self, url):
        self.asked = parse_qs(urlsplit(url).query)
        accept = {"accept": "text/html"}
        async with httpx2.AsyncClient(base_url=ADDRESS, headers=accept, trust_env=False) as browser:
            page = await browser.get(url)
            while page.status_code == 303:
                page = await browser.get(page.headers["location"])
                if 'name="password"' in page.text:
                    form = {"email": EMAIL, "password": PASSWORD, "next": hidden(page, "next")}
                    page = await browser.post("/sign-in", data=form)
            assert page.status_code == 200 and "Assistant of a test" in page.text, page.text
            form = {"form_token": hidden(page, "form_token"), "answer": "approve"}
            answer = await browser.post(url, data=form)
            assert answer.status_code == 303, answer.text
            self.sent_to = answer.headers["location"]

    async def come_back(self):
        report = parse_qs(urlsplit(self.sent_to).query)
        return AuthorizationCodeResult(
            code=report["code"][0], state=report["state"][0], iss=report["iss"][0]
        )


def hidden(page, name):
    return unescape(re.search(f'name="{name}" value="([^"]*)"', page.text)[1])


async def main():
    person, memory = Person(), Memory()
    about = OAuthClientMetadata(
        client_name="Assistant of a test",
        redirect_uris=["http://127.0.0.1:49152/back"],
        token_endpoint_auth_method="none",
    )
    consent = OAuthClientProvider(
        f"{ADDRESS}/mcp", about, memory, person.open, person.come_back
    )
    carrier = httpx2.AsyncClient(auth=consent, timeout=60, trust_env=False)
    transport = streamable_http_client(f"{ADDRESS}/mcp", http_client=carrier)
    async with Client(transport) as client:
        account = (await client.call_tool("get_account", {})).structured_content
        start = {"mode": "links", "url": "http://10.0.0.1/"}
        refused = await client.call_tool("start_run", start)
        webhooks = httpx2.get(
            f"{ADDRESS}/v1/webhooks",
            headers={"Authorization": f"Bearer {memory.tokens.access_token}"},
            trust_env=False,
        )
    report = {
        "asked": {name: person.asked.get(name) for name in ("resource", "scope")},
        "account": account,
        "refused": json.loads(refused.content[0].text)["code"],
        "elsewhere": webhooks.status_code,
    }
    print(json.dumps(report))


asyncio.run(main())
