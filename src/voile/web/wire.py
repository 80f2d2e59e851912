"""How bytes become requests: a strict parser with bounded headers, and no patience with who does not go on."""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from voile.web import doors
from voile.web.answers import JSON, error_body, own_headers


class Wire(H11Protocol):
    """A connection. While no request is being answered, its next one must be whole within `doors.PATIENCE`."""

    _hurry: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It begins."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """More of it came."""
        super().data_received(data)
        answering = self.cycle is not None and not self.cycle.response_complete
        upgraded = self.transport.get_protocol() is not self  # to a websocket, which the doors watch
        if answering or upgraded:
            self._stop_waiting()
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """It ends."""
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What cannot be understood gets the same answer as everything else that is refused."""
        body = error_body("refused: not understood")
        headers = [*own_headers(JSON, body).items(), (b"connection", b"close")]
        events = (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=body),
            h11.EndOfMessage(),
        )
        self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
        self.transport.close()

    def _wait(self) -> None:
        if self._hurry is None:
            self._hurry = self.loop.call_later(doors.PATIENCE, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None
