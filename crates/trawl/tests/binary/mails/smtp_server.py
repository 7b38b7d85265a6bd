"""A mail server for tests: python smtp_server.py FOLDER PORT. Needs TLS and a password; writes each
e-mail to FOLDER/mails as a line of JSON. FOLDER/busy makes it answer 451."""

import json
import ssl
import sys
import threading
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

folder, port = Path(sys.argv[1]), int(sys.argv[2])


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("refused"):
            return "550 5.1.1 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if (folder / "busy").exists():
            return "451 4.3.0 try again later"
        mail = {
            "to": envelope.rcpt_tos,
            "from": envelope.mail_from,
            "text": envelope.content.decode(),
        }
        with open(folder / "mails", "a", encoding="utf-8") as file:
            file.write(json.dumps(mail) + "\n")
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    right = isinstance(data, LoginPassword) and (data.login, data.password) == (b"trawl", b"secret")
    return AuthResult(success=right)


context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
Controller(
    Handler(),
    hostname="127.0.0.1",
    port=port,
    tls_context=context,
    require_starttls=True,
    authenticator=authenticate,
    auth_required=True,
).start()
print("ready", flush=True)
threading.Event().wait()
