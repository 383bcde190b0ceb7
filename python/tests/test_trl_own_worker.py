"""The rollout worker of TRL itself, unmodified, against a real server: Rolltape records what TRL trains on."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest

from rolltape import Client, Server
from trl_support import take

module = pytest.importorskip(
    "trl.experimental.async_grpo.async_rollout_worker", reason="this version of TRL has no such module"
)
pytest.importorskip("aiohttp", reason="aiohttp is not installed")
accelerate = pytest.importorskip("accelerate", reason="accelerate is not installed")
datasets = pytest.importorskip("datasets", reason="datasets is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")


def count_letters(completions: list[Any], **_: Any) -> list[float]:
    """In the module, because TRL sends it to another process."""
    return [float(len(completion[-1]["content"])) for completion in completions]


def test_its_rows_are_the_recorded_ones(server: Server, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    # The worker asks only whether the package is installed: it speaks HTTP.
    monkeypatch.setattr(module, "is_vllm_available", lambda *given, **options: True)
    path = Path(server.ready["model_path"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    # TRL parses answers only of templates that it knows.
    tokenizer.chat_template = importlib.import_module("trl.chat_template_utils").qwen3_chat_template
    # New in TRL 1.14 or later.
    known = inspect.signature(module._AsyncRolloutLoop).parameters
    options = {"eos_token_ids": [tokenizer.eos_token_id]} if "eos_token_ids" in known else {}
    # Its logger asks for it; the trainer would have made it.
    accelerate.PartialState()
    client.grant_capacity()
    session = client.session("trl")
    worker = module.AsyncRolloutWorker(
        model_name=str(server.ready["model"]),
        dataset=datasets.Dataset.from_dict(
            {"prompt": [[{"role": "user", "content": f"Say word {number}"}] for number in range(8)]}
        ),
        reward_funcs=[count_letters],
        processing_class=tokenizer,
        num_generations=4,
        max_inflight_tasks=4,
        queue_maxsize=8,
        # It sends no key.
        vllm_server_url=f"{server.url}/s/{session.api_key}",
        max_tokens=12,
        temperature=0.8,
        **options,
    )
    worker.start()
    try:
        samples = take(worker.rollout_buffer, 8)
    finally:
        worker.stop()
    session.end()
    batch = client.export_batch([session.session_id], style="individual", on_mismatch="split")
    recorded = {
        (tuple(sample.prompt_ids.tolist()), tuple(sample.response_ids.tolist())): sample.response_logprobs.tolist()
        for sample in batch.samples()
    }
    assert len(recorded) >= 8
    for sample in samples:
        ids, mask = list(sample.input_ids), list(sample.completion_mask)
        prompt, response = tuple(ids[: mask.index(1)]), tuple(ids[mask.index(1) :])
        logprobs = list(sample.old_log_probs)[len(prompt) :]
        assert recorded[prompt, response] == pytest.approx([float(value) for value in logprobs], abs=1e-6)
    assert {round(sample.temperature, 4) for sample in batch.samples()} == {0.8}
