import { describe, expect, it } from "vitest";
import { AdminClient } from "../../src/client/admin-client.js";
import { ConnectionPool } from "../../src/client/connection-pool.js";
import { HttpTransport } from "../../src/client/transport.js";
import { readSample } from "../helpers/metrics-text.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { stoppableAddress } from "./stoppable-address.js";
import { Gateway, readWorkerTag, startWorker } from "./workers.js";

/** Exports through a gateway with `acknowledge: true`. */

/** @param stoppable puts an address that can be stopped in front of each worker */
async function start(tags: readonly string[], { stoppable = false } = {}) {
  const workers = await Promise.all(tags.map((tag) => startWorker(tag)));
  const addresses = stoppable ? await Promise.all(workers.map(({ url }) => stoppableAddress(url))) : [];
  const urls = (stoppable ? addresses : workers).map(({ url }) => url);
  const settings = stoppable ? { controlMilliseconds: 300 } : {};
  const gateway = await Gateway.start({ urls }, 60, 1 << 26, true, settings);
  const ids: string[] = [];
  for (const { tag } of workers) ids.push(await gateway.conversation(`hello ${tag}`, 1));
  // A busy machine may start them on the workers in another order.
  ids.sort((a, b) => tags.indexOf(readWorkerTag(a)) - tags.indexOf(readWorkerTag(b)));
  const sessions = workers.flatMap(({ proxy }) => [...proxy.context.registry.all()]);
  const freed = () => sessions.map(({ lifecycle }) => lifecycle.freed);
  const states = () => sessions.map(({ state }) => state);
  const acknowledge = async (id: string) => (await gateway.send(`/export_batch/${id}`, { method: "DELETE" })).refusal;
  return { workers, addresses, gateway, ids, freed, states, acknowledge };
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

describe("an acknowledgement while a worker of the batch does not answer", () => {
  it("is refused and names the worker; once it answers, the repetition frees the rest", async () => {
    const { addresses, gateway, ids, freed, acknowledge } = await start(["one", "two"], { stoppable: true });
    const id = await gateway.exportHeld(ids);
    addresses[1]?.stop();
    const refused = await gateway.send(`/export_batch/${id}`, { method: "DELETE" });
    expect(refused.refusal).toBe("503 worker_unavailable");
    expect(refused.error).toMatchObject({ unavailable_workers: ["two"] });
    expect(refused.headers["retry-after"]).toBe("5");
    expect(freed()[0]).toBe(true);
    addresses[1]?.go();
    // The worker may have received the first call, so the batch may be acknowledged everywhere by now.
    expect(["200", "404 batch_not_found"]).toContain(await acknowledge(id));
    expect(freed()).toEqual([true, true]);
  });

  it("is refused as long as the worker is down", async () => {
    const { workers, gateway, ids, acknowledge } = await start(["one", "two"]);
    const id = await gateway.exportHeld(ids);
    await workers[1]?.kill();
    await gateway.pool.refresh();
    expect(await acknowledge(id)).toBe("503 worker_unavailable");
    expect(await acknowledge(id)).toBe("503 worker_unavailable");
  });

  it("is refused by a gateway that started when the worker was down", async () => {
    const { workers, gateway, ids } = await start(["one", "two"]);
    const id = await gateway.exportHeld(ids);
    await workers[1]?.kill();
    const other = await Gateway.start({ urls: workers.map(({ url }) => url) });
    const reply = await other.send(`/export_batch/${id}`, { method: "DELETE" });
    expect(reply.refusal).toBe("503 worker_unavailable");
  });
});

it("acknowledges a batch on a worker that was down a moment ago", async () => {
  const { gateway, ids, freed, acknowledge } = await start(["one", "two"]);
  const id = await gateway.exportHeld(ids);
  for (const worker of gateway.pool.all()) worker.state = "down";
  expect(await acknowledge(id)).toBe("200");
  expect(freed()).toEqual([true, true]);
});

it.each([
  ["another worker is down", async () => undefined],
  ["a worker of the batch started again, which lost its sessions", (port: number) => startWorker("three", { port })],
])("acknowledges a batch if %s", async (what, restart) => {
  const { workers, gateway, ids, freed, acknowledge } = await start(["one", "two"]);
  const id = await gateway.exportHeld(what.startsWith("another") ? ids.slice(0, 1) : ids);
  await workers[1]?.kill();
  await restart(Number(new URL(workers[1]?.url ?? "").port));
  await gateway.pool.refresh();
  expect(await acknowledge(id)).toBe("200");
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

it("asks a worker once, even if an id names it many times", async () => {
  const { gateway, workers } = await start(["one"]);
  const id = `batch-${"0".repeat(36)}${".one".repeat(100)}`;
  expect((await gateway.send(`/export_batch/${id}`, { method: "DELETE" })).refusal).toBe("404 batch_not_found");
  const metrics = (await workers[0]?.proxy.request({ url: "/metrics" }))?.raw.toString() ?? "";
  expect(readSample(metrics, 'rolltape_refused_total{code="batch_not_found"}')).toBe(1);
});
