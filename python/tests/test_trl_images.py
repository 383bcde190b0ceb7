"""TRL takes no images from rollouts. GRPOTrainer takes those of the dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from image_batches import BLUE, RED, image_batch
from rolltape import BatchError, Server
from rolltape.trl import rollout_reward
from rolltape.trl.rows import check_images

OPTIONS: dict[str, Any] = {"layout": "packed", "style": "concat", "turns": True}


def test_rows_with_images_are_refused(tmp_path: Path) -> None:
    batch = image_batch(tmp_path, RED, BLUE, **OPTIONS)
    with pytest.raises(BatchError, match=r"A row of session a has images\. TRL takes no images") as refused:
        check_images(batch)
    assert refused.value.code == "images_refused"
    check_images(batch.select([2]))


def test_images_of_the_dataset_are_allowed_only_before_the_first_answer(tmp_path: Path) -> None:
    batch = image_batch(tmp_path, RED, BLUE, **OPTIONS)
    with pytest.raises(BatchError, match="A row of session a has images after its prompt"):
        check_images(batch, in_prompts=True)
    check_images(batch.select([1, 2]), in_prompts=True)


def test_grpo_trainer_has_the_log_probabilities_of_rows_whose_images_are_in_the_dataset(
    tmp_path: Path, server: Server
) -> None:
    """The images of the batch make the same log probabilities as those of the dataset in TRL's own function."""
    for name in ("trl", "torchvision", "PIL"):
        pytest.importorskip(name)
    import datasets
    import torch
    from transformers import AutoProcessor
    from trl import GRPOConfig, GRPOTrainer

    import tiny_vision
    from rolltape import attention, vision

    folder = tiny_vision.write_vision_model(str(server.ready["model_path"]), tmp_path / "model")
    processor = AutoProcessor.from_pretrained(folder)
    apart: list[float] = []

    def rollout(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        calls = []
        for number, prompt in enumerate(prompts):
            rendered = processor.apply_chat_template(
                prompt, tokenize=True, add_generation_prompt=True, return_dict=True
            )
            ids = torch.as_tensor(rendered["input_ids"]).reshape(-1).tolist()
            place = {"offset": ids.index(tiny_vision.IMAGE_TOKEN), "length": ids.count(tiny_vision.IMAGE_TOKEN)}
            calls.append({"prompt": ids, "output": [70 + number, 71, 72], **place})
        batch = image_batch(tmp_path, tiny_vision.RED, tiny_vision.BLUE, calls=calls, **OPTIONS)
        batch = batch.select(range(len(batch) - len(calls), len(batch)))
        check_images(batch, in_prompts=True)
        arguments = attention.model_arguments(batch) | vision.inputs(batch, processor)
        with torch.no_grad():
            logprobs = attention.token_logprobs(trainer.model(**arguments).logits, batch)
        samples = list(batch.samples())
        return {
            "prompt_ids": [sample.prompt_ids.tolist() for sample in samples],
            "completion_ids": [sample.response_ids.tolist() for sample in samples],
            "logprobs": [logprobs[end - 3 : end].tolist() for end in batch["cu_seqlens"][1:].tolist()],
            "rollout_reward": [float(number) for number in range(len(samples))],
        }

    picture = vision.picture(image_batch(tmp_path, tiny_vision.RED, tiny_vision.BLUE).images()[0])
    prompt = [{"role": "user", "content": "look"}]
    trainer = GRPOTrainer(
        model=folder,
        reward_funcs=rollout_reward,
        processing_class=processor,
        args=GRPOConfig(
            str(tmp_path / "trained"),
            max_steps=1,
            per_device_train_batch_size=2,
            num_generations=2,
            use_cpu=True,
            bf16=False,
            report_to=[],
            save_strategy="no",
        ),
        train_dataset=datasets.Dataset.from_dict({"prompt": [prompt] * 2, "images": [[picture]] * 2}),
        rollout_func=rollout,
    )
    generate = trainer._generate_and_score_completions

    def generate_and_compare(inputs: Any) -> Any:
        rows = generate(inputs)
        ids = torch.cat([rows["prompt_ids"], rows["completion_ids"]], dim=1)
        mask = torch.cat([rows["prompt_mask"], rows["completion_mask"]], dim=1)
        images = {name: rows[name] for name in ("pixel_values", "image_grid_thw", "num_images", "mm_token_type_ids")}
        with torch.no_grad():
            new, *_ = trainer._get_per_token_logps_and_entropies(trainer.model, ids, mask, logits_to_keep=3, **images)
        apart.append(float((new - rows["sampling_per_token_logps"]).abs().max()))
        return rows

    trainer._generate_and_score_completions = generate_and_compare
    trainer.train()
    assert len(apart) == 1
    assert apart[0] < 1e-4
