import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { writeModelFolder } from "../model/support/model-folder.js";

/** If a prompt does not continue its parent's tokens, the metrics count the cause and the interaction keeps it. */

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

const readFallback = (proxy: Proxy, { id }: StartedSession, index: number) =>
  proxy.context.registry.get(id).interaction(index).fallback;

describe("in concat", () => {
  it("a prompt that continues its parent has no cause", async () => {
    const { session, history } = await firstTurn(concat);
    await concat.chat(session, [...history, user("b")]);
    expect(readFallback(concat, session, 1)).toBeUndefined();
  });

  it("changed tools and rewritten histories have different causes", async () => {
    const { session, history } = await firstTurn(concat);
    await concat.chat(session, [...history, user("b")], { tools: TOOLS });
    await concat.chat(session, [user("a"), { role: "assistant", content: "rewritten" }, user("b")]);
    expect([1, 2].map((index) => readFallback(concat, session, index))).toEqual(["tools_changed", "history_rewritten"]);
    for (const cause of ["tools_changed", "history_rewritten"]) {
      expect(await count(concat, `rolltape_continuation_fallbacks_total{cause="${cause}"}`)).toBe(1);
      expect(await count(concat, `rolltape_broken_prefixes_total{cause="${cause}"}`)).toBe(1);
    }
  });
});

describe("in concat, a call without a parent", () => {
  const system = (content: string) => ({ role: "system", content });

  it("has a cause if only the system message changed, and none if another conversation begins", async () => {
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

describe("in concat, with a template that shows a variable in the header", () => {
  const MODE = "{% if mode %}<|mode|>{{ mode }}{% endif %}";
  const TURNS = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}<|assistant|>";

  it("a changed variable is a cause if the template shows it", async () => {
    const folder = writeModelFolder(MODE + TURNS, ["<|end|>"]);
    const proxy = await Proxy.start({ folder, settings: { chatTemplateType: "concat" } });
    onTestFinished(() => proxy.close());
    proxy.engine.fallback = { ids: [10, 11] };
    const given = (mode: string, effort: string) => ({ chat_template_kwargs: { mode }, reasoning_effort: effort });
    const session = await proxy.session();
    const history: object[] = [];
    for (const extra of [given("a", "low"), given("a", "high"), given("b", "high"), given("b", "high")]) {
      history.push(user(`${history.length}`));
      const reply = await proxy.chat(session, history, extra);
      history.push(reply.json<{ choices: [{ message: object }] }>().choices[0].message);
    }
    const causes = [0, 1, 2, 3].map((index) => readFallback(proxy, session, index));
    expect(causes).toEqual([undefined, undefined, "template_args_changed", undefined]);
    expect(await count(proxy, 'rolltape_broken_prefixes_total{cause="template_args_changed"}')).toBe(1);
  });
});

describe("in hf", () => {
  it("a prompt whose rendering differs from its parent's tokens has a broken prefix", async () => {
    // The model sampled "ab" as two tokens that the tokenizer would never choose.
    rendering.engine.replies.push({ ids: [64, 65] });
    const { session, history } = await firstTurn(rendering);
    await rendering.chat(session, [...history, user("b")]);
    expect(await count(rendering, 'rolltape_broken_prefixes_total{cause="rerendered"}')).toBe(1);
    expect(readFallback(rendering, session, 1)).toBe("rerendered");
  });

  it("changed tools, changed variables and rewritten histories have different causes", async () => {
    rendering.engine.replies.push({ ids: [64, 65] });
    const { session, history } = await firstTurn(rendering);
    await rendering.chat(session, [...history, user("b")], { tools: TOOLS });
    await rendering.chat(session, [...history, user("b")], { chat_template_kwargs: { mode: "x" } });
    await rendering.chat(session, [user("a"), { role: "assistant", content: "rewritten" }, user("b")]);
    const causes = [1, 2, 3].map((index) => readFallback(rendering, session, index));
    expect(causes).toEqual(["tools_changed", "template_args_changed", "history_rewritten"]);
  });

  it("a prompt that begins with its parent's tokens has no cause", async () => {
    const { session, history } = await firstTurn(rendering);
    await rendering.chat(session, [...history, user("b")]);
    const child = rendering.context.registry.get(session.id).interaction(1);
    expect([child.tokenExact, child.fallback]).toEqual([true, undefined]);
  });

  it("a broken prefix is not counted as a fallback", async () => {
    const text = (await rendering.request({ url: "/metrics" }, null)).raw.toString();
    expect(text).not.toContain("rolltape_continuation_fallbacks_total{");
  });
});
