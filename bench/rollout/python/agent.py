"""The conversation as an agent."""

from conversation import Connections, converse

connections = {}


async def solve(task, context):
    url = context.base_url
    if url not in connections:
        connections[url] = Connections(url)
    return await converse(connections[url], context.api_key, task)


__all__ = ["solve"]
