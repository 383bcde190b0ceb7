import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { restoreSpelling } from "../../src/server/memory/restore-spelling.js";
import { eventLoop } from "../../src/support/async/event-loop.js";
import { countSteps } from "../helpers/iterations.js";
import { Proxy } from "../helpers/proxy.js";

/** The work on a body of several megabytes is divided into steps, and other requests run between them. */

const MEGABYTES = 3;

let proxy: Proxy;

beforeAll(async () => (proxy = await Proxy.start()));
afterAll(() => proxy.close());

/** Returns a text of this many megabytes as JSON spells it. */
const spelled = (escape: string): string => escape.repeat((MEGABYTES << 20) / escape.length);

describe("a huge body", () => {
  it.each([
    ["escapes", spelled(String.raw`\u0041`)],
    ["quotes", spelled(String.raw`\"`)],
    ["words", spelled("word ")],
    ["the name of a prototype", spelled("__proto__ ")],
  ])("of %s is decoded, parsed, remembered and checked in different iterations of the event loop", async (_, text) => {
    const session = await proxy.session();
    let turn = 0;
    const next = eventLoop.yield.bind(eventLoop);
    vi.spyOn(eventLoop, "yield").mockImplementation(() => {
      turn++;
      return next();
    });
    const parsedIn: number[] = [];
    const parse = JSON.parse;
    vi.spyOn(JSON, "parse").mockImplementation((json: string, ...rest) => {
      if (json.length > text.length) parsedIn.push(turn);
      return parse(json, ...rest) as unknown;
    });
    const payload = `{"messages":[{"role":"user","content":"hello"}],"user":"${text}"}`;
    const headers = { "content-type": "application/json" };
    const reply = await proxy.request({ method: "POST", url: "/v1/chat/completions", headers, payload }, session.key);
    vi.restoreAllMocks();
    expect(reply.status).toBe(200);
    expect(parsedIn).toHaveLength(1);
    // Before: each slice and the check of the text. After: the spelling, the search for elements (three), validation, the route.
    expect(parsedIn[0]).toBeGreaterThanOrEqual(MEGABYTES / 2 + 1);
    expect(turn - (parsedIn[0] ?? 0)).toBeGreaterThanOrEqual(6);
  });
});

describe("a message with hundreds of tool calls", () => {
  it("is converted and rendered in different iterations of the event loop", async () => {
    const next = vi.spyOn(eventLoop, "yield");
    // Each step takes longer than a slice.
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 100));
    onTestFinished(() => clock.mockRestore());
    const promptOf = async (count: number): Promise<number> => {
      next.mockClear();
      const toolCalls = Array.from({ length: count }, (_, i) => ({ id: `c${i}`, name: "f", arguments: "{}" }));
      await proxy.context.model.prompt({ messages: [{ role: "assistant", content: "", toolCalls }] });
      return next.mock.calls.length;
    };
    const [few, many] = [await promptOf(10), await promptOf(600)];
    next.mockRestore();
    expect([few, many]).toEqual([0, 1]);
  });
});

describe("the spelling of a huge tool call", () => {
  it("is restored in steps", () => {
    const call = (text: string) =>
      `{"messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"x":1.0,"y":"${text}"}}]}]}`;
    const json = call(spelled("word "));
    const { result, count } = countSteps(restoreSpelling(json, JSON.parse(json)));
    expect(JSON.stringify(result).length).toBeGreaterThan(MEGABYTES << 20);
    // The field's text, the message's bytes, its text, its value, the comparison, the restored value.
    expect(count).toBeGreaterThanOrEqual(6);
    const short = call("word");
    expect(countSteps(restoreSpelling(short, JSON.parse(short))).count).toBe(3);
  });
});
