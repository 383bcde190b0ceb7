import { describe, expect, it, onTestFinished } from "vitest";
import { Gateway, startWorker } from "../gateway/workers.js";
import { Proxy, type Reply } from "../helpers/proxy.js";

const user = (content: string) => ({ role: "user", content });

async function startProxy(): Promise<Proxy> {
  const proxy = await Proxy.start();
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

  it("asks each worker for its sessions through a gateway, and does not wait for one that left", async () => {
    const [first, second, lost] = [await startWorker("aaaa"), await startWorker("bbbb"), await startWorker("cccc")];
    const gateway = await Gateway.start({ urls: [first.url, second.url, lost.url] }, 60, 1 << 26, true, {
      returnMilliseconds: 60_000,
    });
    const [a, b, c] = [await record(first.proxy), await record(second.proxy), await record(lost.proxy)];
    await lost.kill();
    const reply = await gateway.post("/rl/transcripts", { session_ids: [b, c, "nobody", a] });
    const codes = new Map(linesOf(reply).map(({ session_id, error }) => [session_id, error?.code]));
    expect(codes).toEqual(
      new Map([
        [a, undefined],
        [b, undefined],
        [c, "worker_unavailable"],
        ["nobody", "session_not_found"],
      ]),
    );
    expect((await gateway.post("/rl/transcripts", { session_ids: [a] }, "sk-wrong")).status).toBe(401);
  });
});
