from triton.backends.compiler import BaseBackend


class InterpreterBackend(BaseBackend):
    """Compiles nothing."""

    @staticmethod
    def supports_target(target):
        return target.backend == "cpu"

    def hash(self):
        return "interpreter"

    def get_module_map(self):
        return {}


# The abstract methods are those of a compiler.
InterpreterBackend.__abstractmethods__ = frozenset()
