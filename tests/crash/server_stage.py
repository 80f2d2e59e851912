"""The clinic with its ledger on a server: set back row by row, so that it stays the same database."""

from pathlib import Path

import psycopg

from tests.crash.scene import Scene
from tests.crash.warm_process import WarmProcess

_COLUMNS = {
    "meta": 2,
    "chain": 5,
    "signature": 2,
    "memory": 5,
    "note": 2,
}


class ServerStage:
    """The clinic after its first release, as often as it is wanted."""

    def __init__(self, folder: Path, server, warm: WarmProcess) -> None:
        self.scene, self.warm, self.folder = Scene(folder / "clinic"), warm, folder
        self._base = server.address()
        self.scene.ledger = f"{self._base}#clinic"
        self.scene.lay_out()
        for command in (self.scene.create(), self.scene.publish("t1")):
            outcome = warm.warm(command, keys=self.scene.keys)
            assert outcome.code == 0, outcome
        self.scene.keep(folder / "one")
        with self._connected() as base:
            self._rows = {table: base.execute(f"select * from {table}").fetchall() for table in _COLUMNS}
        warm.warm(self.scene.publish("t2"), keys=self.scene.keys)

    def _connected(self):
        return psycopg.connect(self._base, options="-c search_path=clinic")

    def set(self) -> Scene:
        """As it was after the first release."""
        self.scene.restore(self.folder / "one")
        with self._connected() as base:
            for table, rows in self._rows.items():
                base.execute(f"delete from {table}")
                slots = ", ".join(["%s"] * _COLUMNS[table])
                base.cursor().executemany(f"insert into {table} values ({slots})", rows)
        return self.scene
