import { expect, it, vi } from "vitest";
import { recordLarge } from "../helpers/record-large.js";
import { packSessionsFile, readSessionsFile } from "../helpers/sessions-file.js";
import { Gateway, readWorkerTag, startWorker, type WorkerServer } from "./workers.js";

const TOOLS = [{ type: "function", function: { name: "look_up", parameters: { type: "object", properties: {} } } }];

/** Starts two workers with ended sessions, and a gateway. */
async function started(count: number): Promise<{ gateway: Gateway; workers: WorkerServer[]; ids: string[] }> {
  const workers = [await startWorker("one"), await startWorker("two")];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const { id, key } = await gateway.session({ group_id: "group", task_id: "task" });
    for (const text of ["a", "b"]) await gateway.chat(key, `${text} ${index}`, { tools: TOOLS, n: 2 });
    if (index % 3 > 0) await gateway.post("/rl/set_reward", { reward: index }, key);
    await gateway.post("/rl/end_session", {}, key);
    ids.push(id);
  }
  return { gateway, workers, ids };
}

it.each([
  [{}, {}],
  [
    { style: "concat", layout: "packed", discount: 0.5, onMismatch: "split", turns: true },
    { style: "concat", layout: "packed", discount: 0.5, on_mismatch: "split", turns: true },
  ],
  [{ layout: "tree" }, { layout: "tree" }],
] as const)(
  "joins the files of several workers, which become the batch that the gateway exports (%j)",
  async (options, fields) => {
    const { gateway, ids } = await started(5);
    expect(new Set(ids.map(readWorkerTag)).size).toBe(2);
    const order = [ids[3], ids[0], ids[4], ids[1], ids[2]].map(String);
    const reply = await gateway.post("/export_sessions", { session_ids: order });
    expect(reply.headers["content-type"]).toBe("application/vnd.rolltape.sessions");
    expect((await readSessionsFile(reply.raw)).map(({ session }) => session.id)).toEqual(order);
    const batch = await gateway.post("/export_batch", { session_ids: order, ...fields });
    expect((await packSessionsFile(reply.raw, options)).equals(batch.raw)).toBe(true);
  },
);

it("forwards a file of one worker", async () => {
  const { gateway, workers, ids } = await started(4);
  const own = ids.filter((id) => readWorkerTag(id) === "one");
  const reply = await gateway.post("/export_sessions", { session_ids: own });
  const direct = await workers[0]?.proxy.post("/export_sessions", { session_ids: own });
  expect(Buffer.compare(reply.raw, direct?.raw ?? Buffer.alloc(0))).toBe(0);
});

it("lists each session that cannot be exported, and leaves the others as they are", async () => {
  const { gateway, ids } = await started(2);
  const { id: active } = await gateway.session();
  const unknown = `task-${readWorkerTag(ids[0] ?? "")}-99`;
  const reply = await gateway.post("/export_sessions", { session_ids: [...ids, active, unknown] });
  expect(reply.refusal).toBe("409 batch_not_exportable");
  const refused = reply.error["sessions"] as { session_id: string; code: string }[];
  expect(refused.map(({ code }) => code).sort()).toEqual(["session_active", "session_not_found"]);
  expect((await gateway.post("/export_sessions", { session_ids: ids })).status).toBe(200);
});

it("names the sessions of a worker that does not answer", async () => {
  const { gateway, workers, ids } = await started(4);
  await workers[0]?.kill();
  const refused = await gateway.post("/export_sessions", { session_ids: ids });
  expect(refused.refusal).toBe("503 worker_unavailable");
  const lost = (refused.error["sessions"] as { session_id: string }[]).map(({ session_id }) => session_id);
  expect(lost).toEqual(ids.filter((id) => readWorkerTag(id) === "one"));
});

it("refuses a session id that is listed twice", async () => {
  const { gateway, ids } = await started(1);
  const both = await gateway.post("/export_sessions", { session_ids: [ids[0], ids[0]] });
  expect([both.refusal, both.error.param]).toEqual(["400 invalid_value", "session_ids"]);
});

it("answers 503 if a worker breaks off its file", async () => {
  const { gateway, workers, ids } = await started(2);
  const [first = ""] = ids;
  const { id: large } = await gateway.session();
  const worker = workers.find(({ tag }) => tag === readWorkerTag(large));
  const session = worker?.proxy.context.registry.get(large);
  if (!session) throw new Error("no session");
  recordLarge(session, 8);
  const broken = vi.spyOn(session.data, "readOutcome").mockImplementation(() => {
    throw new Error("broken");
  });
  const order = [large, ids.find((id) => readWorkerTag(id) !== readWorkerTag(large)) ?? first];
  expect((await gateway.post("/export_sessions", { session_ids: order })).refusal).toBe("503 worker_unavailable");
  await session.lifecycle.waitSettled();
  broken.mockRestore();
  expect((await gateway.post("/export_sessions", { session_ids: order })).status).toBe(200);
});
