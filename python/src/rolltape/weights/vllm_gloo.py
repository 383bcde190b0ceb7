"""Receives pushed weights in vLLM over gloo, for servers without GPUs, or on the trainer's GPU, which NCCL refuses.

Start the server with `--worker-extension-cls rolltape.weights.vllm_gloo.GlooExtension` and
`--weight-transfer-config '{"backend": "gloo"}'`. Only vLLM's processes import this module.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
from vllm.distributed.weight_transfer.factory import WeightTransferEngineFactory
from vllm.distributed.weight_transfer.nccl_engine import (
    NCCLWeightTransferEngine,
    NCCLWeightTransferInitInfo,
    NCCLWeightTransferUpdateInfo,
)
from vllm.distributed.weight_transfer.packed_tensor import unpack_tensor

from .groups import ROOT, join_store, join_torch_group

_TIMEOUT = timedelta(seconds=300)


@dataclass(kw_only=True)
class GlooInitInfo(NCCLWeightTransferInitInfo):  # type: ignore[misc]
    group_name: str = "rolltape"


class GlooWeightTransferEngine(NCCLWeightTransferEngine):  # type: ignore[misc]
    """vLLM's engine for NCCL with another group. It receives each bucket as one tensor of bytes."""

    init_info_cls = GlooInitInfo

    def init_transfer_engine(self, init_info: GlooInitInfo) -> None:
        self.shutdown()
        parallel = self.parallel_config
        rank = init_info.rank_offset + parallel.data_parallel_index * parallel.world_size + parallel.rank
        store = join_store(init_info.master_address, init_info.master_port, init_info.world_size, _TIMEOUT)
        self.model_update_group = join_torch_group(
            "gloo", init_info.group_name, store, rank, init_info.world_size, _TIMEOUT
        )

    def receive_weights(self, update_info: NCCLWeightTransferUpdateInfo) -> None:
        if self.model_update_group is None:
            raise RuntimeError("The server is in no group: /init_weight_transfer_engine must be called first.")
        dtypes = [getattr(torch, name) for name in update_info.dtype_names]
        sizes = [math.prod(shape) * dtype.itemsize for shape, dtype in zip(update_info.shapes, dtypes, strict=True)]
        packed = torch.empty(sum(sizes), dtype=torch.uint8)
        torch.distributed.broadcast(packed, src=ROOT, group=self.model_update_group)
        tensors = unpack_tensor(packed.to(self.device), update_info.names, update_info.shapes, dtypes, sizes)
        self.model.load_weights(tensors)

    def shutdown(self) -> None:
        group: Any = self.model_update_group
        self.model_update_group = None
        if group is not None:
            torch.distributed.destroy_process_group(group)


WeightTransferEngineFactory.register_engine("gloo", GlooWeightTransferEngine)


class GlooExtension:
    """Mixed into vLLM's worker, which imports this module for it."""
