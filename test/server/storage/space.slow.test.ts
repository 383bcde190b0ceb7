import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSample } from "../../helpers/metrics-text.js";
import { Proxy, type StartedSession } from "../../helpers/proxy.js";

/** The space of sessions whose data was freed is used again. */

const SESSIONS = 18;

let directory: string;
let proxy: Proxy;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "rolltape-space-"));
  const retention = { milliseconds: 0, bytes: 0 };
  proxy = await Proxy.start({ storage: { directory }, retention, timeoutMilliseconds: 3_600_000 });
});
afterEach(async () => {
  await proxy.close();
  rmSync(directory, { recursive: true });
});

const scrape = async () => (await proxy.request({ method: "GET", url: "/metrics" })).raw.toString();
const measure = async (name: string) => readSample(await scrape(), `rolltape_storage_${name}`) ?? Number.NaN;

/** Records sessions with long messages. */
async function record(): Promise<StartedSession[]> {
  const sessions: StartedSession[] = [];
  for (let i = 0; i < SESSIONS; i++) {
    const session = await proxy.session();
    const first = await proxy.turn(session, [{ role: "user", content: "long ".repeat(2000) }]);
    await proxy.turn(session, [...first.messages, { role: "user", content: "again ".repeat(40 * (i % 4)) }]);
    await proxy.reward(session, 1);
    sessions.push(session);
  }
  await proxy.context.storage?.records.committed();
  return sessions;
}

/** Exports a third of the sessions, deletes a third, and lets a third expire. */
async function freeAll(sessions: readonly StartedSession[]): Promise<void> {
  const third = SESSIONS / 3;
  const exported = sessions.slice(0, third);
  for (const session of exported) await proxy.end(session);
  const reply = await proxy.post("/export_batch", { session_ids: exported.map(({ id }) => id) });
  expect(reply.refusal).toBe("200");
  for (const { id } of sessions.slice(third, 2 * third)) {
    await proxy.request({ method: "DELETE", url: `/rl/sessions/${id}` });
  }
  proxy.context.registry.sweep(Date.now() + 3_600_001);
  const { storage, records } = proxy.context.storage ?? {};
  await records?.committed();
  expect([...(storage?.range("records") ?? [])]).toEqual([]);
  // The states of freed sessions stay, so that calls get 410. They would be the only growth.
  for (const { id } of proxy.context.registry.all()) await proxy.context.registry.delete(id);
  await records?.committed();
}

test("the log stays below twice its values and 1 MiB while sessions come and go", { timeout: 120_000 }, async () => {
  let recordedBytes = 0;
  for (let round = 0; round < 8; round++) {
    const sessions = await record();
    const used = await measure("used_bytes");
    await freeAll(sessions);
    const left = await measure("used_bytes");
    expect(left).toBeLessThan(used / 4);
    recordedBytes += used - left;
    // Values are copied between the records and after them.
    await expect.poll(() => measure("file_bytes"), { timeout: 10_000 }).toBeLessThanOrEqual(2 * left + 2 ** 20);
  }
  // Without reuse, the log would have grown far beyond its bound.
  expect(recordedBytes).toBeGreaterThan(3 * 2 ** 20);
});

test("metrics report waiting answers, pending writes and failures", async () => {
  await record();
  const text = await scrape();
  expect(readSample(text, "rolltape_storage_wait_seconds_count")).toBeGreaterThanOrEqual(4 * SESSIONS);
  expect(readSample(text, "rolltape_storage_pending_writes")).toBe(0);
  expect(readSample(text, "rolltape_storage_failed")).toBe(0);
  expect(await measure("file_bytes")).toBeGreaterThanOrEqual(await measure("used_bytes"));
});
