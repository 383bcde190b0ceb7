import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ConnectionPool } from "../../src/client/connection-pool.js";
import { reachesWorker } from "../../src/client/transport.js";

/** A server that answers every call so, and the paths of its calls. */
async function startServer(status: number, body: string): Promise<{ url: string; paths: string[] }> {
  const paths: string[] = [];
  const server = createServer((request, reply) => {
    paths.push(request.url ?? "");
    reply.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

function createPool(): ConnectionPool {
  const pool = new ConnectionPool();
  onTestFinished(() => pool.close());
  return pool;
}

const health = (tag: string) => JSON.stringify({ status: "ok", worker: { tag } });

it.each([
  ["is reached", 200, health("one"), true],
  ["is reached even if its engine is unavailable", 503, health("one"), true],
  ["is not reached if another worker answers", 200, health("two"), false],
  ["is not reached if something else answers", 200, "<html>", false],
])("a worker %s", async (_, status, body, reaches) => {
  const { url } = await startServer(status, body);
  expect(await reachesWorker(createPool(), url, "one")).toBe(reaches);
});

it("a worker is not reached if nobody listens at its address", async () => {
  expect(await reachesWorker(createPool(), "http://127.0.0.1:1", "one")).toBe(false);
});

it("a worker is asked once for all episodes that share connections", async () => {
  const { url, paths } = await startServer(200, health("one"));
  const [pool, other] = [createPool(), createPool()];
  expect(await Promise.all([reachesWorker(pool, url, "one"), reachesWorker(pool, url, "one")])).toEqual([true, true]);
  expect(paths).toEqual(["/health"]);
  expect(await reachesWorker(pool, url, "two")).toBe(false);
  expect(await reachesWorker(other, url, "one")).toBe(true);
  expect(paths).toHaveLength(3);
});
