import { expect, it } from "vitest";
import { Gateway, readWorkerTag, startWorker, type WorkerServer } from "../gateway/workers.js";
import type { WireExport } from "../helpers/export-json.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { until } from "../helpers/until.js";

const QUESTION = { messages: [{ role: "user", content: "hello" }] };

/** Starts a call whose client disconnects during generation. Resolves when the call has ended on the worker. */
async function leave({ url, proxy }: WorkerServer, session: { id: string; key: string }, body: object = {}) {
  const { calls } = proxy.context.registry.get(session.id);
  const resume = proxy.engine.hold();
  const asked = proxy.engine.calls.length;
  const controller = new AbortController();
  const headers = { authorization: `Bearer ${session.key}`, "content-type": "application/json" };
  const sent = { method: "POST", headers, body: JSON.stringify({ ...QUESTION, ...body }), signal: controller.signal };
  const answer = fetch(`${url}/v1/chat/completions`, sent).then((reply) => reply.text());
  await until(() => proxy.engine.calls.length > asked);
  controller.abort();
  await expect(answer).rejects.toThrow("aborted");
  await until(() => calls.size === 0);
  resume();
}

async function findSession(gateway: Gateway, id: string): Promise<unknown> {
  const { sessions } = (await gateway.get("/rl/sessions")).json<{ sessions: { session_id: string }[] }>();
  return sessions.find(({ session_id }) => session_id === id);
}

it("counts calls whose client disconnected during generation, in the session list and in exports", async () => {
  const worker = await startWorker("one");
  const gateway = await Gateway.start({ urls: [worker.url] });
  const session = await gateway.session();
  await gateway.chat(session.key, "hello");
  await leave(worker, session);
  await leave(worker, session, { stream: true });
  expect(await findSession(gateway, session.id)).toMatchObject({ aborted_calls: 2, interaction_count: 1 });
  await gateway.post("/rl/end_session", {}, session.key);
  const exported = await gateway.post("/export_trajectories", { session_id: session.id });
  expect(exported.json<WireExport>()).toMatchObject({ aborted_calls: 2, incomplete_calls: 0 });
});

it("counts aborted calls by session in the metadata of a batch over several workers", async () => {
  const workers = [await startWorker("one"), await startWorker("two")];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  const sessions = [await gateway.session(), await gateway.session(), await gateway.session()];
  const [first, second, untouched] = sessions;
  for (const { key } of sessions) await gateway.chat(key, "hello");
  for (const session of [first, second, second]) {
    const worker = workers.find(({ tag }) => session && tag === readWorkerTag(session.id));
    if (worker && session) await leave(worker, session);
  }
  for (const { key } of sessions) await gateway.post("/rl/end_session", {}, key);
  const ids = sessions.map(({ id }) => id);
  expect(new Set(ids.map(readWorkerTag)).size).toBe(2);
  const { metadata } = readSafetensors((await gateway.post("/export_batch", { session_ids: ids })).raw);
  expect(JSON.parse(metadata["aborted_calls"] ?? "")).toEqual({ [first?.id ?? ""]: 1, [second?.id ?? ""]: 2 });
  expect(await findSession(gateway, untouched?.id ?? "")).toMatchObject({ aborted_calls: 0 });
});

it("does not count calls that failed or that an export aborted", async () => {
  const { proxy } = await startWorker("one");
  const session = await proxy.session();
  expect((await proxy.chat(session, [])).status).toBe(400);
  proxy.engine.hold();
  const call = proxy.chat(session, QUESTION.messages);
  await until(() => proxy.engine.calls.length === 1);
  await proxy.end(session);
  const exported = await proxy.export(session, { drain_seconds: 0.05 });
  expect(exported.json<WireExport>()).toMatchObject({ aborted_calls: 0, incomplete_calls: 1 });
  await call;
});
