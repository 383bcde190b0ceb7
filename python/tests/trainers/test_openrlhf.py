"""The executor for OpenRLHF, through the published package's own actor and sample generator. Ray and vLLM are stubs."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from rolltape import Server
from scripted_engine import ScriptedEngine
from support import COMMAND

if find_spec("openrlhf") is None:
    pytest.skip("openrlhf is not installed", allow_module_level=True)

import torch

from torch_engine import TorchEngine


@dataclass
class SamplingParams:
    """The arguments of vLLM's class that the bridge and OpenRLHF use; others are refused."""

    n: int = 1
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    repetition_penalty: float = 1.0
    ignore_eos: bool = False
    stop: Any = None
    stop_token_ids: Any = None
    skip_special_tokens: bool = True
    spaces_between_special_tokens: bool = True
    logit_bias: Any = None
    max_tokens: int | None = 16
    min_tokens: int = 0
    include_stop_str_in_output: bool = False
    seed: int | None = None
    logprobs: int | None = None


ACTORS_PACKAGES = (
    "deepspeed",
    "peft",
    "peft.tuners.lora",
    "flash_attn.bert_padding",
    "flash_attn.utils.distributed",
)
"""Packages that OpenRLHF's actor imports, but does not need without a GPU."""


@pytest.fixture(scope="module")
def openrlhf() -> Iterator[SimpleNamespace]:
    """The modules that run samples. Importing the packages that they are in would need a GPU, so these are left empty."""
    before = dict(sys.modules)
    sys.modules["ray"] = MagicMock(remote=lambda kind: kind, get=lambda result: result)
    for name in ("ray.util", "ray.util.placement_group", "ray.util.scheduling_strategies"):
        sys.modules[name] = MagicMock()
    sys.modules["vllm"] = MagicMock(SamplingParams=SamplingParams)
    sys.modules["vllm.inputs"] = MagicMock(TokensPrompt=dict)
    sys.modules["vllm.utils"] = MagicMock(random_uuid=lambda: "id")
    for name in ACTORS_PACKAGES:
        sys.modules[name] = MagicMock()
    # Workers of Ray.
    sys.modules["openrlhf.trainer.ray.launcher"] = MagicMock()
    (root,) = importlib.import_module("openrlhf").__path__
    for name in ("models", "utils", "trainer", "trainer.ppo_utils", "trainer.ray"):
        package = sys.modules[f"openrlhf.{name}"] = ModuleType(f"openrlhf.{name}")
        package.__path__ = [str(Path(root, *name.split(".")))]
    loaded = SimpleNamespace(
        engine=importlib.import_module("openrlhf.trainer.ray.vllm_engine"),
        generator=importlib.import_module("openrlhf.trainer.ppo_utils.samples_generator"),
        maker=importlib.import_module("openrlhf.trainer.ppo_utils.experience_maker").RemoteExperienceMaker,
        actor=importlib.import_module("openrlhf.models.actor").Actor,
        loss=importlib.import_module("openrlhf.models.loss").PolicyLoss,
    )
    # transformers must not take them for installed.
    for name in ACTORS_PACKAGES:
        del sys.modules[name]
    yield loaded
    for name in set(sys.modules) - set(before):
        del sys.modules[name]
    sys.modules.update(before)


class AsyncEngine:
    """Has the part of vLLM's AsyncLLMEngine that OpenRLHF's actor calls."""

    def __init__(self, engine: ScriptedEngine | TorchEngine) -> None:
        self.engine = engine

    async def generate(self, prompt: Any, params: SamplingParams, request_id: str) -> AsyncIterator[Any]:
        sampling = {
            "max_new_tokens": params.max_tokens,
            "temperature": params.temperature,
            "stop_token_ids": params.stop_token_ids,
        }
        ids, logprobs, reason, _ = await self.engine(prompt["prompt_token_ids"], sampling, request_id)
        values = [{id: SimpleNamespace(logprob=logprob)} for id, logprob in zip(ids, logprobs, strict=True)]
        output = SimpleNamespace(token_ids=list(ids), logprobs=values, finish_reason=reason, text="")
        yield SimpleNamespace(outputs=[output])


AGENT = """
import asyncio
from rolltape.openrlhf import make_executor
from support import chat

failures = []

async def agent(task, session):
    messages = [{{"role": "user", "content": task["prompt"]}}]
    reply = await asyncio.to_thread(chat, session, messages, temperature=1.0, max_tokens=100)
    text = reply["choices"][0]["message"]["content"]
    messages += [{{"role": "assistant", "content": text}}, {{"role": "user", "content": "Go on."}}]
    await asyncio.to_thread(chat, session, messages)
    if task["label"] == "fails" or (task["label"] == "fails once" and not failures):
        failures.append(task)
        raise RuntimeError("the sandbox is gone")
    return 0.25 if task["label"] == "low" else 0.75

AgentExecutor = make_executor(agent, command={command!r}, max_attempts=2)
"""


class Run:
    """An actor with an engine, and a sample generator."""

    def __init__(
        self, openrlhf: SimpleNamespace, model_path: str, folder: Path, engine: ScriptedEngine | TorchEngine
    ) -> None:
        path = folder / "agent.py"
        path.write_text(AGENT.format(command=str(COMMAND)))
        self.engine: Any = engine
        self.actor = object.__new__(openrlhf.engine.RolloutRayActor)
        self.actor.llm, self.actor._mm_pad_token_ids = AsyncEngine(self.engine), None
        self.actor.executor = openrlhf.engine._load_agent_executor(str(path))
        self.tokenizer = SimpleNamespace(name_or_path=model_path)
        self.generator = object.__new__(openrlhf.generator.SamplesGenerator)

    def responses(self, label: str, samples: int, **params: Any) -> list[dict[str, Any]]:
        sampling = SamplingParams(temperature=0.7, max_tokens=32, min_tokens=1, **params)

        async def main() -> list[dict[str, Any]]:
            return list(
                await self.actor.generate_responses(
                    prompt="How are you?",
                    label=label,
                    sampling_params=sampling,
                    max_length=1024,
                    hf_tokenizer=self.tokenizer,
                    num_samples=samples,
                )
            )

        return asyncio.run(main())


@pytest.fixture
def run(openrlhf: SimpleNamespace, server: Server, tmp_path: Path) -> Run:
    path = str(server.ready["model_path"])
    return Run(openrlhf, path, tmp_path, ScriptedEngine(path, lambda prompt: f"answer {prompt.count('assistant')}"))


def test_samples_become_experiences_with_the_engines_tokens(run: Run) -> None:
    responses = run.responses("low", 3, logprobs=1)
    assert len(run.engine.calls) == 6
    assert {(sampling["temperature"], sampling["max_new_tokens"]) for _, sampling, _, _ in run.engine.calls} == {
        (0.7, 32)
    }
    calls = [(prompt, sampled) for prompt, _, _, sampled in run.engine.calls]
    last = [[*prompt, *sampled] for prompt, sampled in calls if "Go on." in run.engine.vocabulary.decode(prompt)]
    assert len(last) == 3
    for response in responses:
        experience = run.generator._process_response_into_experience(response, max_len=1024)
        ids = experience.sequences[0].tolist()
        assert ids in last
        # Of both turns, each token that the engine sampled, and no other.
        first = next(
            sampled for prompt, sampled in calls if ids[: len(prompt) + len(sampled)] == prompt + sampled != ids
        )
        second = next(sampled for prompt, sampled in calls if prompt + sampled == ids)
        mask = experience.action_mask[0].bool()
        assert experience.sequences[0][1:][mask].tolist() == first + second
        expected = np.float32([*run.engine.logprobs(first), *run.engine.logprobs(second)])
        assert experience.rollout_log_probs[0][mask].tolist() == expected.tolist()
        assert experience.rollout_log_probs[0][~mask].abs().max() == 0
        assert (experience.rewards.item(), experience.scores.item()) == (0.25, 0.25)
        assert experience.truncated.item() is False
        assert (experience.info["rows"].item(), experience.info["turns"].item()) == (1, 2)


ARGS = SimpleNamespace(
    train=SimpleNamespace(dynamic_batch_enable=False, colocate_all=False, colocate_actor_ref=False),
    ds=SimpleNamespace(ring_attn_size=1, tensor_parallel_size=1),
    rollout=SimpleNamespace(micro_batch_size=4, n_samples_per_prompt=2),
    algo=SimpleNamespace(
        kl=SimpleNamespace(use_loss=False), advantage=SimpleNamespace(estimator="group_norm", gamma=1.0)
    ),
    reward=SimpleNamespace(clip_range=None),
)


def test_the_loss_is_that_of_the_recorded_log_probabilities(
    openrlhf: SimpleNamespace, server: Server, tmp_path: Path
) -> None:
    path = str(server.ready["model_path"])
    run = Run(openrlhf, path, tmp_path, TorchEngine(path))
    responses = [run.responses(label, 1, logprobs=1)[0] for label in ("low", "high", "low", "low")]
    samples = [run.generator._process_response_into_experience(each, max_len=1024) for each in responses]

    actor = openrlhf.actor(run.engine.model, temperature=0.7)
    # Set where it loads the model itself.
    actor.packing_samples = False
    forward = SimpleNamespace(
        async_run_method_batch=lambda method_name, **batches: [
            [actor(*batch) for batch in zip(*(batches[name] for name in FORWARD), strict=True)]
        ]
    )
    strategy = SimpleNamespace(args=ARGS)
    tokenizer = SimpleNamespace(pad_token_id=0)
    maker = openrlhf.maker(forward, None, None, None, SimpleNamespace(value=0.0), strategy, tokenizer)
    sys.modules["ray"].put = lambda _: [[None]]  # type: ignore[attr-defined]
    (experience,) = maker.make_experience_batch(samples)

    mask, new, old = experience.action_mask, experience.action_log_probs, experience.rollout_log_probs
    assert (mask.sum(1) > 0).all()
    assert ((new - old).abs() * mask).max() < 1e-5
    pair = torch.tensor([0.25, 0.75])
    normalized = (pair - pair.mean()) / (pair.std() + 1e-9)
    advantages = torch.cat([normalized, torch.zeros(2)])[:, None] * mask
    # OpenRLHF gives it to the tokens between two turns too, which the loss masks.
    assert torch.allclose(experience.advantages * mask, advantages, atol=1e-6)
    loss, clipped, *_ = openrlhf.loss()(new, old, experience.advantages, mask)
    by_hand = -((new - old).exp() * advantages * mask).sum() / mask.sum()
    assert loss.item() == pytest.approx(by_hand.item(), abs=1e-6)
    assert clipped.item() == 0


FORWARD = ("sequences", "action_mask", "attention_mask")
"""The order of the actor's parameters."""


def test_log_probabilities_are_left_out_if_the_trainer_does_not_ask_for_them(run: Run) -> None:
    (response,) = run.responses("low", 1)
    assert response["rollout_log_probs"] is None
    assert run.generator._process_response_into_experience(response).rollout_log_probs is None


def test_an_episode_that_fails_is_run_again(run: Run) -> None:
    (response,) = run.responses("fails once", 1, logprobs=1)
    assert response["reward"] == 0.75
    assert len(run.engine.calls) == 4


def test_an_episode_that_fails_each_time_raises_the_agents_error(run: Run) -> None:
    with pytest.raises(RuntimeError, match="the sandbox is gone"):
        run.responses("fails", 1)
    assert len(run.engine.calls) == 4


def test_images_are_refused(run: Run) -> None:
    execute = run.actor.executor.execute("?", "", SamplingParams(), 64, run.tokenizer, run.actor, images=["a.png"])
    with pytest.raises(ValueError, match="Images"):
        asyncio.run(execute)
