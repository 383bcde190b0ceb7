"""Sends the weights of GRPOTrainer to the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .external_transfer import ExternalWeightTransfer
from .weight_transfer import WeightTransfer


def weight_sync_callback(transfer: WeightTransfer | ExternalWeightTransfer, *, every_n_steps: int = 1) -> Any:
    """Returns a callback for `GRPOTrainer(callbacks=[…])` that sends the weights before the first step, and after steps.

    every_n_steps: after how many optimizer steps. With more than 1, episodes run with older weights in between.

    Every process of a distributed training needs the callback; the main one sends. Raises ImportError without transformers.
    """
    if every_n_steps < 1:
        raise ValueError(f"every_n_steps must be at least 1; received {every_n_steps}.")
    from transformers import TrainerCallback

    class WeightSync(TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            if state.is_world_process_zero:
                transfer.init_weight_transfer()
            send(given["model"], state)

        def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            if state.global_step % every_n_steps == 0:
                send(given["model"], state)

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.is_world_process_zero:
                transfer.destroy()

    def send(model: Any, state: Any) -> None:
        tensors = trained_tensors(model)
        if state.is_world_process_zero:
            transfer.pause()
            transfer.send_weights(tensors)
            transfer.resume()
        else:
            # Gathering a sharded parameter needs every process.
            for _ in tensors:
                pass
        _wait_for_all()

    return WeightSync()


def trained_tensors(model: Any) -> Iterator[tuple[str, Any]]:
    """Returns name and tensor of each trained parameter, with the names of its checkpoint. Sharded ones are gathered."""
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        tensor = parameter.full_tensor() if hasattr(parameter, "full_tensor") else parameter
        yield name.removeprefix("module.").replace("_checkpoint_wrapped_module.", ""), tensor.detach()


def _wait_for_all() -> None:
    """No process begins its next rollout while the engine still has the old weights."""
    import torch.distributed

    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.barrier()
