import { describe, expect, it, vi } from "vitest";
import { chatMessagesSchema } from "../../src/conversation/chat-message.js";
import { native } from "../../src/native/addon.js";
import { Session } from "../../src/session/session.js";
import { SessionData } from "../../src/session/session-data.js";
import { ADMIN_KEY, type Reply } from "../helpers/proxy.js";
import { recordTurn } from "../helpers/record-turn.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { assistant } from "../helpers/turn.js";
import { Gateway, readWorkerTag, startWorker, type WorkerServer } from "./workers.js";

interface Rows {
  session_id: string;
}

function readSessionIds({ raw }: Reply): string[] {
  return (JSON.parse(readSafetensors(raw).metadata["rows"] ?? "") as Rows[]).map(({ session_id }) => session_id);
}

async function readState(gateway: Gateway, id: string): Promise<string> {
  return (await gateway.get(`/rl/sessions/${id}`)).json<{ state: string }>().state;
}

/** Starts two workers and a gateway, with ended sessions on both workers. */
async function started(count: number): Promise<{ gateway: Gateway; workers: WorkerServer[]; ids: string[] }> {
  const workers = [await startWorker("one"), await startWorker("two")];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await gateway.conversation(`topic ${index}`, index));
  return { gateway, workers, ids };
}

describe("POST /export_batch over several workers", () => {
  it.each(["padded", "packed", "tree"])("returns one %s batch in the order of the request", async (layout) => {
    const { gateway, ids } = await started(5);
    expect(new Set(ids.map(readWorkerTag)).size).toBe(2);
    const order = [ids[3], ids[0], ids[4], ids[1], ids[2]].map(String);
    const reply = await gateway.post("/export_batch", { session_ids: order, layout });
    expect(reply.headers["content-type"]).toBe("application/vnd.safetensors");
    expect(readSessionIds(reply)).toEqual(order);
    const { tensors, metadata } = readSafetensors(reply.raw);
    expect(tensors[layout === "tree" ? "node_rewards" : "rewards"]?.data).toEqual([3, 0, 4, 1, 2]);
    expect(metadata["layout"]).toBe(layout);
    for (const id of ids) expect(await readState(gateway, id)).toBe("exported");
    // A lost response can be requested again, and the keys are revoked.
    const again = await gateway.post("/export_batch", { session_ids: order, layout });
    expect(Buffer.compare(again.raw, reply.raw)).toBe(0);
  });

  it("returns a batch of one worker unchanged", async () => {
    const { gateway, workers, ids } = await started(4);
    const own = ids.filter((id) => readWorkerTag(id) === "one");
    const reply = await gateway.post("/export_batch", { session_ids: own });
    const direct = await workers[0]?.proxy.post("/export_batch", { session_ids: own });
    expect(Buffer.compare(reply.raw, direct?.raw ?? Buffer.alloc(0))).toBe(0);
  });

  it("exports no session if one cannot be exported, and lists each that cannot", async () => {
    const { gateway, ids } = await started(2);
    const { id: active } = await gateway.session();
    const reply = await gateway.post("/export_batch", {
      session_ids: [...ids, active, `task-${readWorkerTag(ids[0] ?? "")}-99`],
    });
    expect(reply.refusal).toBe("409 batch_not_exportable");
    const refused = reply.error["sessions"] as { session_id: string; code: string }[];
    expect(refused.map(({ code }) => code).sort()).toEqual(["session_active", "session_not_found"]);
    for (const id of ids) expect(await readState(gateway, id)).toBe("ended");
    expect((await gateway.post("/export_batch", { session_ids: ids })).status).toBe(200);
  });

  it("exports no session if one part cannot be packed, and still accepts rewards", async () => {
    const { gateway, workers, ids } = await started(2);
    const long = await gateway.session();
    const engine = workers.find(({ tag }) => tag === readWorkerTag(long.id))?.proxy.engine;
    engine?.replies.push({ ids: Array.from({ length: 50 }, () => 300) });
    await gateway.chat(long.key, "a long one");
    await gateway.post("/rl/end_session", {}, long.key);
    const limit = { max_length: 40 };
    const refused = await gateway.post("/export_batch", { session_ids: [...ids, long.id], ...limit });
    expect([refused.refusal, refused.error.param]).toEqual(["422 max_length_exceeded", "max_length"]);
    for (const id of [...ids, long.id]) expect(await readState(gateway, id)).toBe("ended");
    // The workers hold no part any more.
    expect((await gateway.post("/rl/set_reward", { reward: 9 }, long.key)).status).toBe(200);
    const reply = await gateway.post("/export_batch", { session_ids: [...ids, long.id] });
    expect(readSafetensors(reply.raw).tensors["rewards"]?.data).toEqual([0, 1, 9]);
  });

  it("keeps the sessions of the other workers exportable if a worker is down", async () => {
    const { gateway, workers, ids } = await started(4);
    await workers[0]?.kill();
    const refused = await gateway.post("/export_batch", { session_ids: ids });
    expect(refused.refusal).toBe("503 worker_unavailable");
    const lost = (refused.error["sessions"] as { session_id: string }[]).map(({ session_id }) => session_id);
    expect(lost).toEqual(ids.filter((id) => readWorkerTag(id) === "one"));
    const left = ids.filter((id) => !lost.includes(id));
    for (const id of left) expect(await readState(gateway, id)).toBe("ended");
    expect(readSessionIds(await gateway.post("/export_batch", { session_ids: left }))).toEqual(left);
    const unknown = await gateway.post("/export_batch", { session_ids: [...left, "task-nobody-0", "task-0"] });
    expect(unknown.refusal).toBe("409 batch_not_exportable");
  });

  it("exports no session if a worker breaks off its records, and frees those that it has restored", async () => {
    const { gateway, workers, ids: small } = await started(4);
    const unload = vi.spyOn(SessionData.prototype, "unload");
    const large = await workers[0]?.proxy.session();
    const broken = workers[0]?.proxy.context.registry.get(large?.id ?? "");
    if (!broken) throw new Error("no session");
    recordTokens(broken, 1 << 20);
    broken.end();
    const ids = [...small, broken.id];
    const lost = ids.filter((id) => readWorkerTag(id) === "one");
    const readOutcome = vi.spyOn(broken.data, "readOutcome").mockImplementation(() => {
      throw new Error("broken");
    });
    const refused = await gateway.post("/export_batch", { session_ids: ids });
    expect(refused.refusal).toBe("503 worker_unavailable");
    const named = refused.error["sessions"] as { session_id: string }[];
    expect(named.map(({ session_id }) => session_id)).toEqual(lost);
    for (const id of ids) expect(await readState(gateway, id)).toBe("ended");
    readOutcome.mockRestore();
    expect((await gateway.post("/export_batch", { session_ids: ids })).status).toBe(200);
    const restored = unload.mock.instances as unknown as SessionData[];
    expect(restored.map(({ log, isLoaded }) => [log.sessionId, isLoaded])).toEqual(
      expect.arrayContaining(ids.map((id) => [id, false])),
    );
    unload.mockRestore();
  });

  it("refuses sessions of workers whose models have different tokenizers", async () => {
    const { gateway, workers, ids } = await started(2);
    Object.assign(workers[1]?.proxy.context.origin ?? {}, { modelDigest: "another" });
    const refused = await gateway.post("/export_batch", { session_ids: ids });
    expect([refused.refusal, refused.error.param]).toEqual(["409 batch_not_exportable", "session_ids"]);
    for (const id of ids) expect(await readState(gateway, id)).toBe("ended");
  });

  it("accepts rewards of other sessions while it waits for a session to end", async () => {
    const { gateway, ids } = await started(1);
    const other = await gateway.session();
    const late = readWorkerTag(other.id) === readWorkerTag(ids[0] ?? "") ? await gateway.session() : other;
    await gateway.chat(late.key, "hello");
    const waiting = gateway.post("/export_batch", { session_ids: [ids[0], late.id], wait_seconds: 20 });
    await gateway.post("/rl/set_reward", { reward: 7 }, late.key);
    await gateway.post("/rl/end_session", {}, late.key);
    const { tensors } = readSafetensors((await waiting).raw);
    expect(tensors["rewards"]?.data).toEqual([0, 7]);
  });

  it("refuses invalid options as one server does", async () => {
    const { gateway, ids } = await started(2);
    const ask = async (extra: object) => {
      const { refusal, error } = await gateway.post("/export_batch", { session_ids: ids, ...extra });
      return [refusal, error.param];
    };
    expect(await ask({ shards: 2 })).toEqual(["400 invalid_value", "shard"]);
    expect(await ask({ discount: 2 })).toEqual(["400 invalid_value", "discount"]);
    expect(await ask({ session_ids: [ids[0], ids[0]] })).toEqual(["400 invalid_value", "session_ids"]);
    const unkeyed = await gateway.post("/export_batch", { session_ids: ids }, null);
    expect(unkeyed.refusal).toBe("401 missing_api_key");
  });

  it("forwards what a call says about its origin, and filters the rows of every worker", async () => {
    const { gateway } = await started(0);
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) {
      const { id, key } = await gateway.session();
      for (const tag of ["main", "title"]) {
        const headers = {
          "content-type": "application/json",
          "x-rolltape-tag": tag,
          "x-claude-code-agent-id": `a-${tag}`,
        };
        const body = JSON.stringify({ messages: [{ role: "user", content: tag }] });
        await gateway.send("/v1/chat/completions", { method: "POST", headers, body }, key);
      }
      // The last call is the title.
      if (index === 0) await gateway.post("/rl/set_reward", { reward: 1 }, key);
      await gateway.post("/rl/end_session", {}, key);
      ids.push(id);
    }
    expect(new Set(ids.map(readWorkerTag)).size).toBe(2);
    const reply = await gateway.post("/export_batch", { session_ids: ids, tags: ["main"] });
    const { metadata } = readSafetensors(reply.raw);
    const rows = JSON.parse(metadata["rows"] ?? "") as object[];
    expect(rows).toMatchObject(ids.map((session_id) => ({ session_id, agent_id: "a-main" })));
    expect(metadata).toMatchObject({
      filters: '{"tags":["main"]}',
      filtered: "4",
      rewards_filtered: JSON.stringify([ids[0]]),
    });
  });

  it("exports the trajectories of a session on any worker", async () => {
    const { gateway, ids } = await started(3);
    for (const session_id of ids) {
      const reply = await gateway.post("/export_trajectories", { session_id });
      expect(reply.json()).toMatchObject({ session_id });
    }
  });
});

/** Records a call whose prompt has this number of tokens. */
function recordTokens(session: Session, tokens: number): void {
  const generation = new native.Generation();
  generation.append(Int32Array.of(1), Float32Array.of(-1), 0);
  const messages = chatMessagesSchema.parse([{ role: "user", content: "many tokens" }]);
  const answer = { output: chatMessagesSchema.parse([assistant("!")]), generation };
  recordTurn(session, { messages }, answer, { pieces: [new Int32Array(tokens)] });
}

describe("a prepared export", () => {
  const prepare = (worker: WorkerServer, ids: readonly string[], hold_seconds: number) =>
    worker.proxy.post("/export_batch/prepare", { session_ids: ids, hold_seconds });

  it("marks its sessions as exported when it is settled, and not before", async () => {
    const { gateway, workers, ids } = await started(1);
    const [worker] = workers.filter(({ tag }) => tag === readWorkerTag(ids[0] ?? ""));
    if (!worker) throw new Error("no worker has the session");
    const prepared = await prepare(worker, ids, 60);
    expect(await readState(gateway, ids[0] ?? "")).toBe("ended");
    const id = String(prepared.headers["x-rolltape-export-id"]);
    const settle = () => worker.proxy.post(`/export_batch/${id}/settle`, { outcome: "taken" });
    expect((await settle()).status).toBe(200);
    expect(await readState(gateway, ids[0] ?? "")).toBe("exported");
    expect((await settle()).refusal).toBe("404 batch_not_found");
  });

  it("has the same records, without texts, until the data of its sessions changes", async () => {
    const { gateway, workers } = await started(0);
    const { id, key } = await gateway.session();
    await gateway.chat(key, "hello");
    await gateway.post("/rl/end_session", {}, key);
    const worker = workers.find(({ tag }) => tag === readWorkerTag(id));
    if (!worker) throw new Error("no worker has the session");
    const read = async (outcome: string) => {
      const { raw, headers } = await prepare(worker, [id], 60);
      await worker.proxy.post(`/export_batch/${String(headers["x-rolltape-export-id"])}/settle`, { outcome });
      return raw;
    };
    const first = await read("left");
    await gateway.post("/rl/set_reward", { reward: 1 }, key);
    const second = await read("left");
    expect(second.equals(first)).toBe(false);
    expect((await read("held")).equals(second)).toBe(true);
    expect((await read("taken")).equals(second)).toBe(true);
    expect([second.includes("hello"), second.includes(id)]).toEqual([false, true]);
  });

  it("ends with its time also if its records are still being read", async () => {
    const { workers } = await started(0);
    const [worker] = workers;
    if (!worker) throw new Error("no worker");
    const { id } = await worker.proxy.session();
    const session = worker.proxy.context.registry.get(id);
    for (let call = 0; call < 8; call++) recordTokens(session, 1 << 20);
    session.end();
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({ session_ids: [id], hold_seconds: 0.5 });
    const reply = await fetch(`${worker.url}/export_batch/prepare`, { method: "POST", headers, body });
    await session.lifecycle.waitSettled();
    session.setReward(1);
    await expect(reply.arrayBuffer()).rejects.toThrow("terminated");
  });

  it("leaves its sessions unchanged if it is not settled in time, and rewards wait until then", async () => {
    const { gateway, workers } = await started(0);
    const { id, key } = await gateway.session();
    await gateway.chat(key, "hello");
    await gateway.post("/rl/end_session", {}, key);
    const [worker] = workers.filter(({ tag }) => tag === readWorkerTag(id));
    if (!worker) throw new Error("no worker has the session");
    await prepare(worker, [id], 0.2);
    expect((await gateway.post("/rl/set_reward", { reward: 4 }, key)).status).toBe(200);
    expect(await readState(gateway, id)).toBe("ended");
    const reply = await gateway.post("/export_batch", { session_ids: [id] });
    expect(readSafetensors(reply.raw).tensors["rewards"]?.data).toEqual([4]);
  });
});
