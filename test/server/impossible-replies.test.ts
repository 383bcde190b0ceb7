import { afterEach, describe, expect, it } from "vitest";
import { type EngineWire, WIRES } from "../helpers/engine-frames.js";
import { Proxy } from "../helpers/proxy.js";
import { type RawRequest, startRawServer } from "../helpers/raw-server.js";

/** Replies with values that no engine can mean. The call fails, and nothing is recorded. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

/** Changes the JSON of a reply with the tokens 10, 11 and 12. Their log probabilities are -10/64, -11/64 and -12/64. */
type Change = (json: string) => string;

async function start(wire: EngineWire, change: Change) {
  const answer = ({ socket, body }: RawRequest) => {
    const frame = change(JSON.stringify(wire.frame({ ids: [10, 11, 12], total: 3, last: true })));
    const streams = body.includes('"stream":true');
    const text = streams ? `data: ${frame}\n\ndata: [DONE]\n\n` : frame;
    const type = streams ? "text/event-stream" : "application/json";
    socket.end(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n${text}`);
  };
  const server = await startRawServer((request) => {
    if (request.line === wire.path && !request.body.includes("rolltape-logprobs-")) return answer(request);
    const models = JSON.stringify({ data: [{ id: "m", max_model_len: 1000 }] });
    return request.socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${models.length}\r\n\r\n${models}`);
  });
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

const LOGPROB = String(-11 / 64);
const withVersion =
  (version: string): Change =>
  (json) =>
    json.includes("meta_info")
      ? json.replace('"meta_info":{', `"meta_info":{"weight_version":${version},`)
      : json.replace('"choices":[{', `"choices":[{"weight_versions":[{"version":${version},"start":0,"end":3}],`);

const IMPOSSIBLE: Record<string, [change: Change, extra?: object]> = {
  "a log probability above 0": [(json) => json.replace(LOGPROB, "0.5")],
  "a log probability that is NaN": [(json) => json.replace(LOGPROB, "NaN")],
  "an id beyond the vocabulary": [(json) => json.replaceAll("11,", "99999,").replaceAll(":11,", ":99999,")],
  "more tokens than were asked for": [(json) => json, { max_tokens: 2 }],
  "weight version -1": [withVersion("-1")],
  'weight version "-1"': [withVersion('"-1"')],
};

describe.each(Object.entries(WIRES))("a reply of a %s server with", (_name, wire) => {
  it.each(Object.entries(IMPOSSIBLE))("%s fails the call", async (_what, [change, extra = {}]) => {
    const { call } = await start(wire, change);
    const whole = await call({ ...extra, stream: false });
    expect(whole.status).toBe(502);
    const streamed = await call({ ...extra, stream: true });
    for (const { text, recorded } of [whole, streamed])
      expect([text.includes('"code":"engine_error"'), recorded]).toEqual([true, 0]);
  });

  it.each([
    ["a rounding error of a log probability of 0", (json: string) => json.replace(LOGPROB, "1e-6")],
    ["a label of its weights", withVersion('"step-1"')],
  ])("%s is recorded", async (_what, change) => {
    const { call } = await start(wire, change);
    for (const stream of [false, true]) expect((await call({ stream })).status).toBe(200);
  });
});

it("knows the vocabulary from the model folder", async () => {
  expect((await start(WIRES.sglang, (json) => json)).vocabularySize).toBe(512);
});
