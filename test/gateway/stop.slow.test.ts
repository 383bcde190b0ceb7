import { expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { startGateway } from "../../src/gateway/start.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { RawClient } from "../helpers/raw-client.js";
import { until } from "../helpers/until.js";
import { startWorker, type WorkerServer } from "./workers.js";

/** A gateway that stops while it sends an answer. */

const PADDING = 2_000_000;

async function start(shutdown_seconds: number, workers: readonly WorkerServer[]) {
  const config = parseConfig({
    server: { port: 0, shutdown_seconds },
    gateway: { workers: workers.map(({ url }) => url) },
  });
  const gateway = await startGateway(config, { adminKey: ADMIN_KEY });
  onTestFinished(async () => void (await gateway.close()));
  return gateway;
}

/** Ends a session with one call on each worker. Returns their ids. */
function endedSessions(workers: readonly WorkerServer[]): Promise<string[]> {
  return Promise.all(
    workers.map(async ({ proxy }) => {
      const session = await proxy.session();
      await proxy.chat(session, [{ role: "user", content: "hello" }]);
      await proxy.end(session);
      return session.id;
    }),
  );
}

async function askForExport(url: string, workers: readonly WorkerServer[], ids: readonly string[]): Promise<RawClient> {
  const client = new RawClient(new URL(url), { id: "", key: ADMIN_KEY });
  client.send({ path: "/export_batch", body: { session_ids: ids, pad_to_multiple_of: PADDING } });
  await until(() =>
    workers.every(({ proxy }) => [...proxy.context.registry.all()].every((s) => s.state === "exported")),
  );
  return client;
}

it.each([["one"], ["one", "two"]])(
  "waits until a slow client has the batch of all workers (%s %s)",
  async (...tags) => {
    const workers = await Promise.all(tags.map((tag) => startWorker(tag)));
    const gateway = await start(3600, workers);
    const client = await askForExport(gateway.url, workers, await endedSessions(workers));
    const closed = gateway.close();
    client.read();
    await until(() => client.socket.readableEnded);
    client.leave();
    expect(await closed).toEqual([]);
    const [head = ""] = client.received.split("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(length).toBeGreaterThan(16 * PADDING * tags.length);
    expect(client.received.length).toBe(head.length + 4 + length);
  },
);

it("returns the answers that were cut at the limit", async () => {
  const workers = [await startWorker("one"), await startWorker("two")];
  const ids = await endedSessions(workers);
  const gateway = await start(0, workers);
  const client = await askForExport(gateway.url, workers, ids);
  await until(() => client.socket.readableLength > 0 || client.socket.bytesRead > 0);
  const [cut, ...others] = await gateway.close();
  expect(others).toEqual([]);
  expect(cut).toMatchObject({ route: "POST /export_batch", sessions: ids });
  expect(cut?.bytesSent).toBeLessThan(cut?.bytes ?? 0);
  client.leave();
});
