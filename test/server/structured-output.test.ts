import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { GrammarEngine } from "../helpers/scripted-engine.js";

/** An engine with grammars gets the same JSON schema for the structured output of every protocol. */

const SCHEMA = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };

let proxy: Proxy<GrammarEngine>;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start({ engine: new GrammarEngine() });
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
});

const NULLS = { name: null, description: null, strict: null };
const messages = [{ role: "user", content: "x" }];

describe("an engine with grammars receives", () => {
  it.each([
    [
      "response_format",
      "/v1/chat/completions",
      { messages, response_format: { type: "json_schema", json_schema: { name: "n", strict: true, schema: SCHEMA } } },
    ],
    [
      "response_format with nulls",
      "/v1/chat/completions",
      { messages, response_format: { type: "json_schema", json_schema: { ...NULLS, schema: SCHEMA } } },
    ],
    [
      "text.format",
      "/v1/responses",
      { input: "x", text: { format: { type: "json_schema", name: "n", strict: true, schema: SCHEMA } } },
    ],
    [
      "output_config.format",
      "/v1/messages",
      { messages, max_tokens: 9, output_config: { format: { type: "json_schema", schema: SCHEMA } } },
    ],
  ])("the schema of %s", async (_, url, body) => {
    expect((await proxy.post(url, body, session.key)).refusal).toBe("200");
    expect(proxy.engine.calls.at(-1)?.sampling.grammar).toEqual({
      kind: "json_schema",
      schema: JSON.stringify(SCHEMA),
    });
  });

  it("a grammar for any object with json_object, and none with text", async () => {
    await proxy.chat(session, messages, { response_format: { type: "json_object" } });
    expect(proxy.engine.calls.at(-1)?.sampling.grammar).toEqual({ kind: "json_schema", schema: '{"type":"object"}' });
    await proxy.chat(session, messages, { response_format: { type: "text" } });
    expect(proxy.engine.calls.at(-1)?.sampling.grammar).toBeUndefined();
  });
});
