"""A real mail server (aiosmtpd) for the tests: prints its port, keeps each mail as a file, ends when stdin does.

usage: server.py FOLDER [USER PASSWORD [CERTIFICATE KEY]]; with a certificate it offers STARTTLS.
"""

import asyncio
import pathlib
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

folder = pathlib.Path(sys.argv[1])
login = sys.argv[2:4]
certificate = sys.argv[4:6]


class Keep:
    count = 0

    async def handle_DATA(self, server, session, envelope):
        self.count += 1
        (folder / f"{self.count}.to").write_text("\n".join(envelope.rcpt_tos))
        (folder / f"{self.count}.eml").write_bytes(envelope.original_content)
        return "250 kept"


def authenticate(server, session, envelope, mechanism, data):
    right = [data.login.decode(), data.password.decode()] == login
    return AuthResult(success=right, handled=False)


# One for all sessions: each of them begins to count anew otherwise, and writes over the mails of the others.
keep = Keep()


def session():
    tls = None
    if certificate:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(*certificate)
    options = {"authenticator": authenticate, "auth_required": True} if login else {}
    return SMTP(keep, tls_context=tls, require_starttls=bool(tls), auth_require_tls=bool(tls), **options)


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(session, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
