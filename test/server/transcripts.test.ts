import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ApiError } from "../../src/http/errors.js";
import { StorageError } from "../../src/storage/index.js";
import { Gateway, startWorker } from "../gateway/workers.js";
import { Proxy, type ProxyOptions, type Reply } from "../helpers/proxy.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";

const user = (content: string) => ({ role: "user", content });

afterEach(() => void vi.restoreAllMocks());

async function startProxy(options: ProxyOptions<ScriptedEngine> = {}): Promise<Proxy> {
  const proxy = await Proxy.start(options);
  onTestFinished(() => proxy.close());
  return proxy;
}

interface Line {
  readonly session_id: string;
  readonly error?: { readonly code: string; readonly message: string };
}

function linesOf(reply: Reply): Line[] {
  expect(reply.status).toBe(200);
  expect(reply.headers["content-type"]).toContain("application/x-ndjson");
  const lines = reply.raw.toString().split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as Line);
}

async function record(proxy: Proxy, text = "one"): Promise<string> {
  const session = await proxy.session();
  await proxy.turn(session, [user(text)]);
  return session.id;
}

describe("POST /rl/transcripts", () => {
  it("returns the transcript of each session on a line, in their order", async () => {
    const proxy = await startProxy();
    const [a, b] = [await record(proxy), await record(proxy)];
    const lines = linesOf(await proxy.post("/rl/transcripts", { session_ids: [b, a], discount: 0.5 }));
    const single = async (id: string) =>
      (await proxy.request({ url: `/rl/sessions/${id}/transcript?discount=0.5` })).json<object>();
    expect(lines).toEqual([await single(b), await single(a)]);
  });

  it("has a line with the reason for each session that it cannot return", async () => {
    const proxy = await startProxy();
    const freed = await proxy.session();
    await proxy.turn(freed, [user("one")]);
    await proxy.end(freed);
    await proxy.export(freed);
    proxy.context.registry.freeRetained(() => false);
    const known = await record(proxy);
    const lines = linesOf(await proxy.post("/rl/transcripts", { session_ids: [freed.id, "nobody", known] }));
    expect(lines.map(({ session_id, error }) => [session_id, error?.code])).toEqual([
      [freed.id, "session_exported"],
      ["nobody", "session_not_found"],
      [known, undefined],
    ]);
  });

  it("leaves out the last sessions if the answer would be large, but never all", async () => {
    const proxy = await startProxy();
    proxy.engine.context = 1 << 24;
    const long = await record(proxy, "word ".repeat(1_800_000));
    const short = await record(proxy);
    const returned = async (session_ids: string[]) =>
      linesOf(await proxy.post("/rl/transcripts", { session_ids })).map(({ session_id }) => session_id);
    expect(await returned([long, short])).toEqual([long]);
    expect(await returned([short, long])).toEqual([short, long]);
  });

  it("refuses a call without sessions, with too many, and with a session's key", async () => {
    const proxy = await startProxy();
    const session = await proxy.session();
    const refusal = async (body: object, key?: string) => (await proxy.post("/rl/transcripts", body, key)).refusal;
    expect(await refusal({ session_ids: [] })).toBe("400 invalid_value");
    expect(await refusal({ session_ids: Array.from({ length: 257 }, () => session.id) })).toBe("400 invalid_value");
    expect(await refusal({ session_ids: [session.id], discount: 2 })).toBe("400 invalid_value");
    expect(await refusal({ session_ids: [session.id] }, session.key)).toBe("403 wrong_key_kind");
  });

  it("fails only the session that cannot be described because of an unexpected error", async () => {
    const proxy = await startProxy();
    const ids = [await record(proxy), await record(proxy), await record(proxy)];
    vi.spyOn(proxy.context.registry.get(ids[1] ?? ""), "interaction").mockImplementation(() => {
      throw new TypeError("a secret");
    });
    const reply = await proxy.post("/rl/transcripts", { session_ids: ids });
    expect(linesOf(reply).map(({ error }) => error?.code)).toEqual([undefined, "internal_error", undefined]);
    expect(reply.raw.toString()).not.toContain("a secret");
  });

  it("works while the disk refuses writes", async () => {
    const proxy = await startProxy({ storage: { directory: temporaryFolder() } });
    const id = await record(proxy);
    refuseWrites(proxy);
    expect((await proxy.post("/grant_capacity", {})).refusal).toBe("503 storage_failed");
    expect(linesOf(await proxy.post("/rl/transcripts", { session_ids: [id] }))[0]?.error).toBeUndefined();
  });
});

describe("POST /rl/transcripts through a gateway", () => {
  it("asks each worker for its sessions, and fails only those of a worker that left", async () => {
    const [first, second, lost] = [await startWorker("aaaa"), await startWorker("bbbb"), await startWorker("cccc")];
    const gateway = await Gateway.start({ urls: [first.url, second.url, lost.url] });
    const [a, b, c] = [await record(first.proxy), await record(second.proxy), await record(lost.proxy)];
    await lost.kill();
    expect(await codesOf(gateway, [b, c, "nobody", a])).toEqual({
      [a]: undefined,
      [b]: undefined,
      [c]: "worker_unavailable",
      nobody: "session_not_found",
    });
    expect((await gateway.post("/rl/transcripts", { session_ids: [a] }, "sk-wrong")).status).toBe(401);
  });

  it("fails only the sessions of a worker that refuses the call", async () => {
    const [first, second] = [await startWorker("aaaa"), await startWorker("bbbb")];
    const gateway = await Gateway.start({ urls: [first.url, second.url] });
    const [a, b] = [await record(first.proxy), await record(second.proxy)];
    vi.spyOn(first.proxy.context.registry, "get").mockImplementation(() => {
      throw new ApiError("server_busy", "The server is busy.");
    });
    expect(await codesOf(gateway, [a, b])).toEqual({ [a]: "server_busy", [b]: undefined });
  });

  it("waits for a worker that is away and comes back", async () => {
    const directory = temporaryFolder();
    const worker = await startWorker("aaaa", { storage: { directory } });
    const gateway = await Gateway.start({ urls: [worker.url] }, 60, 1 << 26, true, { returnMilliseconds: 60_000 });
    const id = await record(worker.proxy);
    await worker.kill();
    const codes = codesOf(gateway, [id]);
    await vi.waitFor(() => expect(gateway.pool.waiting).toBe(1));
    await startWorker("aaaa", { storage: { directory }, port: Number(new URL(worker.url).port) });
    expect(await codes).toEqual({ [id]: undefined });
  });
});

async function codesOf(gateway: Gateway, session_ids: string[]): Promise<Record<string, string | undefined>> {
  const lines = linesOf(await gateway.post("/rl/transcripts", { session_ids }));
  return Object.fromEntries(lines.map(({ session_id, error }) => [session_id, error?.code]));
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-transcripts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function refuseWrites({ context: { storage } }: Proxy): void {
  if (!storage) throw new Error("the proxy has no storage");
  vi.spyOn(storage.storage, "failure", "get").mockReturnValue(new StorageError("storage_failed", "The disk is full."));
}
