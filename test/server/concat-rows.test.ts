import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors, type SafeTensors } from "../helpers/safetensors.js";

let proxy: Proxy;
let session: StartedSession;
beforeEach(async () => {
  proxy = await Proxy.start({ settings: { chatTemplateType: "concat" } });
  session = await proxy.session();
});
afterEach(() => proxy.close());

const user = (content: string) => ({ role: "user", content });

/** Three turns of one conversation. */
async function threeTurns(extra: (turn: number) => object = () => ({})): Promise<string[]> {
  let messages: readonly object[] = [];
  const ids: string[] = [];
  for (const [turn, text] of ["a", "b", "c"].entries()) {
    const made = await proxy.turn(session, [...messages, user(text)], extra(turn));
    messages = made.messages;
    ids.push(made.id);
  }
  return ids;
}

async function exportConcat(options: object = {}): Promise<SafeTensors> {
  await proxy.end(session);
  const reply = await proxy.post("/export_batch", { session_ids: [session.id], style: "concat", ...options });
  expect(reply.refusal).toBe("200");
  return readSafetensors(reply.raw);
}

const parsed = ({ metadata }: SafeTensors, name: string): unknown => JSON.parse(metadata[name] ?? "null");

describe("own rewards of a row's earlier turns", () => {
  it("are not in the leaf's reward, and the export lists these rows", async () => {
    const [first = ""] = await threeTurns();
    await proxy.reward(session, 1, first);
    const batch = await exportConcat();
    expect(batch.tensors["rewards"]?.data).toEqual([0]);
    expect(batch.tensors["row_uncounted_rewards"]?.data).toEqual([1]);
    expect(parsed(batch, "uncounted_rewards")).toEqual({ rows: 1, first: [0] });
    expect(parsed(batch, "rewards_missing")).toEqual([]);
    const json = (await proxy.export(session, { style: "concat" })).json<WireExport & Record<string, unknown>>();
    expect(json["uncounted_rewards"]).toEqual(Object.keys(json.interactions));
    const text = (await proxy.request({ url: "/metrics" }, null)).raw.toString();
    expect(text).toContain("\nrolltape_export_uncounted_reward_rows_total 2\n");
  });

  it("are in the return, discounted by turn", async () => {
    const ids = await threeTurns();
    for (const [turn, id] of ids.entries()) await proxy.reward(session, [1, 2, 4][turn], id);
    const batch = await exportConcat({ concat_reward: "return", discount: 0.5 });
    expect(batch.tensors["rewards"]?.data).toEqual([1 + 2 * 0.5 + 4 * 0.25]);
    expect(batch.metadata["concat_reward"]).toBe("return");
    expect(parsed(batch, "uncounted_rewards")).toEqual({ rows: 0, first: [] });
    const options = { style: "concat", concat_reward: "return", discount: 0.5 };
    const { interactions } = (await proxy.export(session, options)).json<WireExport>();
    expect(Object.values(interactions).map(({ reward }) => reward)).toEqual([3]);
  });

  it.each([
    [{ style: "individual" }, "concat_reward must be leaf unless style is concat; received return."],
    [
      { style: "concat", layout: "tree" },
      "concat_reward must be leaf for layout tree, because its nodes have one turn each; received return.",
    ],
  ])("cannot be summed if a row has one turn: %j", async (options, message) => {
    await threeTurns();
    await proxy.end(session);
    const body = { session_ids: [session.id], concat_reward: "return", ...options };
    const reply = await proxy.post("/export_batch", body);
    expect(reply.error).toMatchObject({ code: "invalid_value", param: "concat_reward", message });
  });

  it("are listed by turn if the request has turns", async () => {
    const ids = await threeTurns();
    await proxy.reward(session, 1, ids[0]);
    await proxy.reward(session, 2, ids[2]);
    const { tensors } = await exportConcat({ turns: true, discount: 0.5 });
    expect(tensors["cu_turns"]?.data).toEqual([0, 3]);
    expect(tensors["turn_own_reward"]?.data).toEqual([1, 0, 2]);
    expect(tensors["turn_has_reward"]?.data).toEqual([1, 0, 1]);
    expect(tensors["turn_reward"]?.data).toEqual([1.5, 1, 2]);
    const mask = tensors["loss_mask"]?.data ?? [];
    const [starts = [], ends = []] = [tensors["turn_start"]?.data, tensors["turn_end"]?.data];
    const trained = starts.flatMap((start, turn) => mask.slice(start, ends[turn]));
    expect(trained.length).toBe(mask.reduce((sum, each) => sum + each, 0));
    expect(new Set(trained)).toEqual(new Set([1]));
  });
});

describe("a row of several turns", () => {
  it.each([
    ["is marked if its turns have different temperatures", [0.5, 1, 1], 1],
    ["is not marked if they have the same", [0.5, 0.5, 0.5], 0],
  ])("%s", async (_, temperatures, mixed) => {
    await threeTurns((turn) => ({ temperature: temperatures[turn] }));
    const { tensors } = await exportConcat({ turns: true });
    expect(tensors["row_mixed_temperatures"]?.data).toEqual([mixed]);
    expect(tensors["row_temperature"]?.data).toEqual([temperatures[2]]);
    expect(tensors["turn_temperature"]?.data).toEqual(temperatures);
  });
});

describe("a tools list that changes during the conversation", () => {
  const tool = (name: string) => ({ type: "function", function: { name } });

  it("starts a new row with its cause and keeps the parent, instead of failing the export", async () => {
    const ids = await threeTurns((turn) => ({ tools: turn < 2 ? [tool("f")] : [tool("f"), tool("g")] }));
    await proxy.reward(session, 1, ids[2]);
    const batch = await exportConcat({ discount: 0.5 });
    const rows = parsed(batch, "rows") as { interaction_id: string }[];
    expect(rows.map(({ interaction_id }) => interaction_id)).toEqual([ids[1], ids[2]]);
    expect(batch.tensors["rewards"]?.data).toEqual([0.5, 1]);
    expect(batch.tensors["row_parent"]?.data).toEqual([-1, 0]);
    expect(batch.tensors["row_turns"]?.data).toEqual([2, 1]);
    const codes = parsed(batch, "row_codes") as Record<string, string[]>;
    expect(batch.tensors["row_cause"]?.data.map((code) => codes["cause"]?.[code])).toEqual([
      undefined,
      "tools_changed",
    ]);
    const { interactions } = (await proxy.export(session)).json<
      WireExport & { interactions: Record<string, object> }
    >();
    expect(interactions[ids[2] ?? ""]).toMatchObject({ parent_id: ids[1], cause: "tools_changed" });
  });

  it("does not hide another mismatch", async () => {
    const [first = ""] = await threeTurns((turn) => ({ tools: turn < 2 ? [tool("f")] : [tool("g")] }));
    await proxy.chat(session, [user("a"), { role: "assistant", content: "rewritten" }, user("d")]);
    await proxy.end(session);
    const reply = await proxy.post("/export_batch", { session_ids: [session.id], style: "concat" });
    expect(reply.refusal).toBe("422 concat_mismatch");
    const { mismatches } = reply.error as unknown as { mismatches: { parent_id: string }[] };
    expect(mismatches).toHaveLength(1);
    expect(mismatches[0]?.parent_id).toBe(first);
  });
});
