"""Replaces SGLang's package of compiled kernels, which cannot be loaded on a machine without a GPU.

SGLang's CPU engine imports names from it even if it computes with torch alone. The one function that it calls is written
with torch below. Every other name can be imported and raises when it is called, so nothing is computed wrongly. No
operator is implemented, so SGLang uses its own implementations in torch.
"""

import importlib.machinery
import sys

import torch


# The module of Qwen3.5, which those of all Qwen models with images import, looks these operators up when it is loaded.
_operators = torch.library.Library("sgl_kernel", "DEF")
for _name in (
    "fused_sigmoid_mul_cpu",
    "fused_qk_gemma_rmsnorm_cpu",
    "fused_qk_gemma_rmsnorm_with_gate_cpu",
    "fused_qkvzba_split_reshape_cat_contiguous_cpu",
):
    _operators.define(f"{_name}(Tensor x) -> Tensor")


def assign_req_to_token_pool_cpu(req_pool_indices, req_to_token, start, end, out_cache_loc, pool_len):
    """Writes the cache places of each request's new tokens into the request's row."""
    taken = 0
    for row, first, last in zip(req_pool_indices.tolist(), start.tolist(), end.tolist(), strict=True):
        count = last - first
        req_to_token[row, first:last] = out_cache_loc[taken : taken + count].to(req_to_token.dtype)
        taken += count


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def raise_missing(*args, **kwargs):
        raise NotImplementedError(f"sgl_kernel.{name} is a CUDA kernel, and this machine runs SGLang without them")

    return raise_missing


class _Cudart:
    """The calls with which SGLang pins host memory, for a machine where there is nothing to pin."""

    class cudaError:
        success = 0

    @staticmethod
    def cudaHostRegister(*args):
        return 0

    @staticmethod
    def cudaHostUnregister(*args):
        return 0


if not torch.cuda.is_available():
    torch.cuda.cudart = lambda: _Cudart


class _CpuMasks:
    """Makes SGLang's xgrammar backend apply every token mask with xgrammar's CPU kernel.

    SGLang does so for grammars of requests; with `--enable-strict-thinking` it takes the CUDA kernel.
    """

    TARGET = "sglang.srt.constrained.xgrammar_backend"

    def find_spec(self, name, path=None, target=None):
        if name != self.TARGET:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            for value in vars(module).values():
                if isinstance(value, type) and isinstance(vars(value).get("apply_vocab_mask"), staticmethod):
                    value.apply_vocab_mask = staticmethod(_apply_mask)

        spec.loader.exec_module = exec_module
        return spec


def _apply_mask(logits, vocab_mask):
    from xgrammar import apply_token_bitmask_inplace

    apply_token_bitmask_inplace(logits, vocab_mask, backend="cpu")


sys.meta_path.insert(0, _CpuMasks())
