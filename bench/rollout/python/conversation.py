"""A conversation of several turns over asyncio's streams alone, so that no HTTP library is measured."""

import asyncio
import json
import random
import string

TURNS = 8
SYSTEM, QUESTION, OBSERVATION = 2_000, 2_000, 400


def random_text(length, seed):
    return "".join(random.Random(seed).choices(string.ascii_lowercase + " ", k=length))


system = random_text(SYSTEM, 1)
observations = [random_text(OBSERVATION, 2 + turn) for turn in range(TURNS)]


class Connections:
    """Keep-alive connections to one server."""

    def __init__(self, url):
        self._host, _, port = url.removeprefix("http://").partition(":")
        self._port = int(port)
        self._idle = []

    async def post(self, path, key, body):
        """Sends a JSON body. Returns the bytes of the answer."""
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nhost: {self._host}\r\nauthorization: Bearer {key}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        )
        header = None
        while header is None:
            is_reused = len(self._idle) > 0
            reader, writer = self._idle.pop() if is_reused else await self._connect()
            try:
                writer.write(head.encode() + content)
                header = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            except (asyncio.IncompleteReadError, ConnectionError):
                # The server closes connections that were idle for some seconds.
                if not is_reused:
                    raise
        answer = await read_body(reader, header)
        if not header.startswith("http/1.1 20"):
            raise RuntimeError(f"{path} failed: {answer[:500]!r}")
        self._idle.append((reader, writer))
        return answer

    async def _connect(self):
        return await asyncio.open_connection(self._host, self._port, limit=1 << 24)


async def read_body(reader, header):
    """Returns the body of an answer with this header, which may come in chunks."""
    if "content-length:" in header:
        return await reader.readexactly(int(header.split("content-length:", 1)[1].split("\r\n", 1)[0]))
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readexactly(2)
    return body


async def converse(connections, key, task):
    messages = [
        {"role": "system", "content": system},
        {"role": "user", "content": f"{task}: {random_text(QUESTION, 1000 + task)}"},
    ]
    for observation in observations:
        answer = await connections.post("/v1/chat/completions", key, {"model": "tiny", "messages": messages})
        content = json.loads(answer)["choices"][0]["message"]["content"]
        messages += [{"role": "assistant", "content": content}, {"role": "user", "content": observation}]
    return 1.0
