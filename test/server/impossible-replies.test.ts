import { afterEach, describe, expect, it } from "vitest";
import { type EngineWire, WIRES } from "../helpers/engine-frames.js";
import { type Change, IMPOSSIBLE, LOGPROB_OF_11, withVersion } from "../helpers/impossible-changes.js";
import { Proxy } from "../helpers/proxy.js";
import type { RawRequest } from "../helpers/raw-server.js";
import { startWireServer } from "../helpers/wire-server.js";

/** Replies with values that no engine can mean. The call fails, and nothing is recorded. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function start(wire: EngineWire, change: Change) {
  const answer = ({ socket, body }: RawRequest) => {
    const frame = change(JSON.stringify(wire.frame({ ids: [10, 11, 12], total: 3, last: true })));
    const streams = body.includes('"stream":true');
    const text = streams ? `data: ${frame}\n\ndata: [DONE]\n\n` : frame;
    const type = streams ? "text/event-stream" : "application/json";
    socket.end(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n${text}`);
  };
  const server = await startWireServer(wire, answer);
  const engine = wire.engine([server.url], { contextLength: 1000 });
  const proxy = await Proxy.start({ engine });
  open.push(server, engine, proxy);
  const session = await proxy.session();
  const call = async (extra: object) => {
    const reply = await proxy.chat(session, [{ role: "user", content: "a" }], { max_tokens: 5, ...extra });
    const recorded = proxy.context.registry.get(session.id).interactionCount;
    return { text: reply.raw.toString(), status: reply.status, recorded };
  };
  return { call, vocabularySize: proxy.context.model.vocabularySize };
}

describe.each(Object.entries(WIRES))("a reply of a %s server with", (_name, wire) => {
  it.each(Object.entries(IMPOSSIBLE))("%s fails the call", async (_what, [change, extra = {}]) => {
    const { call } = await start(wire, change);
    for (const stream of [false, true]) {
      const { text, status, recorded } = await call({ ...extra, stream });
      // The status of a stream may have been sent before its reply is read.
      expect([text.includes('"code":"engine_error"'), stream || status === 502, recorded]).toEqual([true, true, 0]);
    }
  });

  it.each([
    ["a rounding error of a log probability of 0", (json: string) => json.replace(LOGPROB_OF_11, "1e-6")],
    ["a label of its weights", withVersion('"step-1"')],
  ])("%s is recorded", async (_what, change) => {
    const { call } = await start(wire, change);
    for (const stream of [false, true]) expect((await call({ stream })).status).toBe(200);
  });
});

it("knows the vocabulary from the model folder", async () => {
  expect((await start(WIRES.sglang, (json) => json)).vocabularySize).toBe(512);
});
