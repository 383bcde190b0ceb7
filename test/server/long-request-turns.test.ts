import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { Turn } from "../../src/session/turn/turn.js";
import { Proxy } from "../helpers/proxy.js";

/** A long request must not block the event loop: other requests run between its steps. */

let proxy: Proxy;
let iteration = 0;
let ticker: NodeJS.Immediate;

beforeAll(async () => {
  proxy = await Proxy.start();
  const tick = () => {
    iteration++;
    ticker = setImmediate(tick);
  };
  tick();
});
afterEach(() => void vi.restoreAllMocks());
afterAll(async () => {
  clearImmediate(ticker);
  await proxy.close();
});

const LONG = "word ".repeat(20_000);
const description = { type: "function", function: { name: "f", description: LONG } };

it.each([
  ["a long message", { messages: [{ role: "user", content: LONG }] }],
  ["a tool with a long description", { messages: [{ role: "user", content: "hello" }], tools: [description] }],
])("runs each step of %s in its own iteration of the event loop", async (_, body) => {
  const session = await proxy.session();
  const payload = { model: "tiny", ...body };
  const steps: Record<string, number> = {};
  const parse = JSON.parse;
  vi.spyOn(JSON, "parse").mockImplementation((text: string) => {
    if (text.length > LONG.length) steps["parse"] ??= iteration;
    return parse(text) as unknown;
  });
  const started = proxy.context.registry.get(session.id);
  const begin = started.begin.bind(started);
  vi.spyOn(started, "begin").mockImplementation((...args) => {
    steps["digest"] ??= iteration;
    return begin(...args);
  });
  const prompt = proxy.context.model.prompt.bind(proxy.context.model);
  vi.spyOn(proxy.context.model, "prompt").mockImplementation((...args) => {
    steps["render"] ??= iteration;
    return prompt(...args);
  });

  // The prompt is too long for the engine, which is noticed only when it is rendered.
  const reply = await proxy.post("/v1/chat/completions", payload, session.key);
  expect(reply.error.code).toBe("context_length_exceeded");
  expect(Object.keys(steps)).toEqual(["parse", "digest", "render"]);
  const [parsed = 0, digested = 0, rendered = 0] = Object.values(steps);
  // Two more iterations than steps: validation has one too.
  expect(digested - parsed).toBeGreaterThanOrEqual(2);
  expect(rendered - digested).toBeGreaterThanOrEqual(1);
});

/** Calls `note` before each call of a method of turns. */
function noteCalls(method: "buildPrompt" | "record", note: () => void): void {
  const original = Reflect.get(Turn.prototype, method) as (this: Turn, ...args: unknown[]) => never;
  vi.spyOn(Turn.prototype, method).mockImplementation(function (this: Turn, ...args: unknown[]) {
    note();
    return original.call(this, ...args);
  });
}

it("runs each step with the tokens of a session's first, long prompt in its own iteration", async () => {
  const session = await proxy.session();
  proxy.engine.context = 1 << 24;
  const steps: Record<string, number> = {};
  const note = (step: string) => (steps[step] = iteration);
  const prompt = proxy.context.model.prompt.bind(proxy.context.model);
  vi.spyOn(proxy.context.model, "prompt").mockImplementation(async (...args) => {
    const encoded = await prompt(...args);
    note("encoded");
    return encoded;
  });
  noteCalls("buildPrompt", () => note("compared"));
  noteCalls("record", () => note("recorded"));
  const generate = proxy.engine.generate.bind(proxy.engine);
  vi.spyOn(proxy.engine, "generate").mockImplementation(async (...args) => {
    note("sent");
    const result = await generate(...args);
    note("answered");
    return result;
  });

  await proxy.turn(session, [{ role: "user", content: LONG }]);
  const { encoded = 0, compared = 0, sent = 0, answered = 0, recorded = 0 } = steps;
  expect(compared).toBeGreaterThan(encoded);
  expect(sent).toBeGreaterThan(compared);
  expect(recorded).toBeGreaterThan(answered);
});
