import { afterEach, describe, expect, it } from "vitest";
import { ServerConnections } from "../../../src/engine/servers/wire/connections.js";
import { ReplySize } from "../../../src/engine/servers/wire/reply-size.js";
import { type EngineWire, logprobOf, streamText, WIRES } from "../../helpers/engine-frames.js";
import { type RawRequest, startRawServer } from "../../helpers/raw-server.js";
import { startWireServer, writeForEver } from "../../helpers/wire-server.js";
import { makeCall } from "../generate-call.js";

/** Servers whose replies do not end: a call may take as many bytes as the tokens that it asks for. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function start(wire: EngineWire, answer: (request: RawRequest) => unknown) {
  const server = await startWireServer(wire, answer);
  const engine = wire.engine([server.url]);
  open.push(server, engine);
  return engine;
}

const head = (type: string, status = "200 OK") =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n`;

const CHUNKED = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const KILOBYTES_64 = 1 << 16;

/** How each reply begins, and what it repeats. Without the latter, it is white space. */
const ENDLESS: Record<string, [begin: string, filler?: string]> = {
  "a reply that is not streamed": [head("application/json")],
  "a stream without an end of its frame": [`${head("text/event-stream")}data: {"x":"`],
  "a stream of comments": [`${head("text/event-stream")}: `],
};

/** These bytes are part of HTTP, not of a body. */
const ENDLESS_HTTP: typeof ENDLESS = {
  "a status line": ["HTTP/1.1 200 "],
  "informational responses": ["", "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n".repeat(1000)],
  "the size of a chunk": [CHUNKED, "0".repeat(KILOBYTES_64)],
  "the extension of a chunk": [`${CHUNKED}1;`, "a".repeat(KILOBYTES_64)],
  "extensions of small chunks": [CHUNKED, `1;${"a".repeat(KILOBYTES_64)}\r\n:\r\n`],
  headers: ["HTTP/1.1 200 OK\r\n", "x: y\r\n".repeat(1000)],
  trailers: [`${CHUNKED}2\r\n{}\r\n0\r\n`, "x: y\r\n".repeat(1000)],
};

it("grows with the sampling masks that a server may send", () => {
  const limit = (maxMaskIds: number) => {
    const size = new ReplySize(makeCall([1], { maxTokens: 100 }), { format: "vllm", asked: {}, maxMaskIds });
    let bytes = 0;
    expect(() => {
      for (; ; bytes += 1 << 16) size.add(1 << 16);
    }).toThrow("The engine's reply is too long");
    return bytes;
  };
  // 100 masks of 150,000 ids with six digits and a comma.
  expect(limit(150_000)).toBeGreaterThan(105e6);
  expect(limit(0)).toBeLessThan(20e6);
});

it("ends a control request whose reply does not end", async () => {
  let written: Promise<number> | undefined;
  const server = await startRawServer((request) => {
    written = writeForEver(request, head("application/json"));
  });
  const connections = new ServerConnections(server.url, 1, {});
  open.push(server, connections);
  await expect(connections.get("server_info")).rejects.toMatchObject({ code: "engine_error" });
  expect(server.requests).toHaveLength(1);
  expect(await written).toBeLessThan(64 << 20);
});

describe.each(Object.entries(WIRES))("an endless reply of a %s server", (_name, wire) => {
  it.each(Object.entries(ENDLESS))(
    "that is %s fails its call, whose connection is closed",
    async (_kind, [begin, filler]) => {
      let written: Promise<number> | undefined;
      const engine = await start(wire, (request) => {
        written = writeForEver(request, begin, filler);
      });
      const call = makeCall([1, 2], { maxTokens: 30 }, { onTokens: () => undefined });
      await expect(engine.generate(call)).rejects.toMatchObject({
        code: "engine_error",
        message: expect.stringContaining("The engine's reply is too long") as string,
      });
      expect(await written).toBeLessThan(64 << 20);
    },
  );

  it.each(Object.entries(ENDLESS_HTTP))(
    "in %s fails its call, whose connection is closed",
    async (_kind, [begin, filler]) => {
      let written: Promise<number> | undefined;
      const engine = await start(wire, (request) => {
        written = writeForEver(request, begin, filler);
      });
      const call = makeCall([1, 2], { maxTokens: 30 }, { onTokens: () => undefined });
      await expect(engine.generate(call)).rejects.toMatchObject({ code: "engine_error" });
      expect(await written).toBeLessThan(64 << 20);
    },
  );

  it("that is an error fails its call with the beginning, and the connection is closed", async () => {
    let written: Promise<number> | undefined;
    const engine = await start(wire, (request) => {
      written = writeForEver(request, `${head("application/json", "500 Oops")}{"message":"no"}`);
    });
    await expect(engine.generate(makeCall([1, 2]))).rejects.toThrow("The engine answered HTTP 500: no");
    expect(await written).toBeLessThan(64 << 20);
  });

  it("leaves the other calls alone", async () => {
    const text = streamText(wire, 4).join("");
    const engine = await start(wire, (request) => {
      if (request.body.includes('"max_tokens":7') || request.body.includes('"max_new_tokens":7')) {
        return void writeForEver(request, head("application/json"));
      }
      return request.socket.end(head("text/event-stream") + text);
    });
    const endless = engine.generate(makeCall([1, 2], { maxTokens: 7 }));
    const other = makeCall([1, 2], { maxTokens: 30 }, { onTokens: () => undefined });
    await engine.generate(other);
    expect(Array.from(other.generation.logprobs())).toEqual(Array.from(other.generation.ids(), logprobOf));
    await expect(endless).rejects.toMatchObject({ code: "engine_error" });
  });
});
