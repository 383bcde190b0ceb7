import { expect, it } from "vitest";
import { AdminClient } from "../../src/client/admin-client.js";
import { ConnectionPool } from "../../src/client/connection-pool.js";
import { HttpTransport } from "../../src/client/transport.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { Gateway, startWorker } from "./workers.js";

/** Exports through a gateway with `acknowledge: true`. */

async function start(tags: readonly string[]) {
  const workers = await Promise.all(tags.map((tag) => startWorker(tag)));
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  const ids: string[] = [];
  for (const { tag } of workers) ids.push(await gateway.conversation(`hello ${tag}`, 1));
  const sessions = workers.flatMap(({ proxy }) => [...proxy.context.registry.all()]);
  const freed = () => sessions.map(({ lifecycle }) => lifecycle.freed);
  const states = () => sessions.map(({ state }) => state);
  const acknowledge = async (id: string) => (await gateway.send(`/export_batch/${id}`, { method: "DELETE" })).refusal;
  return { workers, gateway, ids, freed, states, acknowledge };
}

it.each([[["one"]], [["one", "two"]]])("acknowledges batches on all their workers (%s)", async (tags) => {
  const { gateway, ids, freed, acknowledge } = await start(tags);
  const plain = await gateway.post("/export_batch", { session_ids: ids, acknowledge: true });
  const id = String(plain.headers["x-rolltape-export-id"]);
  expect(freed()).toEqual(tags.map(() => false));
  expect(await acknowledge(id)).toBe("200");
  expect(freed()).toEqual(tags.map(() => true));
  expect(await acknowledge(id)).toBe("404 batch_not_found");
});

it("makes the sessions of all workers exportable again when the lease ends", async () => {
  const { workers, gateway, ids, states, acknowledge } = await start(["one", "two"]);
  const body = { session_ids: ids, acknowledge: true, lease_seconds: 20 };
  const id = String((await gateway.post("/export_batch", body)).headers["x-rolltape-export-id"]);
  expect(states()).toEqual(["exported", "exported"]);
  for (const { proxy } of workers) proxy.context.exportLeases.reap(Date.now() + 21_000);
  expect(states()).toEqual(["ended", "ended"]);
  expect(await acknowledge(id)).toBe("410 export_lease_ended");
});

it("refuses the acknowledgement if a worker does not answer, and accepts its repetition", async () => {
  const { workers, gateway, ids, freed, acknowledge } = await start(["one", "two"]);
  const reply = await gateway.post("/export_batch", { session_ids: ids, acknowledge: true });
  const id = String(reply.headers["x-rolltape-export-id"]);
  await workers[1]?.kill();
  expect(await acknowledge(id)).toBe("503 worker_unavailable");
  expect(await acknowledge(id)).toBe("404 batch_not_found");
  expect(freed()[0]).toBe(true);
});

it("refuses acknowledgements without the admin key", async () => {
  const { gateway } = await start(["one"]);
  const reply = await gateway.send("/export_batch/batch-1", { method: "DELETE" }, null);
  expect(reply.refusal).toBe("401 missing_api_key");
});

it("exports and acknowledges batches with the client library", async () => {
  const { gateway, ids, freed } = await start(["one", "two"]);
  await using connections = new ConnectionPool();
  const admin = new AdminClient(new HttpTransport(gateway.url, connections), ADMIN_KEY);
  const { id, bytes } = await admin.exportHeldBatch(ids, { style: "concat" });
  const again = await admin.exportBatch(ids, { style: "concat" });
  expect(Buffer.from(bytes).equals(Buffer.from(again))).toBe(true);
  expect(await admin.acknowledge(id)).toBe(true);
  expect(await admin.acknowledge(id)).toBe(false);
  // The second export was not acknowledged, so retention keeps its sessions.
  expect(freed()).toEqual([false, false]);
});
