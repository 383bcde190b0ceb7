"""Lets SGLang start with `--enable-lora` and `--enable-memory-saver` on a machine without a GPU."""

import contextlib

import torch


def register() -> None:
    """Leaves out the pinning of host memory, which copies to a GPU need, and the library that frees a GPU's memory."""
    torch.Tensor.pin_memory = lambda tensor, *_: tensor
    for name in ("tensor", "zeros"):
        setattr(torch, name, _unpinned(getattr(torch, name)))

    from sglang.srt.plugins.hook_registry import HookRegistry, HookType

    saver = "sglang.srt.utils.torch_memory_saver_adapter._TorchMemorySaverAdapterReal"
    for name in ("configure_subprocess", "region", "disable"):
        HookRegistry.register(f"{saver}.{name}", lambda *_, **__: contextlib.nullcontext(), HookType.REPLACE)
    for name in ("pause", "resume"):
        HookRegistry.register(f"{saver}.{name}", lambda *_, **__: None, HookType.REPLACE)
    updater = "sglang.srt.managers.scheduler_components.weight_updater.SchedulerWeightUpdaterManager"
    HookRegistry.register(f"{updater}.release_memory_occupation", _lose, HookType.AFTER)


def _unpinned(make):
    def unpinned(*args, pin_memory=False, **options):
        return make(*args, **options)

    return unpinned


def _lose(reply, updater, _request):
    """Overwrites the weights, which a GPU's memory loses when it is freed."""
    for weight in updater.tp_worker.model_runner.model.parameters():
        weight.data.fill_(float("nan"))
    return reply
