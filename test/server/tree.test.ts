import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";

let proxy: Proxy;
let session: StartedSession;
beforeEach(async () => {
  proxy = await Proxy.start({ messageFilters: [/date: \S+/gu] });
  session = await proxy.session();
});
afterEach(() => proxy.close());

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown, extra: object = {}) => ({ role: "assistant", content, ...extra });

interface Completion {
  readonly id: string;
  readonly choices: readonly [{ readonly message: { readonly content: string } }];
}

async function call(messages: readonly object[], headers = {}): Promise<{ id: string; text: string }> {
  const reply = await proxy.chat(session, messages, {}, headers);
  const { id, choices } = reply.json<Completion>();
  return { id, text: choices[0].message.content };
}

async function interactions() {
  await proxy.end(session);
  return Object.values((await proxy.export(session)).json<WireExport>().interactions);
}

async function exportParent(id: string): Promise<string | null | undefined> {
  return (await interactions()).find((each) => each.interaction_id === id)?.parent_id;
}

describe("the parent of a call", () => {
  it.each([
    ["as it was answered", (text: string) => assistant(text)],
    ["as text parts", (text: string) => assistant([{ type: "text", text }])],
    ["with trailing white space", (text: string) => assistant(`${text} \n`)],
    [
      "with empty and null extras",
      (text: string) => assistant(text, { tool_calls: [], refusal: null, annotations: [] }),
    ],
    ["with null tool calls and a name", (text: string) => assistant(text, { tool_calls: null, name: "bot" })],
    [
      "with provider metadata",
      (text: string) => assistant([{ type: "text", text, cache_control: { type: "ephemeral" } }]),
    ],
    ["with reasoning that the agent kept", (text: string) => assistant(text, { reasoning_content: "hm" })],
  ])("is found if the agent sends the answer back %s", async (_, echo) => {
    const first = await call([user("a")]);
    const second = await call([user("a"), echo(first.text), user("b")]);
    expect(await exportParent(second.id)).toBe(first.id);
  });

  it("is found if the changed text of the system message matches a filter", async () => {
    const first = await call([{ role: "system", content: "date: monday" }, user("a")]);
    const second = await call([
      { role: "system", content: "date: tuesday" },
      user("a"),
      assistant(first.text),
      user("b"),
    ]);
    expect(await exportParent(second.id)).toBe(first.id);
  });

  it("is found if tool arguments are spelled differently and have new call ids", async () => {
    const toolCall = (id: string, args: string) =>
      assistant(null, { tool_calls: [{ id, type: "function", function: { name: "f", arguments: args } }] });
    const first = await call([user("a"), toolCall("c1", '{"x":1,"y":[true]}'), user("b")]);
    const respelled = [
      user("a"),
      toolCall("c2", '{ "y": [true], "x": 1.0 }'),
      user("b"),
      assistant(first.text),
      user("c"),
    ];
    const second = await call(respelled);
    const other = await call([
      user("a"),
      toolCall("c1", '{"x":2,"y":[true]}'),
      user("b"),
      assistant(first.text),
      user("c"),
    ]);
    const all = await interactions();
    expect(all.find((each) => each.interaction_id === second.id)?.parent_id).toBe(first.id);
    expect(all.find((each) => each.interaction_id === other.id)?.parent_id).toBeNull();
  });

  it("is found by its messages if the agent rewrote the answer", async () => {
    const first = await call([user("a")]);
    const second = await call([user("a"), assistant("something else"), user("b")]);
    expect(await exportParent(second.id)).toBe(first.id);
  });

  it("is the longest match, and the newest of several", async () => {
    const root = await call([user("a")]);
    await call([user("a")]);
    const newest = await call([user("a")]);
    const child = await call([user("a"), assistant(newest.text), user("b")]);
    expect(child.id).not.toBe(root.id);
    expect(await exportParent(child.id)).toBe(newest.id);
  });

  it("is not found for another conversation", async () => {
    await call([user("a")]);
    const other = await call([user("b"), assistant("x"), user("c")]);
    expect(await exportParent(other.id)).toBeNull();
  });
});

describe("chat_template_type concat", () => {
  beforeEach(async () => {
    await proxy.close();
    proxy = await Proxy.start({ settings: { chatTemplateType: "concat" } });
    session = await proxy.session();
  });

  it("continues the parent's tokens, even if its text encodes differently", async () => {
    // The model sampled "ab" as two tokens that the tokenizer would never choose.
    const [stopId = 0] = proxy.context.model.stopTokenIds;
    proxy.engine.replies.push({ ids: [64, 65, stopId], finish: { reason: "stop", matched: stopId } });
    const first = await call([user("a")]);
    await call([user("a"), assistant(first.text), user("b")]);
    const [parent, child] = await interactions();
    if (!parent || !child) throw new Error("two interactions expected");
    expect(child.token_exact).toBe(true);
    const sequence = numbers(parent, "input_ids");
    expect(numbers(child, "input_ids").slice(0, sequence.length)).toEqual(sequence);
    const rest = proxy.engine.calls[1]?.prompt.tokens().slice(sequence.length) ?? new Int32Array();
    expect(proxy.context.model.decode(rest, { skipSpecialTokens: false })).toBe(
      "\n<|im_start|>user\nb<|im_end|>\n<|im_start|>assistant\n",
    );
  });

  it("keeps the parent on which the prompt was built, even if that call is repeated meanwhile", async () => {
    const first = await call([user("a")]);
    const release = proxy.engine.hold();
    const child = proxy.chat(session, [user("a"), assistant(first.text), user("b")]);
    await until(() => proxy.engine.calls.length === 2);
    proxy.engine.pass();
    const again = await call([user("a")], { "x-stainless-retry-count": "1" });
    release();
    const { id } = (await child).json<Completion>();
    const all = await interactions();
    expect(all.map((each) => [each.interaction_id, each.parent_id])).toEqual([
      [first.id, null],
      [again.id, null],
      [id, first.id],
    ]);
    expect(proxy.context.registry.get(session.id).leftOut.list()).toEqual([]);
  });

  it("adds the end-of-turn token to the prompt if the parent stopped without it", async () => {
    proxy.engine.replies.push({ ids: [64, 65], finish: { reason: "length" } });
    const first = await call([user("a")]);
    await call([user("a"), assistant(first.text), user("b")]);
    const [parent, child] = await interactions();
    if (!parent || !child) throw new Error("two interactions expected");
    expect(child.token_exact).toBe(true);
    const added = numbers(child, "input_ids")[numbers(parent, "input_ids").length] ?? -1;
    expect(proxy.context.model.decode(Int32Array.of(added), { skipSpecialTokens: false })).toBe("<|im_end|>");
    expect(numbers(child, "loss_mask")[numbers(parent, "input_ids").length]).toBe(0);
  });
});

describe("weight versions", () => {
  it("are the current ones when the request is sent to the engine, even if they change during generation", async () => {
    await proxy.post("/rl/set_version", { version: 3 });
    expect((await proxy.post("/rl/set_version", { version: -1 })).refusal).toBe("400 invalid_value");
    expect((await proxy.post("/rl/set_version", { version: 1.5 })).refusal).toBe("400 invalid_value");
    const release = proxy.engine.hold();
    const running = proxy.chat(session, [user("a")]);
    await until(() => proxy.engine.calls.length === 1);
    await proxy.post("/rl/set_version", { version: 4 });
    release();
    await running;
    const [only] = await interactions();
    expect(numbers(only as never, "versions").slice(-3)).toEqual([3, 3, 3]);
  });
});
