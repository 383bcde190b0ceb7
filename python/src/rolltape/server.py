"""Starts a server for the time of a `with` block."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from .errors import ServeError

# A server may wait this long for calls in flight and for exports (`server.shutdown_seconds`), and then a little more.
STOP_SECONDS = 45.0
_NPX = ("--no-install", "rolltape")
_INSTALL = (
    'Install it with `pip install "rolltape[server]"` or npm, or pass `command`, such as the path of dist/cli/main.js.'
)


@dataclass
class Server:
    """A server that runs.

    url: its address. admin_key: its admin key. pid: its process id. ready: its whole ready line.
    log_path: file with its log while the `with` block runs. exit_status: None until it has ended; a negative number is
        the signal that ended it.
    """

    url: str
    admin_key: str
    pid: int
    ready: dict[str, Any]
    log_path: Path
    exit_status: int | None = field(default=None)


@contextlib.contextmanager
def serve(
    settings: Mapping[str, Any] | None = None,
    *,
    command: str | os.PathLike[str] | Sequence[str] | None = None,
    config: str | os.PathLike[str] | None = None,
    admin_key: str | None = None,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    start_seconds: float = 120.0,
) -> Iterator[Server]:
    """Starts `rolltape serve`, waits until it accepts calls, and stops it at the end of the block.

    settings: configuration keys and values, such as `{"engine.type": "sglang"}`. `server.port` is any free port by
        default. `rollout.agent.chat_template_type` is `concat` by default, if the model's chat template allows it; `ready`
        has the value.
    command: a path of the program, or its words. Default: that of the package `rolltape-server`, else `rolltape` of the search
        path, else `npx rolltape` of the packages in `cwd`.
    config: a configuration file.
    admin_key: its admin key; a random one by default.
    env: variables to add to those of this process.
    start_seconds: time limit for the start.

    Raises ServeError `command_not_found` or `server_not_ready`, with the last lines that the program wrote.
    """
    key = secrets.token_urlsafe(32) if admin_key is None else admin_key
    words = [*find_command(command), "serve", "--started-by", "python", *_arguments(settings or {}, config)]
    variables = {**os.environ, **(env or {}), "ROLLTAPE_ADMIN_API_KEY": key}
    with tempfile.TemporaryDirectory(prefix="rolltape-serve-") as folder:
        log_path = Path(folder) / "serve.log"
        with open(log_path, "wb") as log, _started(words, cwd, variables, log) as process:
            ready = _wait_until_ready(process, words, start_seconds, log_path)
            server = Server(ready["url"], key, ready["pid"], ready, log_path)
            try:
                yield server
            finally:
                server.exit_status = _stop(process, server.pid)


def find_command(command: str | os.PathLike[str] | Sequence[str] | None = None) -> list[str]:
    """Returns the words that start the command line. A path that ends with `.js` is run by Node.

    Raises ServeError `command_not_found`.
    """
    if command is None:
        # First: it belongs to the same environment, whose scripts need not be on the search path.
        if importlib.util.find_spec("rolltape_server") is not None:
            from rolltape_server import command as installed_command

            return list(installed_command())
        if path := shutil.which("rolltape"):
            return [path]
        if npx := shutil.which("npx"):
            return [npx, *_NPX]
        raise _not_found("rolltape", _INSTALL)
    words = [os.fspath(command)] if isinstance(command, (str, os.PathLike)) else list(command)
    if words[0].endswith(".js"):
        words.insert(0, "node")
    if shutil.which(words[0]) is None:
        raise _not_found(words[0], "It is not a program of the search path.")
    return words


def _arguments(settings: Mapping[str, Any], config: str | os.PathLike[str] | None) -> list[str]:
    values = {"server.port": 0, **settings} if config is None else settings
    words = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in values.items()]
    return words if config is None else ["--config", os.fspath(config), *words]


@contextlib.contextmanager
def _started(
    words: list[str], cwd: str | os.PathLike[str] | None, env: Mapping[str, str], log: IO[bytes]
) -> Iterator[subprocess.Popen[bytes]]:
    try:
        # In a session of its own: Ctrl-C reaches this process alone, which stops the server after the block has ended.
        process = subprocess.Popen(
            words,
            # Never written to: the server stops when this process has ended and the pipe is closed.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
    except OSError as error:
        raise _not_found(words[0], str(error)) from error
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def _wait_until_ready(
    process: subprocess.Popen[bytes], words: list[str], seconds: float, log_path: Path
) -> dict[str, Any]:
    first: list[dict[str, Any]] = []
    found = threading.Event()

    def read() -> None:
        assert process.stdout is not None
        # Read to the end, so that a full pipe never stops the server.
        for line in process.stdout:
            if not first and (ready := _ready_line(line)):
                first.append(ready)
                found.set()
        found.set()

    threading.Thread(target=read, daemon=True).start()
    found.wait(seconds)
    if first:
        return first[0]
    # Standard output may be closed just before the process ends.
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1.0 if found.is_set() else 0.0)
    status = process.poll()
    why = f"did not become ready within {seconds:g} seconds" if status is None else f"ended with status {status}"
    message = f"`{' '.join(words)}` {why}. It wrote:\n{_tail(log_path)}{_hint(words, status, log_path)}"
    raise ServeError("server_not_ready", message, details={"exit_status": status})


def _ready_line(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and value.get("event") == "ready" else None


def _stop(process: subprocess.Popen[bytes], pid: int) -> int | None:
    # npx does not pass signals on, so the server itself gets it.
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    try:
        return process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return process.wait()


def _tail(log_path: Path, size: int = 4096) -> str:
    text = log_path.read_bytes()[-size:].decode(errors="replace").strip()
    return text or "(nothing)"


def _hint(words: Sequence[str], status: int | None, log_path: Path) -> str:
    """Returns what to install if a package is missing. npm's own message is about its registry, which lacks the package too."""
    tail = _tail(log_path)
    if status is not None and tuple(words[1:3]) == _NPX and "npm error" in tail:
        return f"\nThe folder in which npx was started has no rolltape. {_INSTALL}"
    if "@node-llama-cpp/" in tail and importlib.util.find_spec("rolltape_server") is not None:
        return '\nIn Python, `pip install "rolltape[embedded]"` adds llama.cpp.'
    return ""


def _not_found(program: str, why: str) -> ServeError:
    return ServeError("command_not_found", f"The program {program} cannot be started. {why}")


def model_folder(name: str) -> str:
    """Returns the folder of a model that transformers can load by this name: a folder, or a repository of the Hugging Face Hub.

    For a repository, downloads the files that a proxy reads, unless they are in the cache. These are all but the weights.
    """
    if os.path.isdir(name):
        return name
    from huggingface_hub import snapshot_download

    return str(snapshot_download(name, allow_patterns=["*.json", "*.jinja", "*.model", "*.txt", "*.tiktoken"]))
