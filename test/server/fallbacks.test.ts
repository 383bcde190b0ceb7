import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../support/proxy.js";

/** Why a prompt did not continue its parent's tokens: counted by cause, and kept on the interaction. */

let concat: Proxy;
let rendering: Proxy;
beforeAll(async () => {
  concat = await Proxy.start({ settings: { chatTemplateType: "concat" } });
  rendering = await Proxy.start();
});
afterAll(() => Promise.all([concat.close(), rendering.close()]));

const user = (content: string) => ({ role: "user", content });
const TOOLS = [{ type: "function", function: { name: "f" } }];

async function firstTurn(proxy: Proxy): Promise<{ session: StartedSession; history: object[] }> {
  const session = await proxy.session();
  const reply = await proxy.chat(session, [user("a")]);
  const { choices } = reply.json<{ choices: [{ message: object }] }>();
  return { session, history: [user("a"), choices[0].message] };
}

async function count(proxy: Proxy, metric: string): Promise<number> {
  const text = (await proxy.request({ url: "/metrics" }, null)).raw.toString();
  const line = text.split("\n").find((each) => each.startsWith(`${metric} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

const fallbackOf = (proxy: Proxy, { id }: StartedSession, index: number) =>
  proxy.context.registry.get(id).interaction(index).fallback;

describe("in concat", () => {
  it("a continued turn has no cause", async () => {
    const { session, history } = await firstTurn(concat);
    await concat.chat(session, [...history, user("b")]);
    expect(fallbackOf(concat, session, 1)).toBeUndefined();
  });

  it("changed tools and rewritten histories are told apart", async () => {
    const { session, history } = await firstTurn(concat);
    await concat.chat(session, [...history, user("b")], { tools: TOOLS });
    await concat.chat(session, [user("a"), { role: "assistant", content: "rewritten" }, user("b")]);
    expect([1, 2].map((index) => fallbackOf(concat, session, index))).toEqual(["tools_changed", "history_rewritten"]);
    for (const cause of ["tools_changed", "history_rewritten"]) {
      expect(await count(concat, `rolltape_continuation_fallbacks_total{cause="${cause}"}`)).toBe(1);
      expect(await count(concat, `rolltape_broken_prefixes_total{cause="${cause}"}`)).toBe(1);
    }
  });
});

describe("in concat, a call without a parent", () => {
  const system = (content: string) => ({ role: "system", content });

  it("says that only the system message changed, and nothing when another conversation begins", async () => {
    const session = await concat.session();
    const reply = await concat.chat(session, [system("one"), user("a")]);
    const { choices } = reply.json<{ choices: [{ message: object }] }>();
    await concat.chat(session, [system("two"), user("a"), choices[0].message, user("b")]);
    await concat.chat(session, [user("a"), choices[0].message, user("b"), choices[0].message, user("c")]);
    await concat.chat(session, [system("one"), user("another")]);
    const interactions = [1, 2, 3].map((index) => concat.context.registry.get(session.id).interaction(index));
    expect(interactions.map(({ parent, fallback }) => [parent, fallback])).toEqual([
      [-1, "system_changed"],
      [-1, "system_changed"],
      [-1, undefined],
    ]);
  });
});

describe("in hf", () => {
  it("a prompt that the template renders differently from its parent's tokens is a broken prefix", async () => {
    // "ab" sampled as two tokens that the tokenizer would never choose for it.
    rendering.engine.replies.push({ ids: [64, 65] });
    const { session, history } = await firstTurn(rendering);
    await rendering.chat(session, [...history, user("b")]);
    expect(await count(rendering, 'rolltape_broken_prefixes_total{cause="rendered_differently"}')).toBe(1);
    expect(fallbackOf(rendering, session, 1)).toBeUndefined();
  });
});
