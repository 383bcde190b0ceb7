import { afterEach, describe, expect, it, vi } from "vitest";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { until } from "../helpers/until.js";

/** An export waits for calls in flight as long as its request says. Without a value, the configuration decides. */

const HOUR = 3600;
const USER = [{ role: "user", content: "hello" }];

let proxy: Proxy;
afterEach(() => proxy.close());

interface Busy {
  readonly session: StartedSession;
  readonly call: Promise<Reply>;
  readonly release: () => void;
}

/** Starts a proxy with these `drain_seconds`. Its session has ended, with a recorded interaction and a call in flight. */
async function busySession(drainSeconds: number): Promise<Busy> {
  proxy = await Proxy.start({ settings: { drainSeconds } });
  const session = await proxy.session();
  await proxy.chat(session, USER);
  const release = proxy.engine.hold();
  const call = proxy.chat(session, USER);
  await until(() => proxy.engine.calls.length === 2);
  await proxy.end(session);
  return { session, call, release };
}

type Export = (id: string, extra: object) => Promise<Reply>;

const EXPORTS: [string, Export][] = [
  ["POST /export_trajectories", (id, extra) => proxy.post("/export_trajectories", { session_id: id, ...extra })],
  ["POST /export_batch", (id, extra) => proxy.post("/export_batch", { session_ids: [id], ...extra })],
  ["POST /export_batch/prepare", (id, extra) => proxy.post("/export_batch/prepare", { session_ids: [id], ...extra })],
];

describe.each(EXPORTS)("%s", (_, send) => {
  it("aborts calls in flight immediately with drain_seconds: 0, even if the configuration has another value", async () => {
    const { session, call } = await busySession(HOUR);
    expect((await send(session.id, { drain_seconds: 0 })).status).toBe(200);
    expect((await call).refusal).toBe("409 call_aborted");
  });

  it("waits for calls in flight for its drain_seconds, whatever the configuration says", async () => {
    const { session, call, release } = await busySession(0);
    const waits = vi.spyOn(proxy.context.registry.get(session.id).calls, "waitIdle");
    const exporting = send(session.id, { drain_seconds: HOUR });
    await until(() => waits.mock.calls.length > 0);
    release();
    expect((await call).status).toBe(200);
    expect((await exporting).status).toBe(200);
  });

  it("waits as the configuration says without drain_seconds", async () => {
    const { session, call } = await busySession(0);
    expect((await send(session.id, {})).status).toBe(200);
    expect((await call).refusal).toBe("409 call_aborted");
  });
});

it("counts the calls that an export aborted in its batch", async () => {
  const { session } = await busySession(HOUR);
  const reply = await proxy.post("/export_batch", { session_ids: [session.id], drain_seconds: 0 });
  const { metadata } = readSafetensors(reply.raw);
  expect(JSON.parse(metadata["incomplete_calls"] ?? "")).toEqual({ [session.id]: 1 });
});
