import { statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Log } from "../../../src/storage/log/log.js";
import { Proxy, type StartedSession } from "../../helpers/proxy.js";
import { ScriptedEngine } from "../../helpers/scripted-engine.js";
import { mountSmallDisk, type SmallDisk } from "../../helpers/small-disk.js";

/** A server whose storage is on a disk that refuses writes. */

const MEGABYTE = 2 ** 20;
const user = (content: string) => ({ role: "user", content });

let disk: SmallDisk | undefined;
let proxy: Proxy | undefined;
beforeEach(async ({ skip }) => {
  disk = mountSmallDisk(6);
  if (!disk) return skip("only root may mount a small file system");
  const engine = new ScriptedEngine();
  engine.context = 1 << 30;
  proxy = await Proxy.start({ engine, storage: { directory: disk.folder } });
});
afterEach(async () => {
  await proxy?.close();
  disk?.remove();
});

function opened(): { disk: SmallDisk; proxy: Proxy } {
  if (!disk || !proxy) throw new Error("The disk is not mounted.");
  return { disk, proxy };
}

/** Makes calls until one is refused. Returns the sessions' number of answered calls. */
async function fillDisk(started: StartedSession): Promise<{ answered: number; refusal: string; retryAfter: unknown }> {
  for (let answered = 0; ; answered++) {
    const reply = await opened().proxy.chat(started, [user(`${answered} ${"x".repeat(MEGABYTE / 4)}`)]);
    if (reply.status !== 200) return { answered, refusal: reply.refusal, retryAfter: reply.headers["retry-after"] };
  }
}

const readHealth = async () => {
  const reply = await opened().proxy.request({ method: "GET", url: "/health" }, null);
  return reply.json<{ status: string; message?: string }>();
};

test("refuses calls with 503 while the disk is full, reports it in /health, and exports the answered calls", async () => {
  const { proxy } = opened();
  const started = await proxy.session();
  const { answered, ...refusal } = await fillDisk(started);
  expect(refusal).toEqual({ refusal: "503 storage_failed", retryAfter: "5" });
  expect(await readHealth()).toMatchObject({ status: "storage_failed", message: expect.stringContaining("full") });
  expect((await proxy.post("/rl/start_session", {})).refusal).toBe("503 storage_failed");
  expect((await proxy.end(started)).refusal).toBe("503 storage_failed");
  const session = proxy.context.registry.get(started.id);
  session.end();
  const exported = await proxy.post("/export_batch", { session_ids: [started.id], style: "individual" });
  expect(exported.refusal).toBe("200");
  expect(session.leftOut.list()).toEqual([{ index: answered, reason: "undelivered" }]);
});

test("accepts calls again when the disk has room, and has stored every change as a whole", async () => {
  const { proxy, disk } = opened();
  const started = await proxy.session();
  const { answered } = await fillDisk(started);
  disk.grow(64);
  await expect.poll(readHealth).toMatchObject({ status: "ok" });
  expect((await proxy.chat(started, [user("after")])).refusal).toBe("200");
  await proxy.close();
  const again = await Proxy.start({ storage: { directory: disk.folder } });
  const session = again.context.registry.get(started.id);
  await again.context.registry.wake(session);
  expect(session.interactionCount).toBe(answered + 2);
  expect(session.leftOut.list()).toEqual([{ index: answered, reason: "undelivered" }]);
  await again.close();
});

test("creates no session and no slots if they cannot be stored", async () => {
  const { proxy } = opened();
  await proxy.post("/grant_capacity", { slots: 2 });
  const failing = vi.spyOn(Log.prototype, "append").mockRejectedValue(new Error("input/output error"));
  const before = [...proxy.context.registry.all()].length;
  expect((await proxy.post("/rl/start_session", {})).error).toMatchObject({
    code: "storage_failed",
    message: "The server cannot write to its storage: input/output error.",
  });
  failing.mockRestore();
  await expect.poll(readHealth).toMatchObject({ status: "ok" });
  expect([...proxy.context.registry.all()]).toHaveLength(before);
  expect((await proxy.post("/grant_capacity", { slots: 1 })).json()).toEqual({ capacity: 3 });
});

test("tells clients why the disk refuses writes without the path of a file", async () => {
  const { proxy, disk } = opened();
  const started = await proxy.session();
  const path = join(disk.folder, "segment-00000001.log");
  const error = new Error(`ENOENT: no such file or directory, open '${path}'`);
  const failing = vi.spyOn(Log.prototype, "append").mockRejectedValue(error);
  onTestFinished(() => failing.mockRestore());
  const reply = await proxy.chat(started, [user("a")]);
  expect(reply.refusal).toBe("503 storage_failed");
  const message = "The server cannot write to its storage: the file is missing.";
  expect(reply.error.message).toBe(message);
  expect(await readHealth()).toMatchObject({ status: "storage_failed", message });
  expect(proxy.context.storage?.storage.failure?.message).toContain(path);
});

test("a read-only folder is refused at the start, with the reason", async () => {
  const { proxy, disk } = opened();
  await proxy.close();
  disk.makeReadOnly();
  await expect(Proxy.start({ storage: { directory: disk.folder } })).rejects.toMatchObject({
    code: "storage_unusable",
    message: expect.stringMatching(/read-only/i),
  });
});

test("a folder with records of another version is refused and stays as it is", async () => {
  const { proxy, disk } = opened();
  const { records } = proxy.context.storage ?? {};
  const identity = records?.readValue("identity") as object;
  records?.saveValue("identity", { ...identity, format: 99 });
  await proxy.close();
  await expect(Proxy.start({ storage: { directory: disk.folder } })).rejects.toMatchObject({
    code: "storage_unusable",
    message:
      `storage.directory ${disk.folder} has records of version 99; this Rolltape reads version 5. ` +
      "Use the newer Rolltape that wrote them, or another folder.",
  });
});

/** Writes a file into the rest of the disk. */
function fillRest(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, "rest"), Buffer.alloc(bavail * bsize));
}

test("starts on a full disk, reports it in /health, and exports the answered calls", async () => {
  const { proxy: first, disk } = opened();
  const started = await first.session();
  await first.chat(started, [user("a")]);
  await first.end(started);
  await first.close();
  fillRest(disk.folder);
  proxy = await Proxy.start({ storage: { directory: disk.folder } });
  await expect.poll(readHealth).toMatchObject({ status: "storage_failed", message: expect.stringContaining("full") });
  const exported = await proxy.export(started);
  expect(exported.refusal).toBe("200");
  expect(Object.keys(exported.json<{ interactions: object }>().interactions)).toHaveLength(1);
});

test("refuses a new folder on a full disk, with the reason", async () => {
  const { disk } = opened();
  fillRest(disk.folder);
  const storage = { directory: join(disk.folder, "new") };
  await expect(Proxy.start({ storage })).rejects.toMatchObject({
    code: "storage_failed",
    message: "The server cannot write to its storage: the disk is full.",
  });
});
