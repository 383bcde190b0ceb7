"""Reads which agent to run, imports it, and runs its tasks until standard input closes."""

import json
import sys

OLDEST = (3, 10)


def refuse_old_python() -> None:
    """Reports an interpreter that is too old. The other modules use newer syntax, so they are not imported before."""
    if sys.version_info >= OLDEST:
        return
    found = ".".join(str(part) for part in sys.version_info[:3])
    oldest = ".".join(str(part) for part in OLDEST)
    text = f"Python {oldest} or newer is required; {sys.executable} is Python {found}"
    error = {"code": "import_failed", "message": text, "traceback": ""}
    print(json.dumps({"type": "load_failed", "error": error}), flush=True)
    sys.exit(1)


def start() -> None:
    """Runs the worker."""
    refuse_old_python()
    from rolltape.worker.main import main

    main()


if __name__ == "__main__":
    start()
