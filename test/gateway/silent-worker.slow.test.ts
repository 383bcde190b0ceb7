import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Gateway, startWorker } from "./workers.js";

/** Starts a server that answers one health check, and then accepts calls without answering, like a stopped process. */
async function startSilent(tag: string): Promise<string> {
  let heard = false;
  const server = createServer((request, reply) => {
    if (heard || request.url !== "/health") return;
    heard = true;
    reply.end(JSON.stringify({ status: "ok", worker: { tag, capacity: 0, sessions: 0 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("lists the sessions of the other workers if a worker accepts the call and never answers", async () => {
  const worker = await startWorker("one");
  const gateway = await Gateway.start({ urls: [worker.url, await startSilent("two")] });
  const reply = await gateway.get("/rl/sessions");
  expect(reply.json()).toEqual({ sessions: [], has_more: false, next: null, unavailable_workers: ["two"] });
});

it("sets the weight version also on a worker that was down", async () => {
  const workers = [await startWorker("one"), await startWorker("two")];
  const gateway = await Gateway.start({ urls: [...workers.map(({ url }) => url), await startSilent("three")] });
  for (const worker of gateway.pool.all()) if (worker.tag !== "one") worker.state = "down";
  expect((await gateway.post("/rl/set_version", { version: 7 })).json()).toEqual({ version: 7 });
  expect(workers.map(({ proxy }) => proxy.context.weightVersion.version)).toEqual([7, 7]);
});
