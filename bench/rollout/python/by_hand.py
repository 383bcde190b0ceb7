"""What a user would write without Rolltape's controller: one asyncio process that starts sessions, runs the conversation,
sets rewards, ends sessions and exports batches.

Usage: by_hand.py URL ADMIN_KEY. Each line of standard input is `EPISODES CONCURRENT BATCH`; the answer is the seconds.
"""

import asyncio
import json
import sys
import time

from conversation import Connections, converse

url, admin_key = sys.argv[1:]


async def main():
    connections = Connections(url)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        episodes, concurrent, batch = (int(part) for part in line.split())
        started = time.perf_counter()
        await run(connections, episodes, concurrent, batch)
        print(time.perf_counter() - started, flush=True)


async def run(connections, episodes, concurrent, batch):
    tasks = iter(range(episodes))
    ended = []

    async def work():
        for task in tasks:
            ended.append(await run_episode(connections, task))
            if len(ended) == batch:
                sessions = ended.copy()
                ended.clear()
                await connections.post("/export_batch", admin_key, {"session_ids": sessions, "transport": "body"})

    await asyncio.gather(*(work() for _ in range(concurrent)))


async def run_episode(connections, task):
    await connections.post("/grant_capacity", admin_key, {"slots": 1})
    body = {"task_id": f"task-{task}", "group_id": f"task-{task}"}
    session = json.loads(await connections.post("/rl/start_session", admin_key, body))
    key = session["session_api_key"]
    reward = await converse(connections, key, task)
    await connections.post("/rl/set_reward", key, {"reward": reward})
    await connections.post("/rl/end_session", key, {})
    return session["session_id"]


asyncio.run(main())
