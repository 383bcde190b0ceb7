"""Starting and stopping a server."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import rolltape
from rolltape import Client, Server, serve
from rolltape.server import find_command, model_folder
from support import COMMAND, REPOSITORY

QUICK = {"server.shutdown_seconds": 0}


def test_a_server_runs_for_the_time_of_the_block() -> None:
    with serve(QUICK, command=["node", str(COMMAND)], admin_key="an-admin-key-of-mine") as server:
        assert server.admin_key == "an-admin-key-of-mine"
        with Client(server.url, server.admin_key) as client:
            assert client.health()["status"] == "ok"
        assert b"Server listening" in server.log_path.read_bytes()
        assert server.exit_status is None
    assert server.exit_status == 0
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_a_server_continues_recorded_tokens_unless_configured_otherwise(tmp_path: Path) -> None:
    with serve(QUICK, command=COMMAND) as server:
        assert server.ready["chat_template_type"] == "concat"
        assert server.ready["chat_template_type_chosen_by"] == "python"
        assert b"rollout.agent.chat_template_type is `concat`" in server.log_path.read_bytes()
    with serve({**QUICK, "rollout.agent.chat_template_type": "hf"}, command=COMMAND) as server:
        assert server.ready["chat_template_type"] == "hf"
        assert "chat_template_type_chosen_by" not in server.ready
    config = tmp_path / "rolltape.yaml"
    config.write_text("server: {port: 0, shutdown_seconds: 0}\nrollout: {agent: {chat_template_type: hf}}\n")
    with serve(config=config, command=COMMAND) as server:
        assert server.ready["chat_template_type"] == "hf"


def test_a_server_is_stopped_when_the_block_raises() -> None:
    with pytest.raises(KeyboardInterrupt), serve(QUICK, command=COMMAND) as server:
        raise KeyboardInterrupt
    assert server.exit_status == 0


def test_a_server_that_died_has_an_exit_status() -> None:
    with serve(QUICK, command=COMMAND) as server:
        os.kill(server.pid, signal.SIGKILL)
    assert server.exit_status == -signal.SIGKILL


def test_a_server_stops_when_its_starter_is_killed() -> None:
    program = f"""
import os, signal
from rolltape import serve
with serve({QUICK!r}, command={str(COMMAND)!r}) as server:
    print(server.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    starter = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, env=env, check=False)
    assert starter.returncode == -signal.SIGKILL
    await_end(int(starter.stdout))


def test_a_refused_configuration_is_reported_with_what_the_program_wrote() -> None:
    with (
        pytest.raises(rolltape.ServeError, match=r"server\.prot") as refused,
        serve({"server.prot": 1}, command=COMMAND),
    ):
        pass
    assert refused.value.code == "server_not_ready"
    assert refused.value.details == {"exit_status": 2}


def test_a_start_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    program = tmp_path / "slow"
    program.write_text("#!/bin/sh\necho $$ > pid\necho starting >&2\nexec sleep 600\n")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    with (
        pytest.raises(rolltape.ServeError, match=r"within 0\.5 seconds.*\n"),
        serve(command=program, cwd=tmp_path, start_seconds=0.5),
    ):
        pass
    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def await_end(pid: int) -> None:
    """Fails if the process, which is no child of this one, does not end."""
    for _ in range(600):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the process did not end")


def test_a_program_that_does_not_exist_is_reported() -> None:
    with pytest.raises(rolltape.ServeError, match="cannot be started") as missing, serve(command="/no/such/program"):
        pass
    assert missing.value.code == "command_not_found"


def test_the_command_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert find_command(COMMAND) == ["node", str(COMMAND)]
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(rolltape.ServeError, match=r"pip install .* or npm"):
        find_command()
    for name, expected in [("npx", ["npx", "--no-install", "rolltape"]), ("rolltape", ["rolltape"])]:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        assert find_command() == [str(tmp_path / expected[0]), *expected[1:]]


def test_npx_finds_the_server_of_this_repository() -> None:
    npx = ["npx", "--no-install", "rolltape"]
    with serve(QUICK, command=npx, cwd=REPOSITORY) as server, Client(server.url, server.admin_key) as client:
        assert client.livez()
    # npx itself may report the signal.
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_a_folder_without_the_package_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    npx = tmp_path / "npx"
    npx.write_text("#!/bin/sh\necho 'npm error 404 Not Found' >&2\nexit 1\n")
    npx.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(rolltape.ServeError, match=r"404 Not Found\n.*has no rolltape.*pass `command`"), serve():
        pass


def test_the_folder_of_a_model_of_the_hub_is_that_of_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    hub = pytest.importorskip("huggingface_hub.constants")
    path = Path(server.ready["model_path"])
    assert model_folder(str(path)) == str(path)

    cached = tmp_path / "models--me--tiny" / "snapshots" / "0123"
    cached.mkdir(parents=True)
    (tmp_path / "models--me--tiny" / "refs").mkdir()
    (tmp_path / "models--me--tiny" / "refs" / "main").write_text("0123")
    shutil.copy(path / "config.json", cached)
    monkeypatch.setattr(hub, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(hub, "HF_HUB_OFFLINE", True)
    assert model_folder("me/tiny") == str(cached)
