import { describe, expect, it, vi } from "vitest";
import { registerWorker } from "../../src/admin-api/worker-registration.js";
import { WorkerAddresses } from "../../src/gateway/worker-addresses.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { Gateway, startWorker } from "./workers.js";

/** Keys with tags that no worker has. Anyone can make up such keys. */

const forgedKey = (n: number) => `sk-forged${n}.0123456789abcdef`;

/** Starts a gateway that polls once a minute, with one worker. Counts reads of the workers folder and polls of the worker. */
async function setUp() {
  const folder = temporaryFolder();
  const worker = await startWorker("one");
  const counts = { reads: 0, polls: 0 };
  worker.proxy.app.server.on("request", ({ url }: { url: string }) => {
    if (url === "/health") counts.polls++;
  });
  registerWorker(folder, { url: worker.url, tag: "one" });
  const read = vi.spyOn(WorkerAddresses.prototype, "read");
  read.mockClear();
  const gateway = await Gateway.start({ folder });
  return { folder, worker, gateway, counts, reads: () => read.mock.calls.length };
}

describe("keys with 1,000 forged tags", () => {
  it("are refused with 503 and cause few reads of the folder and polls of the workers", async () => {
    const { gateway, counts, reads } = await setUp();
    const refusals = new Set<string>();
    for (let wave = 0; wave < 100; wave++) {
      const calls = Array.from({ length: 10 }, (_, n) => gateway.chat(forgedKey(wave * 10 + n), "hello"));
      for (const { refusal } of await Promise.all(calls)) refusals.add(refusal);
    }
    expect([...refusals]).toEqual(["503 worker_unavailable"]);
    // Without a limit, each of the 100 waves would cost one.
    expect(Math.max(reads(), counts.polls)).toBeLessThan(50);
  });

  it("delay finding a worker that starts meanwhile only briefly", async () => {
    const { folder, gateway } = await setUp();
    for (let n = 0; n < 20; n++) await gateway.chat(forgedKey(n), "hello");
    const worker = await startWorker("two");
    registerWorker(folder, { url: worker.url, tag: "two" });
    const { key } = await worker.proxy.session();
    await expect.poll(async () => (await gateway.chat(key, "hello")).status, { timeout: 10_000 }).toBe(200);
  });
});

it("finds each of many workers with its first call if they start one after the other", async () => {
  const { folder, gateway } = await setUp();
  for (const tag of ["two", "three", "four", "five", "six", "seven", "eight"]) {
    const worker = await startWorker(tag);
    registerWorker(folder, { url: worker.url, tag });
    const { key } = await worker.proxy.session();
    expect((await gateway.chat(key, "hello")).status).toBe(200);
  }
});
