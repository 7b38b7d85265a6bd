"""Parser of server-sent events, without I/O."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ServerSentEvent:
    kind: str
    data: str


@dataclass
class EventParser:
    """Takes a stream line by line. `last_id` and `retry` outlive a connection."""

    last_id: str | None = None
    retry: float = 2.0
    _kind: str = ""
    _data: list[str] = field(default_factory=list)

    def start(self) -> None:
        """Drops the incomplete event of an interrupted connection."""
        self._kind, self._data = "", []

    def push(self, line: str) -> ServerSentEvent | None:
        """The event that an empty line completes."""
        if not line:
            kind, data = self._kind or "message", "\n".join(self._data)
            self.start()
            return ServerSentEvent(kind, data) if data else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._kind = value
        elif name == "data":
            self._data.append(value)
        elif name == "id":
            self.last_id = value
        elif name == "retry" and value.isdigit():
            self.retry = int(value) / 1000
        return None
