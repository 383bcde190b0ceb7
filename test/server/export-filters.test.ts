import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";

let proxy: Proxy;
let session: StartedSession;
beforeEach(async () => {
  proxy = await Proxy.start({ settings: { chatTemplateType: "concat" } });
  session = await proxy.session();
});
afterEach(() => proxy.close());

interface Call {
  readonly id: string;
  readonly messages: readonly object[];
}

async function call(text: string, { after = [] as readonly object[], model = "main", tag = "" } = {}): Promise<Call> {
  const messages = [...after, { role: "user", content: text }];
  const reply = await proxy.chat(session, messages, { model }, tag === "" ? {} : { "x-rolltape-tag": tag });
  const { id, choices } = reply.json<{ id: string; choices: [{ message: object }] }>();
  return { id, messages: [...messages, choices[0].message] };
}

type Export = WireExport & Readonly<Record<string, unknown>>;

async function exported(options: object): Promise<Export> {
  await proxy.end(session);
  return (await proxy.export(session, options)).json<Export>();
}

const idsOf = ({ interactions }: Export) => Object.keys(interactions);

async function batch(options: object) {
  await proxy.end(session);
  const { raw } = await proxy.post("/export_batch", { session_ids: [session.id], ...options });
  return readSafetensors(raw);
}

describe("filters of an export", () => {
  it("keep the interactions of the named models that are not excluded", async () => {
    const main = await call("work");
    const title = await call("name it", { model: "small-1" });
    const router = await call("route it", { model: "small-2" });
    expect(idsOf(await exported({ models: ["main"] }))).toEqual([main.id]);
    expect(idsOf(await exported({ models: ["small*"] }))).toEqual([title.id, router.id]);
    expect(idsOf(await exported({ exclude_models: ["*-2"] }))).toEqual([main.id, title.id]);
    expect(idsOf(await exported({ models: ["small*"], exclude_models: ["*-2"] }))).toEqual([title.id]);
  });

  it("keep the interactions with the named tags; an empty text stands for no tag", async () => {
    const plain = await call("work");
    const title = await call("name it", { tag: "title" });
    const summary = await call("sum up", { tag: "summary" });
    expect(idsOf(await exported({ tags: ["title"] }))).toEqual([title.id]);
    expect(idsOf(await exported({ tags: ["", "summary"] }))).toEqual([plain.id, summary.id]);
    expect(idsOf(await exported({ tags: ["*"] }))).toHaveLength(3);
  });

  it("keep the trees with a reward with roots: rewarded", async () => {
    const first = await call("work");
    const second = await call("more", { after: first.messages });
    const title = await call("name it");
    await proxy.reward(session, 1, second.id);
    const kept = await exported({ roots: "rewarded", discount: 0.5 });
    expect(Object.values(kept.interactions).map(({ reward }) => reward)).toEqual([0.5, 1]);
    expect(kept).toMatchObject({ filters: { roots: "rewarded" }, filtered: 1, rewards_filtered: false });
    expect(kept["unrewarded_roots"]).toEqual([]);
    expect((await exported({}))["unrewarded_roots"]).toEqual([title.id]);
  });

  it("keep all trees with roots: rewarded if the session has a reward", async () => {
    await call("work");
    await call("name it");
    await proxy.post("/rl/set_reward", { reward: 1, scope: "session" }, session.key);
    expect(idsOf(await exported({ roots: "rewarded" }))).toHaveLength(2);
  });

  it("do not change the rewards of the interactions that are kept", async () => {
    const first = await call("work");
    const last = await call("sum up", { after: first.messages, model: "small" });
    await proxy.reward(session, 1, last.id);
    const { interactions, ...rest } = await exported({ models: ["main"], discount: 0.5 });
    expect(interactions[first.id]?.reward).toBe(0.5);
    expect(rest["rewards_filtered"]).toBe(false);
  });

  it("end concat rows at the last kept calls, and train on no filtered call within a row", async () => {
    const first = await call("a");
    const between = await call("b", { after: first.messages, model: "small" });
    const last = await call("c", { after: between.messages });
    const side = await call("d", { after: last.messages, model: "small" });
    const whole = (await exported({ style: "concat" })).interactions[side.id];
    const { interactions } = await exported({ style: "concat", models: ["main"] });
    expect(Object.keys(interactions)).toEqual([last.id]);
    const alone = (await exported({})).interactions;
    const row = interactions[last.id];
    const outputs = (id: string) => numbers(alone[id] as never, "loss_mask").lastIndexOf(1) + 1;
    const mask = row ? numbers(row, "loss_mask") : [];
    const count = (from: number, to: number) => mask.slice(from, to).reduce((sum, value) => sum + value, 0);
    expect(count(0, outputs(first.id))).toBeGreaterThan(0);
    expect(count(outputs(first.id), outputs(between.id))).toBe(0);
    expect(count(outputs(between.id), outputs(last.id))).toBeGreaterThan(0);
    // The tokens of the filtered call stay as context.
    expect(numbers(whole as never, "input_ids").slice(0, mask.length)).toEqual(row && numbers(row, "input_ids"));
  });

  it("mask the filtered nodes of a tree batch", async () => {
    const first = await call("a");
    await call("b", { after: first.messages, model: "small" });
    const { tensors, metadata } = await batch({ layout: "tree", models: ["main"] });
    expect(tensors["row_filtered"]?.data).toEqual([0, 1]);
    const [, start = 0, end = 0] = tensors["node_offsets"]?.data ?? [];
    const mask = tensors["loss_mask"]?.data ?? [];
    expect(mask.slice(0, start)).toContain(1);
    expect(mask.slice(start, end)).not.toContain(1);
    expect(metadata["filtered"]).toBe("1");
  });
});

describe("rewards_filtered", () => {
  it("names the sessions whose rewards reach no row", async () => {
    await call("work");
    const side = await call("name it", { model: "small" });
    await proxy.reward(session, 1, side.id);
    const lost = session;
    await proxy.end(lost);
    session = await proxy.session();
    const kept = await call("work");
    await call("name it", { model: "small" });
    await proxy.reward(session, 1, kept.id);
    await proxy.end(session);
    const reply = await proxy.post("/export_batch", { session_ids: [lost.id, session.id], exclude_models: ["small"] });
    const { metadata } = readSafetensors(reply.raw);
    expect(JSON.parse(metadata["rewards_filtered"] ?? "")).toEqual([lost.id]);
    expect(JSON.parse(metadata["filters"] ?? "")).toEqual({ exclude_models: ["small"] });
  });

  it("names a session whose reward reaches no kept call because the discount is 0", async () => {
    const first = await call("work");
    const last = await call("sum up", { after: first.messages, model: "small" });
    await proxy.reward(session, 1, last.id);
    expect((await exported({ models: ["main"], discount: 0 }))["rewards_filtered"]).toBe(true);
  });

  it("is absent without filters", async () => {
    await call("work");
    expect((await batch({})).metadata).not.toHaveProperty("rewards_filtered");
  });
});

describe("invalid filters", () => {
  it.each([
    [{ models: [] }, "models"],
    [{ models: "main" }, "models"],
    [{ tags: ["x".repeat(257)] }, "tags[0]"],
    [{ exclude_models: Array.from({ length: 101 }, () => "x") }, "exclude_models"],
    [{ roots: "some" }, "roots"],
    [{ exclude_tags: ["x"] }, "exclude_tags"],
  ])("are refused with 400: %o", async (options, param) => {
    await call("work");
    await proxy.end(session);
    for (const reply of [
      await proxy.export(session, options),
      await proxy.post("/export_batch", { session_ids: [session.id], ...options }),
    ]) {
      expect([reply.status, reply.error.param]).toEqual([400, param]);
    }
  });

  it("leave the session exportable; null stands for no filter", async () => {
    await call("work");
    expect(idsOf(await exported({ models: null, tags: null, roots: null }))).toHaveLength(1);
  });
});
