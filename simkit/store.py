"""Runs on disk: a folder with a manifest and Parquet parts, written so that a kill at any moment loses nothing that was kept.

A part is written under another name, flushed to the disk and then renamed; only then does the manifest, written the same way,
name it with its checksum. What the manifest does not name is not there; what does not match its checksum is played again.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simkit.game import BadInput

MANIFEST, LOCK = "manifest.json", ".lock"
PART = re.compile(r"part-\d+-\d+-(counts|rows|deals)\.parquet")
"""Names of the files of parts: only these are ever removed."""
FORMAT = 1
FLUSH_SECONDS = 2.0
FLUSH_SHARE = 0.01
"""A part is written every two seconds; in long runs every hundredth of the time they have taken, so that parts stay few."""


class DiskFault(BadInput):
    """The disk cannot take what is to be kept. What was kept so far stays."""


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn the operating system's refusals into one clear line."""
    try:
        yield
    except OSError as error:
        reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else (error.strerror or str(error))
        raise DiskFault(f"cannot write {path}: {reason}") from error


def write_atomically(path: Path, data: bytes) -> None:
    """The file has its old content or this, never a part of it, whatever happens meanwhile. Raises DiskFault."""
    temporary = path.with_name(path.name + ".writing")
    with disk_errors(path):
        try:
            with open(temporary, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):  # on a full disk it takes room that others need
                temporary.unlink()
            raise
        with contextlib.suppress(OSError):  # some file systems cannot flush a folder
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def parquet(columns: Mapping[str, np.ndarray], notes: Mapping[str, str]) -> bytes:
    """A Parquet file of integer columns, as bytes."""
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()}).replace_schema_metadata(dict(notes))
    sink = io.BytesIO()
    pyarrow.parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def read_parquet(path: Path) -> dict[str, np.ndarray]:
    """The columns of a Parquet file."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    return {name: table.column(name).to_numpy() for name in table.column_names}


def checksum(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def unfinished(path: Path) -> bool:
    """Whether this is a file of ours whose writing was cut short."""
    name = path.name.removesuffix(".writing")
    return name != path.name and (name == MANIFEST or PART.fullmatch(name) is not None)


class RunFolder:
    """One run's folder: opened, checked, locked against a second writer."""

    def __init__(self, folder: Path, identity: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        """Open the folder of this run, or make it. Raises BadInput if it holds another run, or something else."""
        self.folder = Path(folder)
        self.identity = json.loads(json.dumps(identity))
        if self.folder.exists() and not self.folder.is_dir():
            raise BadInput(f"{self.folder} is a file; name a folder")
        with disk_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        self._refuse_strange()
        self._lock_file = self._lock()
        self.notes: list[str] = []
        try:
            self._open(about)
        except BaseException:
            self.close()
            raise

    def _open(self, about: Mapping[str, Any]) -> None:
        """Read the manifest, or begin one."""
        existing = self.folder / MANIFEST
        if existing.exists():
            self.manifest = self._read(existing)
            self._refuse_another()
            self._drop_damaged()
        else:
            self.manifest = {"format": FORMAT, **about, "run": self.identity, "looked": 0, "complete": False, "parts": []}
            self._write_manifest()
        self._clear_leftovers()

    def _refuse_strange(self) -> None:
        """Refuse a folder that is used for something else, before anything is written there."""
        with disk_errors(self.folder):
            names = [path.name for path in self.folder.iterdir() if path.name != LOCK and not unfinished(path)]
        if names and MANIFEST not in names:
            raise BadInput(f"{self.folder} is not empty and holds no run (there is {names[0]}); name a new folder")

    def _lock(self) -> Any:
        with disk_errors(self.folder):
            file = open(self.folder / LOCK, "a")  # noqa: SIM115 - held open as long as the run lasts; whatever was in it stays
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # no such locks on this system: nothing guards against two writers
            pass
        except BlockingIOError:
            file.close()
            raise BadInput(f"another simkit is writing to {self.folder}; wait for it or name another folder") from None
        except OSError:  # nor on this file system
            pass
        return file

    def close(self) -> None:
        """Let go of the folder."""
        self._lock_file.close()

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
            if manifest["format"] == FORMAT:
                manifest["run"], manifest["parts"], manifest["looked"]
        except (ValueError, KeyError, TypeError):
            raise BadInput(f"{path} is damaged and cannot be read; move the folder away to start anew") from None
        except OSError as error:
            raise BadInput(f"cannot read {path}: {error.strerror}") from error
        if manifest["format"] != FORMAT:
            raise BadInput(f"{path} was written in format {manifest['format']}; this simkit reads format {FORMAT}")
        return manifest

    def _refuse_another(self) -> None:
        theirs = self.manifest["run"]
        for name in {**theirs, **self.identity}:
            if theirs.get(name) != self.identity.get(name):
                raise BadInput(
                    f"{self.folder} holds another run: {name} is {brief(theirs.get(name))} there and {brief(self.identity.get(name))} here; "
                    "name another folder, or give the same command to go on with that run"
                )

    def _drop_damaged(self) -> None:
        """Parts that are missing or changed will be played again; say so."""
        sound = []
        for part in self.manifest["parts"]:
            fault = next((f"{file['name']} {wrong}" for file in part["files"] if (wrong := self._fault(file))), "")
            if fault:
                games = sum(games for _, games in part["ranges"])
                self.notes.append(f"{self.folder}/{fault}; its {games:,} games are played again")
            else:
                sound.append(part)
        if len(sound) < len(self.manifest["parts"]):
            self.manifest["parts"], self.manifest["complete"] = sound, False
            self._write_manifest()

    def _fault(self, file: Mapping[str, Any]) -> str:
        try:
            data = (self.folder / file["name"]).read_bytes()
        except OSError:
            return "is missing"
        return "" if checksum(data) == file["sha256"] else "is damaged"

    def _clear_leftovers(self) -> None:
        """Remove files of parts that were never finished; what else somebody put there is theirs."""
        known = {file["name"] for part in self.manifest["parts"] for file in part["files"]}
        for path in self.folder.iterdir():
            if unfinished(path) or (PART.fullmatch(path.name) and path.name not in known):
                path.unlink(missing_ok=True)

    def _write_manifest(self) -> None:
        write_atomically(self.folder / MANIFEST, json.dumps(self.manifest, indent=1, ensure_ascii=False).encode())

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """The (first, games) ranges that are kept."""
        return [(int(first), int(games)) for part in self.manifest["parts"] for first, games in part["ranges"]]

    @property
    def looked(self) -> int:
        """Games up to which a stop rule has been asked, and said to go on."""
        return int(self.manifest["looked"])

    def add(
        self,
        ranges: Sequence[tuple[int, int]],
        counts: Mapping[str, np.ndarray] | None = None,
        rows: Mapping[str, np.ndarray] | None = None,
        deals: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        """Keep a part: the games of these ranges, as counts, rows, or sums over their deals. Raises DiskFault."""
        stem = f"part-{min(first for first, _ in ranges):015d}-{sum(games for _, games in ranges)}"
        files = []
        for kind, columns in (("counts", counts), ("rows", rows), ("deals", deals)):
            if columns is not None:
                data = parquet(columns, {"simkit": kind})
                name = f"{stem}-{kind}.parquet"
                write_atomically(self.folder / name, data)
                files.append({"name": name, "kind": kind, "sha256": checksum(data)})
        self.manifest["parts"].append({"ranges": [list(each) for each in ranges], "files": files})
        self._write_manifest()

    def mark(self, *, looked: int | None = None, complete: bool | None = None, **more: Any) -> None:
        """Note how far the run has come. Raises DiskFault."""
        if looked is not None:
            self.manifest["looked"] = looked
        if complete is not None:
            self.manifest["complete"] = complete
        self.manifest.update(more)
        self._write_manifest()

    def counts(self) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
        """(games, counts) of each part kept."""
        for part in self.manifest["parts"]:
            name = next(file["name"] for file in part["files"] if file["kind"] == "counts")
            yield sum(games for _, games in part["ranges"]), read_parquet(self.folder / name)

    def rows(self) -> Iterator[dict[str, np.ndarray]]:
        """The rows of each part kept."""
        return self._files("rows")

    def deals(self) -> Iterator[dict[str, np.ndarray]]:
        """The sums over deals of each part kept."""
        return self._files("deals")

    def _files(self, kind: str) -> Iterator[dict[str, np.ndarray]]:
        for part in self.manifest["parts"]:
            for file in part["files"]:
                if file["kind"] == kind:
                    yield read_parquet(self.folder / file["name"])


def brief(value: Any) -> str:
    """The value as JSON, cut short where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


class Clock:
    """Says when the next part is due."""

    def __init__(self) -> None:
        self.began = self.last = time.monotonic()

    def due(self) -> bool:
        now = time.monotonic()
        if now - self.last < max(FLUSH_SECONDS, FLUSH_SHARE * (now - self.began)):
            return False
        self.last = now
        return True
