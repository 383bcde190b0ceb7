import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";

/** Token ids of a client. An id beyond the vocabulary ends some engines, so it is refused before the engine gets it. */

let proxy: Proxy;
let session: StartedSession;
let size: number;
beforeAll(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
  size = proxy.context.model.vocabularySize;
});
afterAll(() => proxy.close());

const messages = [{ role: "user", content: "a" }];
const requests: [path: string, build: (fields: object) => object][] = [
  ["/v1/chat/completions", (fields) => ({ messages, ...fields })],
  ["/v1/responses", (fields) => ({ input: "a", ...fields })],
  ["/v1/messages", (fields) => ({ messages, max_tokens: 9, ...fields })],
  ["/v1beta/models/tiny:generateContent", (fields) => ({ contents: [{ parts: [{ text: "a" }] }], ...fields })],
];

describe.each(requests)("%s", (path, build) => {
  const post = (fields: object) => proxy.request({ method: "POST", url: path, payload: build(fields) }, session.key);

  it.each([
    ["logit_bias", (id: number) => ({ logit_bias: { [id]: 1 } })],
    ["stop_token_ids", (id: number) => ({ stop_token_ids: [1, id] })],
  ])("refuses ids beyond the vocabulary in %s", async (field, write) => {
    const before = proxy.engine.calls.length;
    for (const id of [size, 99_999, 2 ** 31 - 1]) {
      const reply = await post(write(id));
      expect([reply.status, reply.raw.toString()]).toEqual([
        400,
        expect.stringContaining(`${field} must have token ids below ${size}; received ${id}.`),
      ]);
    }
    expect(proxy.engine.calls.length).toBe(before);
    expect((await post(write(size - 1))).status).toBe(200);
  });
});
