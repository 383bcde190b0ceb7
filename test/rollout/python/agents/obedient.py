"""Agents that return their process id as the reward, or misbehave as ordered."""

import asyncio
import os
import subprocess
import sys
import threading
import time

NAMES = ["COMPAT_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "LEFT_BEHIND"]
key_at_import = os.environ.get("OPENAI_API_KEY")
sys.setrecursionlimit(10_000)


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("not even its text")


class Fatal(Exception):
    def __str__(self):
        sys.exit(5)


class Unwritable:
    def __repr__(self):
        raise RuntimeError("not even its text")


def note(order, text):
    """Writes a file whole, so that a test can wait for it."""
    with open(order["file"] + ".partial", "w") as file:
        file.write(text)
    os.rename(order["file"] + ".partial", order["file"])


def misbehave(order):
    """What an agent can do without waiting. Returns a reward, or None to go on."""
    what = order.get("do")
    if what == "raise":
        raise ValueError("the tool is broken")
    if what == "raise odd":
        raise Odd()
    if what == "raise fatal":
        raise Fatal()
    if what == "sys.exit odd":
        sys.exit(Unwritable())
    if what == "fork":
        parent = os.getpid()
        child = os.fork()
        if child:
            os.waitpid(child, 0)
        return 1 if os.getpid() == parent else 2
    if what == "raise long":
        raise ValueError("long " * 100_000 + "\x1b[31mred")
    if what == "recurse":
        return misbehave(order)
    if what == "sys.exit":
        sys.exit(3)
    if what == "os._exit":
        print("no GPU here", file=sys.stderr, flush=True)
        os._exit(7)
    if what == "crash":
        os.kill(os.getpid(), 11)
    if what == "none":
        return "None"
    if what == "reward":
        return order["reward"]
    if what == "odd reward":
        return {"nan": float("nan"), "inf": float("inf"), "object": object(), "list": [1], "text": "1", "huge": 10**400}[
            order["kind"]
        ]
    if what == "bad key":
        return {1: 1.0}
    if what == "bool":
        return True
    if what == "print":
        print("x" * order["size"])
        os.write(1, b'{"type": "done", "id": 0, "value": 99, "reusable": true}\n')
        subprocess.run(["echo", "from a child"], check=True)
    if what == "unicode":
        print("ä\ud800→")
        return len(order["text"]) if order["text"] == "ä\u2028😀\n\ud800" else 0
    if what == "stdin":
        return len(sys.stdin.read())
    if what == "move":
        os.chdir("/")
        os.environ["LEFT_BEHIND"] = "1"
    if what == "remove":
        os.chdir(order["file"])
        os.rmdir(order["file"])
    if what == "parent":
        note(order, str(subprocess.Popen(["sleep", "3600"]).pid))
    return None


def answer(result):
    return None if result == "None" else os.getpid() if result is None else result


def solve(task, context):
    result = misbehave(task)
    if task.get("do") in ("hang", "parent"):
        time.sleep(3600)
    return answer(result)


async def solve_async(task, context):
    result = misbehave(task)
    what = task.get("do")
    if what in ("block", "refuse"):
        note(task, "begun")
    if what == "block":
        time.sleep(3600)
    if what == "exit in a task":
        await asyncio.create_task(exit_later())
    if what == "cancel itself":
        raise asyncio.CancelledError("given up by itself")
    if what in ("hang", "parent"):
        try:
            await asyncio.sleep(3600)
        finally:
            if what == "hang" and "file" in task:
                note(task, "cancelled")
    while what == "refuse":
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass
    if what == "wait":
        while not os.path.exists(task["file"]):
            await asyncio.sleep(0.005)
    if what == "thread":
        return await asyncio.to_thread(threading.get_native_id)
    return answer(result)


async def exit_later():
    sys.exit(4)


def environment(task, context):
    seen = {name: os.environ.get(name) for name in NAMES}
    os.environ["LEFT_BEHIND"] = "1"
    expected = {**task, "LEFT_BEHIND": None}
    assert seen == expected, seen
    assert key_at_import is None
    return 1


def contextual(task, context):
    seen = [context.base_url, context.api_key, context.task_id, context.group_id]
    assert seen == task, seen
    return 1


class Counting:
    """Constructed once in each process."""

    def __init__(self, start=0):
        self.calls = start

    async def run(self, data, **extra_kwargs):
        assert set(extra_kwargs) == {"base_url", "api_key", "task_id", "group_id"}, extra_kwargs
        self.calls += 1
        return self.calls


class Failing:
    def __init__(self, attempts):
        raise OSError("no model here")

    def run(self, data):
        return 1


counting = Counting(10)


def keywords(data, *, api_key, **_):
    return len(api_key)


def awaitable(task, context):
    return solve_async(task, context)


def without_arguments():
    return 1


async def only_data(task):
    await asyncio.sleep(0)
    return task


number = 3
