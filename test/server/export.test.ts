import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";

let proxy: Proxy;
beforeEach(async () => {
  proxy = await Proxy.start({ settings: { chatTemplateType: "concat" } });
});
afterEach(() => proxy.close());

const user = (content: string) => ({ role: "user", content });

interface Completion {
  readonly id: string;
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly choices: readonly [{ readonly message: object }];
}

/** Creates an ended session with a conversation of `turns` turns and reward 1. */
async function episode(
  turns: number,
  messages: object[] = [],
): Promise<{ session: StartedSession; calls: Completion[] }> {
  const session = await proxy.session();
  const calls: Completion[] = [];
  for (let i = 0; i < turns; i++) {
    messages.push(user(`turn ${i}`));
    proxy.engine.replies.push({ ids: [40 + i, 50 + i, 60 + i] });
    const completion = (await proxy.chat(session, messages)).json<Completion>();
    calls.push(completion);
    messages.push(completion.choices[0].message);
  }
  if (turns > 0) await proxy.reward(session, 1);
  await proxy.end(session);
  return { session, calls };
}

const promptIds = (call: number) => [...(proxy.engine.calls[call]?.prompt.tokens() ?? [])];

describe("POST /export_trajectories", () => {
  it("returns tensors of the engine's own tokens for every interaction", async () => {
    const { session, calls } = await episode(2);
    await proxy.post("/rl/set_version", { version: 7 });
    const exported = (await proxy.export(session, { discount: 0.5 })).json<WireExport>();
    expect(Object.keys(exported.interactions)).toEqual(calls.map((call) => call.id));
    expect(exported).toMatchObject({ session_id: session.id, style: "individual", discount: 0.5, incomplete_calls: 0 });
    calls.forEach(({ id }, i) => {
      const interaction = exported.interactions[id];
      if (!interaction) throw new Error(`no ${id}`);
      const prompt = promptIds(i);
      const zeros = prompt.map(() => 0);
      expect(numbers(interaction, "input_ids")).toEqual([...prompt, 40 + i, 50 + i, 60 + i]);
      expect(numbers(interaction, "loss_mask")).toEqual([...zeros, 1, 1, 1]);
      expect(numbers(interaction, "logprobs")).toEqual([...zeros, -0.125, -0.25, -0.375]);
      expect(numbers(interaction, "versions")).toEqual([...prompt.map(() => -1), 0, 0, 0]);
      expect(numbers(interaction, "attention_mask")).toEqual([...prompt.map(() => 1), 1, 1, 1]);
      expect(numbers(interaction, "rewards")).toEqual([i === 1 ? 1 : 0.5]);
      expect(interaction.tensor_dict["input_ids"]).toMatchObject({
        type: "tensor",
        dtype: "torch.int32",
        shape: [1, prompt.length + 3],
      });
      expect(interaction.tensor_dict["rewards"]?.shape).toEqual([1]);
      expect(interaction).toMatchObject({
        interaction_id: id,
        parent_id: i === 0 ? null : calls[0]?.id,
        token_exact: i === 1,
        api: "chat.completions",
        finish_reason: "stop",
      });
      expect(interaction.messages).toBeUndefined();
    });
  });

  it("returns messages only with include", async () => {
    const messages: object[] = [{ role: "system", content: "be brief" }];
    const { session } = await episode(2, messages);
    const { interactions } = (await proxy.export(session, { include: ["messages"] })).json<WireExport>();
    const [, second] = Object.values(interactions);
    expect(second?.messages).toMatchObject([
      { role: "system", content: "be brief" },
      { role: "user", content: "turn 0" },
      { role: "assistant" },
      { role: "user", content: "turn 1" },
    ]);
    expect(second?.output_message_list).toMatchObject([{ role: "assistant" }]);
  });

  it("returns one row per leaf in concat, with the outputs of its ancestors", async () => {
    const { session, calls } = await episode(3);
    const { interactions } = (await proxy.export(session, { style: "concat" })).json<WireExport>();
    expect(Object.keys(interactions)).toEqual([calls[2]?.id]);
    const leaf = Object.values(interactions)[0];
    if (!leaf) throw new Error("no leaf");
    const mask = numbers(leaf, "loss_mask");
    const sampled = numbers(leaf, "input_ids").filter((_, i) => mask[i] === 1);
    expect(sampled).toEqual([40, 50, 60, 41, 51, 61, 42, 52, 62]);
    expect(numbers(leaf, "input_ids")).toEqual([...promptIds(2), 42, 52, 62]);
  });

  it("returns messages as each request spelled them", async () => {
    await proxy.close();
    proxy = await Proxy.start({ messageFilters: [/date: \S+/gu] });
    const session = await proxy.session();
    const system = (date: string) => ({ role: "system", content: `date: ${date}` });
    const first = (await proxy.chat(session, [system("monday"), user("q  ")])).json<Completion>();
    await proxy.chat(session, [system("tuesday"), user("q"), first.choices[0].message, user("r")]);
    await proxy.end(session);
    const { interactions } = (await proxy.export(session, { include: ["messages"] })).json<WireExport>();
    const [one, two] = Object.values(interactions);
    expect(two?.parent_id).toBe(one?.interaction_id);
    expect(one?.messages).toEqual([system("monday"), user("q  ")]);
    expect(two?.messages).toMatchObject([system("tuesday"), user("q"), { role: "assistant" }, user("r")]);
  });

  it("returns the same batch as safetensors with format", async () => {
    const { session, calls } = await episode(2);
    const reply = await proxy.export(session, { format: "safetensors" });
    const { tensors, metadata } = readSafetensors(reply.raw);
    expect(tensors["input_ids"]?.shape[0]).toBe(2);
    expect(JSON.parse(metadata["rows"] ?? "")).toMatchObject(
      calls.map(({ id }) => ({ session_id: session.id, interaction_id: id })),
    );
  });

  it("returns task and group in every format, and no group if the session has none", async () => {
    const named = { task_id: "sum", group_id: "samples of ü" };
    for (const [body, expected] of [
      [named, named],
      [{}, { task_id: "task", group_id: null }],
    ]) {
      const session = await proxy.session(body);
      proxy.engine.replies.push({ ids: [40] });
      await proxy.chat(session, [user("hello")]);
      await proxy.end(session);
      const { raw } = await proxy.export(session, { format: "safetensors" });
      expect(JSON.parse(readSafetensors(raw).metadata["rows"] ?? "")).toMatchObject([expected]);
      expect((await proxy.export(session)).json()).toMatchObject({ session_id: session.id, ...expected });
    }
  });

  it("returns no interactions for a session without calls", async () => {
    const { session } = await episode(0);
    expect((await proxy.export(session)).json()).toMatchObject({ interactions: {}, rewards_missing: true });
  });
});

describe("concat with a child that is not token-exact", () => {
  /** The agent changes the model's answer, so that the child shares only the first messages with its parent. */
  async function rewritten(): Promise<StartedSession> {
    const session = await proxy.session();
    await proxy.chat(session, [user("a")]);
    await proxy.chat(session, [user("a"), { role: "assistant", content: "rewritten" }, user("b")]);
    await proxy.end(session);
    return session;
  }

  it("returns 422 with both interactions, the position and the tokens, and keeps the session exportable", async () => {
    const session = await rewritten();
    const refused = await proxy.export(session, { style: "concat" });
    expect(refused.refusal).toBe("422 concat_mismatch");
    const [mismatch] = refused.error["mismatches"] as Record<string, unknown>[];
    const { interactions } = (await proxy.export(session)).json<WireExport>();
    const [parent, child] = Object.values(interactions);
    if (!parent || !child) throw new Error("two interactions expected");
    const position = mismatch?.["position"] as number;
    expect(mismatch).toMatchObject({
      session_id: session.id,
      parent_id: parent.interaction_id,
      child_id: child.interaction_id,
      parent_token: numbers(parent, "input_ids")[position],
      child_token: numbers(child, "input_ids")[position],
    });
    expect(numbers(parent, "input_ids").slice(0, position)).toEqual(numbers(child, "input_ids").slice(0, position));
  });

  it('starts a new row with on_mismatch "split"', async () => {
    const session = await rewritten();
    const split = await proxy.export(session, { style: "concat", on_mismatch: "split" });
    expect(Object.keys(split.json<WireExport>().interactions)).toHaveLength(2);
  });
});

describe("POST /export_batch", () => {
  it("packs the rows of many sessions into one padded block", async () => {
    const episodes = [await episode(1), await episode(3)];
    const ids = episodes.map(({ session }) => session.id);
    const reply = await proxy.post("/export_batch", {
      session_ids: ids,
      discount: 0.5,
      pad_token_id: 9,
      pad_to_multiple_of: 8,
    });
    expect(reply.headers["content-length"]).toBe(String(reply.raw.length));
    const { tensors, metadata } = readSafetensors(reply.raw);
    const rows = JSON.parse(metadata["rows"] ?? "") as { session_id: string; interaction_id: string; length: number }[];
    const calls = episodes.flatMap((each) => each.calls);
    expect(rows.map((row) => row.interaction_id)).toEqual(calls.map((call) => call.id));
    const [B, T] = tensors["input_ids"]?.shape ?? [];
    expect(B).toBe(4);
    expect((T ?? 1) % 8).toBe(0);
    expect(tensors["rewards"]?.data).toEqual([1, 0.25, 0.5, 1]);
    rows.forEach((row, b) => {
      const start = b * (T ?? 0);
      const ids = tensors["input_ids"]?.data.slice(start, start + (T ?? 0)) ?? [];
      expect(ids.slice(0, row.length - 3)).toEqual(promptIds(b));
      expect(ids.slice(row.length)).toEqual(ids.slice(row.length).map(() => 9));
      const attention = tensors["attention_mask"]?.data.slice(start, start + (T ?? 0)) ?? [];
      expect(attention.reduce((sum, x) => sum + x, 0)).toBe(row.length);
    });
  });

  it("exports all sessions or none, and lists each session that cannot be exported with its reason", async () => {
    const { session } = await episode(1);
    const active = await proxy.session();
    const refused = await proxy.post("/export_batch", { session_ids: [session.id, active.id, "task-99"] });
    expect(refused.refusal).toBe("409 batch_not_exportable");
    expect(refused.error["sessions"]).toMatchObject([
      { session_id: "task-99", code: "session_not_found" },
      { session_id: active.id, code: "session_active" },
    ]);
    expect((await proxy.request({ url: `/rl/sessions/${session.id}` })).json()).toMatchObject({ state: "ended" });
    expect((await proxy.chat(active, [user("still here")])).status).toBe(200);
    expect((await proxy.post("/export_batch", { session_ids: ["x-1"] })).refusal).toBe("404 session_not_found");
  });

  it.each([
    [{ session_ids: [] }, "session_ids"],
    [{ session_ids: ["a", "a"] }, "session_ids"],
    [{}, "session_ids"],
    [{ session_ids: ["a"], layout: "ragged" }, "layout"],
    [{ session_ids: ["a"], transport: "carrier pigeon" }, "transport"],
    [{ session_ids: ["a"], discount: 1.5 }, "discount"],
    [{ session_ids: ["a"], discount: -0.1 }, "discount"],
    [{ session_ids: ["a"], discount: "1" }, "discount"],
    [{ session_ids: ["a"], style: "chain" }, "style"],
    [{ session_ids: ["a"], pad_to_multiple_of: 0 }, "pad_to_multiple_of"],
    [{ session_ids: ["a"], max_length: 0 }, "max_length"],
    [{ session_ids: ["a"], pad_token_id: 1.5 }, "pad_token_id"],
  ])("refuses %j with the name of %s", async (body, param) => {
    const refused = await proxy.post("/export_batch", body);
    expect(refused.refusal).toBe("400 invalid_value");
    expect(refused.error.param).toBe(param);
  });
});

describe("a refused export", () => {
  it.each([
    { style: "tree" },
    { discount: 2 },
    { format: "pickle" },
    { include: ["secrets"] },
    { wait_seconds: -1 },
    { on_mismatch: "guess" },
  ])("keeps the session exportable: %j", async (options) => {
    const { session } = await episode(1);
    expect((await proxy.export(session, options)).refusal).toBe("400 invalid_value");
    expect((await proxy.export(session)).status).toBe(200);
  });

  it("keeps the sessions exportable if the batch would be too large", async () => {
    const { session } = await episode(3);
    const huge = { session_ids: [session.id], pad_to_multiple_of: 2 ** 30 };
    expect((await proxy.post("/export_batch", huge)).refusal).toBe("422 batch_too_large");
    expect((await proxy.request({ url: `/rl/sessions/${session.id}` })).json()).toMatchObject({ state: "ended" });
    expect((await proxy.reward(session, 0.5)).status).toBe(200);
    expect((await proxy.export(session)).status).toBe(200);
  });

  it("treats null as absent, also in unknown fields", async () => {
    const { session } = await episode(1);
    expect((await proxy.export(session, { style: null, discount: null, from_the_future: null })).status).toBe(200);
  });
});
