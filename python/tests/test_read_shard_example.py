"""examples/read_shard.py, run as a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rolltape
from rolltape import Client, Server
from support import REPOSITORY, ended_session, plain_tensors


def train(server: Server, ids: list[str], *arguments: str, **env: str) -> Any:
    source = str(Path(rolltape.__file__).parents[1])
    variables = {**os.environ, "PYTHONPATH": source, "ROLLTAPE_ADMIN_API_KEY": server.admin_key, **env}
    command = [sys.executable, str(REPOSITORY / "examples" / "read_shard.py"), server.url, *ids, *arguments]
    run = subprocess.run(command, env=variables, capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode == 0 else (run.returncode, run.stderr)


def expected(client: Client, ids: list[str], **options: Any) -> dict[str, Any]:
    """The program's output, computed from the same batch without numpy."""
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"expected-{os.getpid()}"
    client.export_batch_to(path, ids, pad_to_multiple_of=16, **options)
    metadata, tensors = plain_tensors(path.read_bytes())
    path.unlink()
    trained = sum(tensors["loss_mask"][1])
    return {
        "rows": [row["interaction_id"] for row in json.loads(metadata["rows"])],
        "shapes": {name: shape for name, (shape, _) in tensors.items()},
        "trained_tokens": trained,
        "mean_logprob": pytest.approx(sum(tensors["logprobs"][1]) / max(trained, 1)),
        "rewards": tensors["node_rewards" if metadata["layout"] == "tree" else "rewards"][1],
    }


@pytest.mark.parametrize("layout", ["padded", "packed", "tree"])
def test_it_reads_a_batch_and_acknowledges_it(client: Client, server: Server, layout: str) -> None:
    ids = [ended_session(client, 3, reward, "group") for reward in (0.5, 1.0)]
    summary = train(server, ids, "--layout", layout, "--discount", "0.5")
    assert len(summary.pop("advantages")) == 6
    assert summary == expected(client, ids, layout=layout, discount=0.5)
    assert list(Path(server.ready["shared"]).rglob("*.safetensors")) == []


def test_it_reads_the_shard_of_its_rank(client: Client, server: Server) -> None:
    ids = [ended_session(client, 2) for _ in range(2)]
    shards = [train(server, ids, WORLD_SIZE="2", RANK="0"), train(server, ids, "--shards", "2", "--shard", "1")]
    by_workers = train(server, ids, "--shard-by", "workers", WORLD_SIZE="2", RANK="0")
    assert by_workers["rows"] == shards[0]["rows"]
    assert sorted(row for shard in shards for row in shard["rows"]) == sorted(expected(client, ids)["rows"])


def test_it_ends_with_the_reason_of_a_refusal(client: Client, server: Server) -> None:
    ids = [ended_session(client, 1)]
    status, message = train(server, ids, "--shards", "7")
    assert (status, message.split(":")[0]) == (1, "too_few_rows")
    assert train(server, ids, ROLLTAPE_ADMIN_API_KEY="")[0] == 1
