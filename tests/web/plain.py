"""Requests as bytes: what no browser or library would send can be sent, too."""

import contextlib
import socket
from dataclasses import dataclass

KEY = "dGhlIHNhbXBsZSBub25jZQ=="  # of RFC 6455
SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name):
        """The one value of a header; None if it is missing or not alone."""
        found = [value for key, value in self.headers if key == name]
        return found[0] if len(found) == 1 else None

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")


def own_host(app):
    return f"127.0.0.1:{app.port}"


def cookie_of(client):
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


def asked(app, method="GET", target="/", headers=(), body=b"", host=True, cookie=""):
    """`host=False` leaves the Host header to `headers`."""
    lines = [f"{method} {target} HTTP/1.1", *([f"Host: {own_host(app)}"] if host else [])]
    lines += [f"{name}: {value}" for name, value in headers] + ([f"Cookie: {cookie}"] if cookie else [])
    if body or method in ("POST", "PUT", "PATCH"):
        lines.append(f"Content-Length: {len(body)}")
    if not any(name.lower() == "connection" for name, _ in headers):
        lines.append("Connection: close")
    return exchanged(app, "\r\n".join([*lines, "", ""]).encode("utf-8") + body)


def exchanged(app, sent, seconds=600):
    """Send bytes, read until the server closes or a websocket is open."""
    with socket.create_connection(("127.0.0.1", app.port), timeout=seconds) as wire:
        wire.sendall(sent)
        got = b""
        with contextlib.suppress(ConnectionResetError):  # a server that has heard enough does not listen on
            while part := wire.recv(2**16):
                got += part
                if got.startswith(b"HTTP/1.1 101") and b"\r\n\r\n" in got:
                    break
    return read(got)


def read(got):
    head, _, body = got.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = tuple((name.lower(), value.strip()) for name, _, value in pairs)
    return Answer(int(first.split(" ")[1]) if first else 0, headers, body)


def websocket(app, headers=(), target=SOCKET, host=True, cookie=""):
    """The answer to a handshake: 101 if it is open."""
    more = (("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"))
    return asked(app, "GET", target, [*more, ("Sec-WebSocket-Key", KEY), *headers], host=host, cookie=cookie)
