"""Receives pushed weights in vLLM's worker (`--worker-extension-cls vllm_push.PushExtension`), as trainers do, but without NCCL."""

from vllm.distributed.utils import StatelessProcessGroup


class PushExtension:
    """Mixed into the worker. `/collective_rpc` calls its methods."""

    def receive_weights(self, host: str, port: int) -> None:
        group = StatelessProcessGroup.create(host, port, rank=1, world_size=2)
        names = group.broadcast_obj(None, src=0)
        self.reload_weights(weights_iterator=((name, group.broadcast_obj(None, src=0)) for name in names))
