import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { GrammarEngine } from "../helpers/scripted-engine.js";
import { accepts } from "../helpers/xgrammar.js";

/** Required calls, at most one call, and strict tools: the request fields of each protocol, and the grammar that the engine gets. */

let proxy: Proxy<GrammarEngine>;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start({ engine: new GrammarEngine(), settings: { enforceStrictTools: true } });
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
});

const PARAMETERS = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const CALL = (name: string, args: string) => `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
const TWO = `${CALL("add", '{"a": 1}')}\n${CALL("add", '{"a": 2}')}`;

const messages = [{ role: "user", content: "x" }];
const chatTool = (name: string, strict?: boolean) => ({
  type: "function",
  function: { name, parameters: PARAMETERS, ...(strict === undefined ? {} : { strict }) },
});

interface Asked {
  readonly url: string;
  readonly must: object;
  readonly named: object;
  readonly allowed: object;
  readonly single: object;
  /** One call must come, and no more. */
  readonly one: object;
  readonly strict: object;
  readonly plain: object;
}

const item = (name: string, strict: boolean | null) => ({ type: "function", name, parameters: PARAMETERS, strict });
const PROTOCOLS: [string, Asked][] = [
  [
    "chat completions",
    {
      url: "/v1/chat/completions",
      must: { messages, tools: [chatTool("add"), chatTool("sub")], tool_choice: "required" },
      named: {
        messages,
        tools: [chatTool("add"), chatTool("sub")],
        tool_choice: { type: "function", function: { name: "add" } },
      },
      allowed: {
        messages,
        tools: [chatTool("add"), chatTool("sub")],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "add" } }] },
        },
      },
      single: { messages, tools: [chatTool("add")], parallel_tool_calls: false },
      one: {
        messages,
        tools: [chatTool("add"), chatTool("sub")],
        tool_choice: "required",
        parallel_tool_calls: false,
      },
      strict: { messages, tools: [chatTool("add", true), chatTool("sub", false)] },
      plain: { messages, tools: [chatTool("add", false)], tool_choice: "auto", parallel_tool_calls: true },
    },
  ],
  [
    "responses",
    {
      url: "/v1/responses",
      must: { input: "x", tools: [item("add", false), item("sub", null)], tool_choice: "required" },
      named: {
        input: "x",
        tools: [item("add", false), item("sub", false)],
        tool_choice: { type: "function", name: "add" },
      },
      allowed: {
        input: "x",
        tools: [item("add", false), item("sub", false)],
        tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "add" }] },
      },
      single: { input: "x", tools: [item("add", false)], parallel_tool_calls: false },
      one: {
        input: "x",
        tools: [item("add", false), item("sub", false)],
        tool_choice: "required",
        parallel_tool_calls: false,
      },
      strict: { input: "x", tools: [item("add", true), item("sub", false)] },
      plain: { input: "x", tools: [item("add", false)], tool_choice: "auto" },
    },
  ],
  [
    "messages",
    (() => {
      const of = (name: string) => ({ name, input_schema: PARAMETERS });
      const base = { messages, max_tokens: 9 };
      return {
        url: "/v1/messages",
        must: { ...base, tools: [of("add"), of("sub")], tool_choice: { type: "any" } },
        named: { ...base, tools: [of("add"), of("sub")], tool_choice: { type: "tool", name: "add" } },
        allowed: { ...base, tools: [of("add")], tool_choice: { type: "any" } },
        single: { ...base, tools: [of("add")], tool_choice: { type: "auto", disable_parallel_tool_use: true } },
        one: {
          ...base,
          tools: [of("add"), of("sub")],
          tool_choice: { type: "any", disable_parallel_tool_use: true },
        },
        strict: { ...base, tools: [{ ...of("add"), strict: true }, of("sub")] },
        plain: { ...base, tools: [of("add")], tool_choice: { type: "auto", disable_parallel_tool_use: false } },
      };
    })(),
  ],
];

describe.each(PROTOCOLS)("%s", (_, asked) => {
  async function sendAndReadGrammar(body: object): Promise<string> {
    const reply = await proxy.post(asked.url, body, session.key);
    expect([reply.refusal, reply.headers["x-rolltape-not-enforced"]]).toEqual(["200", undefined]);
    const grammar = proxy.engine.calls.at(-1)?.sampling.grammar;
    return grammar?.kind === "structural_tag" ? grammar.tag : "";
  }

  it("enforces a required call of any tool", async () => {
    const tag = await sendAndReadGrammar(asked.must);
    expect(await accepts(tag, CALL("sub", '{"a": 1}'))).toBe(true);
    expect(await accepts(tag, TWO)).toBe(true);
    expect(await accepts(tag, "No.")).toBe(false);
  });

  it("enforces exactly one call of the named tool", async () => {
    const tag = await sendAndReadGrammar(asked.named);
    expect(await accepts(tag, CALL("add", '{"a": 1}'))).toBe(true);
    expect(await accepts(tag, TWO)).toBe(false);
    expect(await accepts(tag, CALL("sub", '{"a": 1}'))).toBe(false);
    const prompt = proxy.engine.calls.at(-1)?.prompt.tokens() ?? new Int32Array();
    expect(proxy.context.model.decode(prompt, { skipSpecialTokens: false })).not.toContain('"sub"');
  });

  it("enforces a call of an allowed tool", async () => {
    const tag = await sendAndReadGrammar(asked.allowed);
    expect(await accepts(tag, CALL("add", '{"a": 1}'))).toBe(true);
    expect(await accepts(tag, CALL("sub", '{"a": 1}'))).toBe(false);
    expect(await accepts(tag, "No.")).toBe(false);
  });

  it("enforces at most one call", async () => {
    const tag = await sendAndReadGrammar(asked.single);
    expect(await accepts(tag, `I add.\n${CALL("add", '{"a": 1}')}`)).toBe(true);
    expect(await accepts(tag, TWO)).toBe(false);
  });

  it("enforces exactly one call if one is required", async () => {
    const tag = await sendAndReadGrammar(asked.one);
    expect(await accepts(tag, CALL("sub", '{"a": 1}'))).toBe(true);
    expect(await accepts(tag, TWO)).toBe(false);
    expect(await accepts(tag, "No.")).toBe(false);
  });

  it("enforces the schema of strict tools only", async () => {
    const tag = await sendAndReadGrammar(asked.strict);
    expect(await accepts(tag, CALL("add", '{"a": "x"}'))).toBe(false);
    expect(await accepts(tag, CALL("sub", '{"a": "x"}'))).toBe(true);
    expect(await accepts(tag, "No.")).toBe(true);
  });

  it("sends no grammar if the request needs none", async () => {
    expect(await sendAndReadGrammar(asked.plain)).toBe("");
    expect(proxy.engine.calls.at(-1)?.sampling.grammar).toBeUndefined();
  });
});

describe("allowed tools", () => {
  it("are shown in the prompt, and no call is required", async () => {
    const allowed = { mode: "auto", tools: [{ type: "function", function: { name: "sub" } }] };
    const tools = [chatTool("add"), chatTool("sub")];
    const reply = await proxy.chat(session, messages, {
      tools,
      tool_choice: { type: "allowed_tools", allowed_tools: allowed },
    });
    expect(reply.refusal).toBe("200");
    const prompt = proxy.engine.calls.at(-1)?.prompt.tokens() ?? new Int32Array();
    const text = proxy.context.model.decode(prompt, { skipSpecialTokens: false });
    expect([text.includes('"sub"'), text.includes('"add"')]).toEqual([true, false]);
    expect(proxy.engine.calls.at(-1)?.sampling.grammar).toBeUndefined();
    const unknown = { mode: "auto", tools: [{ type: "function", function: { name: "div" } }] };
    const refused = await proxy.chat(session, messages, {
      tools,
      tool_choice: { type: "allowed_tools", allowed_tools: unknown },
    });
    expect(refused.error).toMatchObject({ param: "tool_choice", code: "invalid_value" });
  });
});

describe("rules that the engine cannot enforce", () => {
  it("are rejected, except strict, which a response header reports, also in streams", async () => {
    const plain = await Proxy.start();
    const own = await plain.session();
    for (const [, { url, must, single, strict }] of PROTOCOLS) {
      expect((await plain.post(url, must, own.key)).refusal).toBe("400 unsupported_parameter");
      expect((await plain.post(url, single, own.key)).refusal).toBe("400 unsupported_parameter");
      for (const stream of [false, true]) {
        const reply = await plain.post(url, { ...strict, stream }, own.key);
        expect([reply.status, reply.headers["x-rolltape-not-enforced"]]).toEqual([200, "tools.strict"]);
      }
    }
    await plain.close();
  });

  it("do not include strict tools by default", async () => {
    const free = await Proxy.start({ engine: new GrammarEngine() });
    const own = await free.session();
    for (const [, { url, must, strict }] of PROTOCOLS) {
      const reply = await free.post(url, strict, own.key);
      expect([reply.refusal, reply.headers["x-rolltape-not-enforced"]]).toEqual(["200", "tools.strict"]);
      expect(free.engine.calls.at(-1)?.sampling.grammar).toBeUndefined();
      await free.post(url, must, own.key);
      expect(free.engine.calls.at(-1)?.sampling.grammar).toBeDefined();
    }
    await free.close();
  });

  it("include a limit of one call and strict tools if an answer may begin like a call, but not required calls", async () => {
    const pythonic = await Proxy.start({
      engine: new GrammarEngine(),
      model: { toolCallParser: "pythonic" },
      settings: { enforceStrictTools: true },
    });
    const own = await pythonic.session();
    const single = await pythonic.chat(own, messages, { tools: [chatTool("add")], parallel_tool_calls: false });
    expect(single.error).toMatchObject({ param: "parallel_tool_calls", code: "unsupported_parameter" });
    const strict = await pythonic.chat(own, messages, { tools: [chatTool("add", true)] });
    expect([strict.refusal, strict.headers["x-rolltape-not-enforced"]]).toEqual(["200", "tools.strict"]);
    await pythonic.chat(own, messages, { tools: [chatTool("add")], tool_choice: "required" });
    const grammar = pythonic.engine.calls.at(-1)?.sampling.grammar;
    const tag = grammar?.kind === "structural_tag" ? grammar.tag : "";
    expect([await accepts(tag, "[add(a=1)]"), await accepts(tag, "[add()]")]).toEqual([true, false]);
    await pythonic.close();
  });

  it("include strict tools without a family of calls, but not a JSON schema", async () => {
    const none = await Proxy.start({ engine: new GrammarEngine(), model: { toolCallParser: "none" } });
    const own = await none.session();
    const format = { type: "json_schema", json_schema: { name: "n", schema: PARAMETERS } };
    const reply = await none.chat(own, messages, { tools: [chatTool("add", true)], response_format: format });
    expect([reply.refusal, reply.headers["x-rolltape-not-enforced"]]).toEqual(["200", "tools.strict"]);
    expect(none.engine.calls.at(-1)?.sampling.grammar).toEqual({
      kind: "json_schema",
      schema: JSON.stringify(PARAMETERS),
    });
    await none.close();
  });
});
