import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { drain } from "../../src/server/drain.js";
import type { Session } from "../../src/session/session.js";
import { ADMIN_KEY, Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { RawClient } from "../helpers/raw-client.js";
import { until } from "../helpers/until.js";

/** Exports whose sessions the server keeps until the export is acknowledged, or until its lease ends. */

const EXPORT_ID = "x-rolltape-export-id";

let proxy: Proxy;
let started: StartedSession;
let session: Session;
beforeEach(async () => {
  const directory = mkdtempSync(join(tmpdir(), "rolltape-held-"));
  proxy = await Proxy.start({
    // Without an acknowledgement, exported sessions are freed at once.
    retention: { milliseconds: 0, bytes: 0 },
    settings: { sharedMemory: { directory, maxBytes: 64 << 20 }, shutdownSeconds: 0 },
  });
  onTestFinished(async () => {
    await proxy.close();
    rmSync(directory, { recursive: true });
  });
  started = await proxy.session();
  for (const content of ["a", "b"]) await proxy.chat(started, [{ role: "user", content }]);
  await proxy.end(started);
  session = proxy.context.registry.get(started.id);
});

async function endedIn(server: Proxy): Promise<StartedSession> {
  const ended = await server.session();
  await server.chat(ended, [{ role: "user", content: "a" }]);
  await server.end(ended);
  return ended;
}

const ask = (extra: object = {}) =>
  proxy.post("/export_batch", { session_ids: [started.id], acknowledge: true, ...extra });
const readId = ({ headers }: Reply) => String(headers[EXPORT_ID]);
const acknowledge = async (id: string) =>
  (await proxy.request({ method: "DELETE", url: `/export_batch/${id}` })).refusal;
const afterLease = () => proxy.context.exportLeases.reap(Date.now() + 301_000);
const state = () => [session.state, session.lifecycle.freed];

describe("a batch that must be acknowledged", () => {
  it("keeps its sessions, which can be exported again, until it is acknowledged", async () => {
    const first = await ask();
    expect(first.refusal).toBe("200");
    proxy.context.registry.sweep(Date.now() + 10_000_000);
    const again = await ask();
    expect(again.raw.equals(first.raw)).toBe(true);
    expect(state()).toEqual(["exported", false]);
    expect(await acknowledge(readId(again))).toBe("200");
    expect(state()).toEqual(["exported", true]);
    expect((await ask()).refusal).toBe("410 session_exported");
  });

  it("makes its sessions exportable again when its lease ends, and then refuses its acknowledgement with 410", async () => {
    const id = readId(await ask());
    proxy.context.exportLeases.reap(Date.now() + 299_000);
    expect(session.state).toBe("exported");
    afterLease();
    expect(state()).toEqual(["ended", false]);
    expect(await acknowledge(id)).toBe("410 export_lease_ended");
    expect((await proxy.post("/export_batch", { session_ids: [started.id] })).refusal).toBe("200");
  });

  it("makes its sessions exportable again also if a gateway settled it twice, because an answer was lost", async () => {
    for (let call = 0; call < 2; call++) {
      const id = readId(await proxy.post("/export_batch/prepare", { session_ids: [started.id] }));
      const held = { outcome: "held", exports: [{ id: "batch-1" }] };
      expect((await proxy.post(`/export_batch/${id}/settle`, held)).refusal).toBe("200");
    }
    afterLease();
    expect(state()).toEqual(["ended", false]);
  });

  it.each([
    ["alone", () => `/rl/sessions/${started.id}`],
    ["in a list", () => "/rl/sessions?state=ended"],
  ])("is over at the end of its lease for a reader of its sessions %s, before any sweep", async (_, url) => {
    await ask({ lease_seconds: 0.01 });
    // Nothing sweeps this server.
    await expect.poll(async () => (await proxy.request({ url: url() })).raw.toString()).toContain('"state":"ended"');
  });

  it("does not say that its sessions can be exported again if another export of them was acknowledged", async () => {
    const [first, again] = [readId(await ask()), readId(await ask())];
    expect(await acknowledge(first)).toBe("200");
    afterLease();
    expect(await acknowledge(again)).toBe("404 batch_not_found");
  });

  it("lets its sessions expire like other ended sessions after its lease has ended", async () => {
    await ask();
    afterLease();
    proxy.context.registry.sweep(Date.now() + 3_599_000);
    expect(session.state).toBe("ended");
    proxy.context.registry.sweep(Date.now() + 3_601_000);
    expect(session.state).toBe("expired");
  });

  it("is acknowledged only once: a second acknowledgement and an unknown id are refused with 404", async () => {
    const id = readId(await ask());
    await acknowledge(id);
    expect(await acknowledge(id)).toBe("404 batch_not_found");
    expect(await acknowledge("batch-unknown")).toBe("404 batch_not_found");
  });

  it("counts as acknowledged if the repeated export is acknowledged, because the first answer was lost", async () => {
    await ask();
    await acknowledge(readId(await ask()));
    afterLease();
    expect(state()).toEqual(["exported", true]);
  });

  it("does not reopen sessions that were also exported without `acknowledge`", async () => {
    await ask();
    await proxy.post("/export_batch", { session_ids: [started.id] });
    afterLease();
    expect(session.state).toBe("exported");
  });

  it("refuses rewards and calls for its sessions, as any export does", async () => {
    await ask();
    expect((await proxy.reward(started, 1)).refusal).toBe("401 invalid_api_key");
  });

  it("lets its sessions be deleted without an acknowledgement", async () => {
    const id = readId(await ask());
    expect((await proxy.request({ method: "DELETE", url: `/rl/sessions/${started.id}` })).status).toBe(200);
    expect(await acknowledge(id)).toBe("200");
  });

  it("makes its sessions exportable again if the client disconnects before it has the batch", async () => {
    const url = new URL(await proxy.app.listen({ host: "127.0.0.1", port: 0 }));
    const client = new RawClient(url, { id: "", key: ADMIN_KEY });
    const body = { session_ids: [started.id], acknowledge: true, pad_to_multiple_of: 1_000_000 };
    client.send({ path: "/export_batch", body });
    await until(() => session.state === "exported");
    client.leave();
    await until(() => session.state === "ended");
    expect(proxy.context.exportLeases.size).toBe(0);
  });

  it("counts as lost if the server stops before it is acknowledged", async () => {
    const id = readId(await ask());
    const logger = pino({ level: "silent" });
    expect(await drain(proxy.context, logger)).toMatchObject({ lostSessions: [started.id], complete: false });
    await acknowledge(id);
    expect(await drain(proxy.context, logger)).toMatchObject({ lostSessions: [], complete: true });
  });
});

describe("retained sessions that were also exported without `acknowledge`", () => {
  const prepare = async (retained: Proxy, id: string) => {
    const { headers } = await retained.post("/export_batch/prepare", { session_ids: [id] });
    return (outcome: string) => retained.post(`/export_batch/${String(headers[EXPORT_ID])}/settle`, { outcome });
  };

  it.each([
    [
      "before",
      async (retained: Proxy, id: string) => {
        await retained.post("/export_batch", { session_ids: [id] });
        await retained.post("/export_batch", { session_ids: [id], acknowledge: true });
      },
    ],
    [
      "afterwards",
      async (retained: Proxy, id: string) => {
        await retained.post("/export_batch", { session_ids: [id], acknowledge: true });
        await retained.post("/export_batch", { session_ids: [id] });
      },
    ],
    [
      "while the other export was packed",
      async (retained: Proxy, id: string) => {
        const settle = await prepare(retained, id);
        await retained.post("/export_batch", { session_ids: [id] });
        await settle("held");
      },
    ],
    [
      "around the other export",
      async (retained: Proxy, id: string) => {
        const settle = await prepare(retained, id);
        await retained.post("/export_batch", { session_ids: [id], acknowledge: true });
        await settle("taken");
      },
    ],
  ])("stay exported when the lease ends, also after a restart: %s", async (_, exportTwice) => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-held-storage-"));
    const options = { storage: { directory }, retention: { milliseconds: 3_600_000, bytes: 1e9 } };
    let retained = await Proxy.start(options);
    onTestFinished(async () => {
      await retained.close();
      rmSync(directory, { recursive: true });
    });
    const { id } = await endedIn(retained);
    await exportTwice(retained, id);
    const { exportLeases, registry } = retained.context;
    expect(exportLeases.size).toBe(1);
    await registry.flushed();
    await retained.close();
    retained = await Proxy.start(options);
    retained.context.exportLeases.reap(Date.now() + 301_000);
    expect(retained.context.exportLeases.size).toBe(0);
    expect(retained.context.registry.get(id).state).toBe("exported");
  });
});

describe("shards that must be acknowledged", () => {
  it("free their sessions once every shard is acknowledged, also if exported one by one", async () => {
    const first = await ask({ shards: 2, shard: 0 });
    expect(await acknowledge(readId(first))).toBe("200");
    expect(state()).toEqual(["exported", false]);
    const second = await ask({ shards: 2, shard: 1 });
    expect(second.refusal).toBe("200");
    expect(await acknowledge(readId(second))).toBe("200");
    expect(state()).toEqual(["exported", true]);
  });

  it("free their sessions if one is acknowledged after the lease of another, acknowledged one has ended", async () => {
    await acknowledge(readId(await ask({ shards: 2, shard: 0, lease_seconds: 10 })));
    const second = readId(await ask({ shards: 2, shard: 1, lease_seconds: 300 }));
    proxy.context.exportLeases.reap(Date.now() + 11_000);
    expect(await acknowledge(second)).toBe("200");
    expect(state()).toEqual(["exported", true]);
  });

  it("make their sessions exportable again if one shard is not acknowledged", async () => {
    await acknowledge(readId(await ask({ shards: 2, shard: 0 })));
    afterLease();
    expect(state()).toEqual(["ended", false]);
  });
});

describe("a batch in shared memory that must be acknowledged", () => {
  const lend = async (extra: object = {}) =>
    (await ask({ transport: "shm", ...extra })).json<{ id: string; path: string }>();

  it("has one id for its file and its sessions", async () => {
    const { id, path } = await lend();
    expect(existsSync(path)).toBe(true);
    expect(await acknowledge(id)).toBe("200");
    expect([existsSync(path), session.lifecycle.freed]).toEqual([false, true]);
  });

  it("has an id for each shard", async () => {
    const reply = await ask({ transport: "shm", shards: 2 });
    const [first, second] = reply.json<{ shards: { id: string }[] }>().shards;
    expect(await acknowledge(first?.id ?? "")).toBe("200");
    expect(session.lifecycle.freed).toBe(false);
    expect(await acknowledge(second?.id ?? "")).toBe("200");
    expect(session.lifecycle.freed).toBe(true);
  });

  it("makes its sessions exportable again when the reader's process ends", async () => {
    await lend({ reader_pid: 2 ** 22 + 1 });
    proxy.context.exportLeases.reap();
    expect(state()).toEqual(["ended", false]);
  });
});
