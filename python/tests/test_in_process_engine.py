"""An engine that samples from a transformers model in this process. Needs torch and transformers."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from rolltape import Client, Server, engine_bridge, serve
from support import COMMAND, chat

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")

from rolltape.bridge.in_process import TransformersEngine  # noqa: E402

PROMPTS = [[5, 9, 31], [7] * 12, [40, 41, 42, 43, 44], [3]]


@pytest.fixture(scope="module")
def path(server: Server) -> Path:
    return Path(server.ready["model_path"])


@pytest.fixture(scope="module")
def model(path: Path) -> Any:
    return transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)


@pytest.fixture
def engine(model: Any, path: Path) -> TransformersEngine:
    return TransformersEngine(model, transformers.AutoTokenizer.from_pretrained(path), version=lambda: 4)


def ask(engine: TransformersEngine, *calls: dict[str, Any], prompts: list[list[int]] = PROMPTS) -> list[Any]:
    """Makes the calls at once, of which each has the prompt of its index."""

    async def main() -> list[Any]:
        with engine:
            pairs = zip(prompts, calls, strict=False)
            return await asyncio.gather(*(engine(ids, {"max_new_tokens": 8, **call}, "s") for ids, call in pairs))

    return asyncio.run(main())


def logprobs_of(model: Any, prompt: list[int], tokens: list[int], temperature: float = 1.0) -> list[float]:
    with torch.no_grad():
        logits = model(torch.tensor([prompt + tokens])).logits[0, len(prompt) - 1 : -1] / temperature
    return list(logits.log_softmax(-1).gather(1, torch.tensor(tokens)[:, None])[:, 0].tolist())


def test_calls_of_one_batch_have_their_own_options_and_log_probabilities(
    engine: TransformersEngine, model: Any
) -> None:
    model.train()
    calls: list[dict[str, Any]] = [
        {"temperature": 1.0},
        {"temperature": 0.5, "max_new_tokens": 3},
        {"temperature": 2.0, "top_k": 4},
        {"temperature": 0},
    ]
    replies = ask(engine, *calls)
    assert [len(tokens) for tokens, *_ in replies] == [8, 3, 8, 8]
    for prompt, call, (tokens, logprobs, reason, version) in zip(PROMPTS, calls, replies, strict=True):
        expected = logprobs_of(model, prompt, tokens, call["temperature"] or 1.0)
        assert logprobs == pytest.approx(expected, abs=1e-5)
        assert (reason, version) == ("length", 4)
    assert model.training


@pytest.mark.parametrize("only_best", [{"temperature": 0}, {"top_k": 1}, {"top_p": 1e-6}, {"min_p": 1.0}])
def test_options_that_keep_one_token_take_the_most_probable_one(
    engine: TransformersEngine, model: Any, only_best: dict[str, Any]
) -> None:
    ((tokens, *_),) = ask(engine, only_best)
    for index, token in enumerate(tokens):
        with torch.no_grad():
            logits = model(torch.tensor([PROMPTS[0] + tokens[:index]])).logits[0, -1]
        assert token == int(logits.argmax())


def test_truncated_sampling_draws_from_what_is_kept(engine: TransformersEngine, model: Any) -> None:
    with torch.no_grad():
        probs, order = model(torch.tensor([PROMPTS[0]])).logits[0, -1].softmax(-1).sort(descending=True)
    kept = int((probs.cumsum(0) - probs < 0.5).sum())
    one = {"max_new_tokens": 1}
    for option, allowed in [({"top_k": 3}, 3), ({"top_p": 0.5}, kept)]:
        replies = ask(engine, *[{**one, **option}] * 64, prompts=[PROMPTS[0]] * 64)
        drawn = {tokens[0] for tokens, *_ in replies}
        assert 1 < len(drawn) <= allowed
        assert drawn <= set(order[:allowed].tolist())


def test_a_seed_draws_the_same_in_any_batch(engine: TransformersEngine) -> None:
    seeded = {"sampling_seed": 2**62 + 1}
    (alone, *_) = ask(engine, seeded)
    (again, *_) = ask(engine, seeded, {}, {}, {})
    assert alone[0] == again[0]
    assert ask(engine, {})[0][0] != alone[0]


def test_stops_end_a_call(engine: TransformersEngine) -> None:
    ((greedy, *_),) = ask(engine, {"temperature": 0})
    stop = greedy[3]
    first = greedy.index(stop) + 1
    replies = ask(engine, {"temperature": 0, "stop_token_ids": [stop]})
    assert (replies[0][0], replies[0][2]) == (greedy[:first], "stop")
    replies = ask(engine, {"temperature": 0, "stop_token_ids": [stop], "ignore_eos": True})
    assert (replies[0][0], replies[0][2]) == (greedy, "length")
    replies = ask(engine, {"temperature": 0, "stop_token_ids": [stop], "min_new_tokens": first})
    assert stop not in replies[0][0][:first]
    assert len(replies[0][0]) > first
    text = engine._tokenizer.decode(greedy)
    replies = ask(engine, {"temperature": 0, "stop": [text[2:4]]})
    assert replies[0][2] == "stop"
    assert text[2:4] in engine._tokenizer.decode(replies[0][0])
    assert len(replies[0][0]) < len(greedy)


def test_what_is_not_supported_is_refused_by_name(engine: TransformersEngine) -> None:
    for option in ({"repetition_penalty": 1.1}, {"logit_bias": {"5": 1.0}}, {"json_schema": "{}"}):
        with pytest.raises(ValueError, match=next(iter(option))):
            ask(engine, option)


def test_a_model_that_fails_fails_its_calls_and_not_the_engine(engine: TransformersEngine) -> None:
    with pytest.raises(Exception, match="index out of range"):
        ask(engine, {}, prompts=[[10**6]])
    assert len(ask(engine, {})[0][0]) == 8


def test_calls_run_only_while_the_engine_is_open(engine: TransformersEngine) -> None:
    async def main() -> None:
        waiting = asyncio.ensure_future(engine(PROMPTS[0], {"max_new_tokens": 100_000}, "s"))
        await asyncio.sleep(0.3)
        assert not waiting.done()
        with engine:
            await asyncio.sleep(0.3)
            assert not waiting.done()
        # It has what was generated until then, and the proxy asks for the rest.
        tokens, logprobs, reason, _ = await asyncio.wait_for(waiting, 10)
        assert reason == "abort"
        assert len(tokens) == len(logprobs) > 0

    asyncio.run(main())


def test_a_call_is_continued_when_the_engine_is_open_again(engine: TransformersEngine, model: Any, path: Path) -> None:
    begun: list[float] = []

    def version() -> int:
        begun.append(time.monotonic())
        return len(begun)

    engine._version = version
    with engine_bridge(engine, context_length=4096) as bridge:
        settings = {"engine.type": "sglang", "engine.urls": bridge.url, "model.path": str(path)}
        quiet = {"server.shutdown_seconds": 0, "server.log_level": "warn"}
        with serve({**settings, **quiet}, command=COMMAND) as proxy, Client(proxy.url, proxy.admin_key) as client:
            client.grant_capacity()
            with client.session("continued") as session:

                async def main() -> Any:
                    call = asyncio.ensure_future(
                        asyncio.to_thread(chat, session, "hi", max_tokens=400, ignore_eos=True, temperature=1.0)
                    )
                    with engine:
                        while not begun or time.monotonic() < begun[0] + 0.2:
                            await asyncio.sleep(0.01)
                    with engine:
                        return await call

                completion = asyncio.run(main())
            batch = client.export_batch([session.session_id])
    assert completion["usage"]["completion_tokens"] == 400
    trained = batch["loss_mask"][0] == 1
    seen = batch["versions"][0][trained].tolist()
    assert seen == sorted(seen)
    assert set(seen) == {1, 2}
    ids = batch["input_ids"][0].tolist()
    expected = logprobs_of(model, ids[:-400], ids[-400:])
    assert batch["logprobs"][0][trained].tolist() == pytest.approx(expected, abs=2e-5)
