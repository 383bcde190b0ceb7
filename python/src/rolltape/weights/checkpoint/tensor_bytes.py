"""The bytes of a tensor, as safetensors stores them."""

from __future__ import annotations

from typing import Any

import numpy as np

_NUMPY = {
    "f4": "F32",
    "f2": "F16",
    "f8": "F64",
    "i4": "I32",
    "i8": "I64",
    "i2": "I16",
    "i1": "I8",
    "u1": "U8",
    "b1": "BOOL",
}
_TORCH = {
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "float64": "F64",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint8": "U8",
    "bool": "BOOL",
}


def read_tensor(name: str, tensor: Any, dtype: str | None) -> tuple[str, list[int], memoryview]:
    """Returns safetensors' dtype, the shape and the bytes of a numpy array or a PyTorch tensor on any device.

    dtype: PyTorch's name of the type that floating-point tensors are converted to; None keeps them.
    """
    if isinstance(tensor, np.ndarray):
        return _read_array(name, tensor, dtype)
    import torch

    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name} must be a PyTorch tensor or a numpy array; received {type(tensor).__name__}.")
    if dtype is not None and tensor.is_floating_point():
        tensor = tensor.to(getattr(torch, dtype))
    code = _TORCH.get(str(tensor.dtype).removeprefix("torch."))
    if code is None:
        raise TypeError(f"{name} has dtype {tensor.dtype}, which safetensors files cannot have.")
    # numpy has no bfloat16, so bytes are read.
    data = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
    return code, list(tensor.shape), memoryview(data)


def _read_array(name: str, array: np.ndarray[Any, Any], dtype: str | None) -> tuple[str, list[int], memoryview]:
    if dtype is not None and array.dtype.kind == "f":
        if dtype == "bfloat16":
            raise TypeError(f"{name} is a numpy array, which cannot be converted to bfloat16.")
        array = array.astype(dtype)
    code = _NUMPY.get(array.dtype.str[1:])
    if code is None:
        raise TypeError(f"{name} has dtype {array.dtype}, which safetensors files cannot have.")
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    data: Any = little.reshape(-1).view(np.uint8)
    return code, list(array.shape), memoryview(data)
