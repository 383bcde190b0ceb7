import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRealEngine } from "../support/real-engine.js";
import { openRig, type Rig } from "../support/rig.js";

/** Calls that a request forces. A model with random weights writes anything that the engine's grammar allows. */

const engine = openRealEngine();
const CALLS = engine.quick ? 4 : 24;

const PARAMETERS = {
  type: "object",
  properties: {
    city: { type: "string", maxLength: 24 },
    note: { type: "string", minLength: 3, maxLength: 400 },
    tags: { type: "array", items: { type: "string", minLength: 1, maxLength: 5 }, maxItems: 3 },
    unit: { type: "string", enum: ["c", "f"] },
  },
  required: ["city", "unit"],
  additionalProperties: false,
};
const TOOLS = ["get_weather", "get_time"].map((name) => ({
  type: "function",
  function: { name, parameters: PARAMETERS },
}));
const CUSTOM = TOOLS.map(({ function: { name } }) => ({ name, input_schema: PARAMETERS }));
const COMMON = { max_tokens: 1200, temperature: 1 };

let rig: Rig;
beforeAll(async () => {
  rig = await openRig(engine.name, engine);
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The calls of an answer; undefined if the token limit ended it. */
type Ask = (content: string) => Promise<readonly Call[] | undefined>;

async function send(path: string, body: object): Promise<Record<string, unknown>> {
  const { key } = await rig.session();
  const response = await fetch(`${rig.server.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", ...COMMON, ...body }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as Record<string, unknown>;
}

const chat =
  (fields: object): Ask =>
  async (content) => {
    const reply = await send("/v1/chat/completions", {
      messages: [{ role: "user", content }],
      tools: TOOLS,
      ...fields,
    });
    const [choice] = reply["choices"] as {
      finish_reason: string;
      message: { content: string | null; tool_calls?: { function: { name: string; arguments: string } }[] };
    }[];
    if (choice?.finish_reason === "length") return undefined;
    const calls = choice?.message.tool_calls ?? [];
    expect([choice?.finish_reason, calls.length > 0], choice?.message.content ?? "").toEqual(["tool_calls", true]);
    return calls.map(({ function: { name, arguments: args } }) => ({ name, args: JSON.parse(args) as Call["args"] }));
  };

const anthropic =
  (fields: object): Ask =>
  async (content) => {
    const reply = await send("/v1/messages", { messages: [{ role: "user", content }], tools: CUSTOM, ...fields });
    if (reply["stop_reason"] === "max_tokens") return undefined;
    expect(reply["stop_reason"], JSON.stringify(reply["content"])).toBe("tool_use");
    const blocks = reply["content"] as { type: string; name: string; input: Call["args"] }[];
    return blocks.filter(({ type }) => type === "tool_use").map(({ name, input }) => ({ name, args: input }));
  };

function expectFits({ args }: Call): void {
  const { city, note = "abc", unit } = args;
  expect([typeof city, typeof note, ["c", "f"].includes(String(unit))]).toEqual(["string", "string", true]);
  expect(String(city)).toMatch(/^.{0,24}$/su);
  expect(String(note)).toMatch(/^.{3,400}$/su);
}

const BOTH = ["get_weather", "get_time"];
const NAMED = { type: "function", function: { name: "get_time" } };
const CASES: readonly (readonly [string, Ask, "one" | "some", readonly string[]])[] = [
  ["required", chat({ tool_choice: "required" }), "some", BOTH],
  ["a named tool", chat({ tool_choice: NAMED }), "one", ["get_time"]],
  ["parallel_tool_calls: false", chat({ tool_choice: "required", parallel_tool_calls: false }), "one", BOTH],
  ["a named tool of Anthropic", anthropic({ tool_choice: { type: "tool", name: "get_time" } }), "one", ["get_time"]],
  [
    "disable_parallel_tool_use",
    anthropic({ tool_choice: { type: "any", disable_parallel_tool_use: true } }),
    "one",
    BOTH,
  ],
];

describe("a random model's forced calls", () => {
  it.each(CASES)("are calls that fit their schema: %s", async (_, ask, number, allowed) => {
    const answers = await Promise.all(Array.from({ length: CALLS }, (_, i) => ask(`Question ${i}`)));
    const ended = answers.filter((calls) => calls !== undefined);
    expect(ended.length).toBeGreaterThan(CALLS / 3);
    const calls = ended.flat();
    calls.forEach(expectFits);
    const names = new Set(calls.map((call) => call.name));
    expect([...names].filter((called) => !allowed.includes(called))).toEqual([]);
    expect(calls.length).toBeLessThanOrEqual(number === "one" ? ended.length : Number.POSITIVE_INFINITY);
  });
});

it("writes JSON for a schema that limits lengths", async () => {
  const format = { type: "json_schema", json_schema: { name: "weather", schema: PARAMETERS } };
  const texts = await Promise.all(
    Array.from({ length: CALLS }, async (_, i) => {
      const messages = [{ role: "user", content: `Question ${i}` }];
      const reply = await send("/v1/chat/completions", { messages, response_format: format });
      const [choice] = reply["choices"] as { finish_reason: string; message: { content: string } }[];
      return choice?.finish_reason === "stop" ? choice.message.content : undefined;
    }),
  );
  const ended = texts.filter((text) => text !== undefined);
  expect(ended.length).toBeGreaterThan(CALLS / 3);
  for (const text of ended) expectFits({ name: "", args: JSON.parse(text) as Call["args"] });
});
