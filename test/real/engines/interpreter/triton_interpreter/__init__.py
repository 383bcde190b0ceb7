"""Lets vLLM's V2 model runner start on a machine without a GPU, where Triton's interpreter runs its kernels.

Triton needs a backend with an active driver, although the interpreter compiles nothing; vLLM asks the driver for the device.
"""


def register() -> None:
    """Replaces the kernel that Triton's interpreter cannot run with vLLM's own implementation in PyTorch."""
    from vllm.v1.sample.ops import topk_topp_sampler as sampler

    def top_k_top_p(logits, k, p, *_args, **_options):
        return sampler.apply_top_k_top_p_pytorch(logits, k, p)

    sampler.apply_top_k_top_p_triton = top_k_top_p
