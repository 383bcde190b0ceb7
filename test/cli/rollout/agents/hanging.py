"""Python agents for tests that never end."""

import asyncio
import time


def hang(task, context):
    time.sleep(60)


async def hang_async(task, context):
    await asyncio.sleep(60)
