import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, unlinkSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Batch } from "../../src/session/batch/batch.js";
import { ADMIN_KEY, Proxy } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";

let proxy: Proxy;
let directory: string;
let id: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "rolltape-shared-"));
  proxy = await Proxy.start({ settings: { sharedMemory: { directory, maxBytes: 64 << 20 } } });
  const session = await proxy.session();
  for (const content of ["a", "b", "c"]) await proxy.chat(session, [{ role: "user", content }]);
  await proxy.end(session);
  ({ id } = session);
});
afterEach(async () => {
  await proxy.close();
  rmSync(directory, { recursive: true });
});

interface Lent {
  readonly id: string;
  readonly path: string;
  readonly byte_length: number;
}

async function lend(options: object = {}): Promise<Lent> {
  const reply = await proxy.post("/export_batch", { session_ids: [id], transport: "shm", ...options });
  expect(reply.refusal).toBe("200");
  return reply.json<Lent>();
}

const acknowledge = (lent: Lent) => proxy.request({ method: "DELETE", url: `/export_batch/${lent.id}` });

describe("a batch in shared memory", () => {
  it("is a file with the bytes of a body, readable for its owner only", async () => {
    const body = await proxy.post("/export_batch", { session_ids: [id] });
    const lent = await lend();
    expect(readFileSync(lent.path).equals(body.raw)).toBe(true);
    expect(lent.byte_length).toBe(body.raw.length);
    expect(statSync(lent.path).mode & 0o077).toBe(0);
  });

  it("is not overwritten before it is acknowledged, and its memory is used again afterwards", async () => {
    const first = await lend();
    const bytes = readFileSync(first.path);
    const { ino } = statSync(first.path);
    const second = await lend({ pad_token_id: 5 });
    expect(second.path).not.toBe(first.path);
    expect(readFileSync(first.path).equals(bytes)).toBe(true);
    expect((await acknowledge(first)).refusal).toBe("200");
    expect(existsSync(first.path)).toBe(false);
    expect(statSync((await lend({ pad_token_id: 6 })).path).ino).toBe(ino);
    expect((await acknowledge(first)).refusal).toBe("404 batch_not_found");
  });

  it("is unlinked when its lease ends", async () => {
    const lent = await lend({ lease_seconds: 10 });
    proxy.context.sharedExports.reap(Date.now() + 9_000);
    expect(existsSync(lent.path)).toBe(true);
    proxy.context.sharedExports.reap(Date.now() + 11_000);
    expect(existsSync(lent.path)).toBe(false);
    expect((await acknowledge(lent)).refusal).toBe("404 batch_not_found");
  });

  it("is unlinked when its reader's process ends, and not before", async () => {
    const [living, gone] = [await lend({ reader_pid: process.pid }), await lend({ reader_pid: 2 ** 22 + 1 })];
    proxy.context.sharedExports.reap();
    expect([existsSync(living.path), existsSync(gone.path)]).toEqual([true, false]);
  });

  it("can be unlinked by its reader", async () => {
    const lent = await lend();
    unlinkSync(lent.path);
    proxy.context.sharedExports.reap();
    expect(proxy.context.sharedExports.size).toBe(0);
  });

  it.each(["shm", "body"])("is freed if its client (%s) disconnected before the response", async (transport) => {
    const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    const sockets: Socket[] = [];
    proxy.app.server.on("connection", (socket: Socket) => sockets.push(socket));
    const session = await proxy.session();
    const { calls, lifecycle } = proxy.context.registry.get(session.id);
    const goOn = proxy.engine.hold();
    const answer = proxy.chat(session, [{ role: "user", content: "a" }]);
    await until(() => calls.size === 1);
    await proxy.end(session);
    const waits = vi.spyOn(calls, "waitIdle");
    const released = vi.spyOn(Batch.prototype, "release");
    onTestFinished(() => released.mockRestore());
    const leaving = new AbortController();
    const asked = fetch(`${url}/export_batch`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ session_ids: [session.id], transport }),
      signal: leaving.signal,
    });
    await until(() => waits.mock.calls.length === 1);
    leaving.abort();
    await expect(asked).rejects.toThrow("aborted");
    await until(() => sockets.every((socket) => socket.destroyed));
    goOn();
    await answer;
    await until(() => lifecycle.state === "exported" && released.mock.calls.length === 1);
    expect(proxy.context.sharedExports.size).toBe(0);
    expect(proxy.context.sharedMemory.pool.use.lentSlots).toBe(0);
  });

  it("is refused if unacknowledged batches fill the memory, and the session stays exportable", async () => {
    await proxy.close();
    proxy = await Proxy.start({ settings: { sharedMemory: { directory, maxBytes: 80 << 10 } } });
    const session = await proxy.session();
    for (let i = 0; i < 20; i++) await proxy.chat(session, [{ role: "user", content: "word ".repeat(40) }]);
    await proxy.end(session);
    const ask = () => proxy.post("/export_batch", { session_ids: [session.id], transport: "shm" });
    const held = await ask();
    expect(held.json<Lent>().byte_length).toBeGreaterThan(40 << 10);
    expect((await ask()).refusal).toBe("507 shared_memory_full");
    await acknowledge(held.json<Lent>());
    expect((await ask()).refusal).toBe("200");
    expect((await proxy.post("/export_batch", { session_ids: [session.id] })).status).toBe(200);
  });

  it("requires the admin key for its acknowledgement", async () => {
    const lent = await lend();
    const reply = await proxy.request({ method: "DELETE", url: `/export_batch/${lent.id}` }, null);
    expect(reply.refusal).toBe("401 missing_api_key");
  });
});
