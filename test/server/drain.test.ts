import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { drain } from "../../src/server/drain.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";

const USER = [{ role: "user", content: "hello" }];

let proxy: Proxy;
beforeEach(async () => {
  proxy = await Proxy.start({ settings: { shutdownSeconds: 3600 } });
});
afterEach(() => proxy.close());

/** Starts a drain. Returns its warnings, and whether it still waits. */
async function draining() {
  const logger = pino({ level: "silent" });
  const warnings = vi.spyOn(logger, "warn");
  const notes = vi.spyOn(logger, "info");
  const drained = drain(proxy.context, logger);
  await nextTurn();
  return { drained, waits: () => !proxy.context.shutdown.signal.aborted, warnings, notes };
}

async function endedSession(): Promise<StartedSession> {
  const session = await proxy.session();
  await proxy.chat(session, USER);
  await proxy.end(session);
  return session;
}

describe("shutting down waits for", () => {
  it("an ended session until it is exported", async () => {
    const session = await endedSession();
    const { drained, waits, warnings, notes } = await draining();
    expect(waits()).toBe(true);
    const waiting = { calls: 0, unexportedSessions: 1, unacknowledgedSessions: 0, openAnswers: 0 };
    expect(notes.mock.calls[0]?.[0]).toMatchObject({ ...waiting, shutdownSeconds: 3600 });
    expect((await proxy.export(session)).status).toBe(200);
    await drained;
    expect(warnings).not.toHaveBeenCalled();
  });

  it("each of several ended sessions", async () => {
    const [first, second] = [await endedSession(), await endedSession()];
    const { drained, waits } = await draining();
    await proxy.export(second);
    expect(waits()).toBe(true);
    await proxy.export(first);
    await drained;
  });

  it("a call in flight until it is recorded", async () => {
    const session = await proxy.session();
    const release = proxy.engine.hold();
    const call = proxy.chat(session, USER);
    await until(() => proxy.engine.calls.length === 1);
    const { drained, waits } = await draining();
    expect(waits()).toBe(true);
    await proxy.end(session);
    release();
    expect((await call).status).toBe(200);
    await proxy.export(session);
    await drained;
  });
});

describe("shutting down does not wait for", () => {
  it("a session that has nothing to export", async () => {
    await proxy.end(await proxy.session());
    const { drained, waits, warnings } = await draining();
    expect(waits()).toBe(false);
    await drained;
    expect(warnings).not.toHaveBeenCalled();
  });

  it("an active session without a call, and names it in the log if it has interactions", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    await proxy.session();
    const { drained, waits, warnings } = await draining();
    expect(waits()).toBe(false);
    await drained;
    const [[details] = []] = warnings.mock.calls;
    expect(details).toEqual({ abortedCalls: 0, lostSessions: 1, ids: [session.id] });
  });
});

describe("a drain that outlasts the limit", () => {
  it("names the ended sessions that were not exported and counts the calls that it aborted", async () => {
    await proxy.close();
    proxy = await Proxy.start({ settings: { shutdownSeconds: 0 } });
    const session = await endedSession();
    const busy = await proxy.session();
    proxy.engine.hold();
    const call = proxy.chat(busy, USER);
    await until(() => proxy.engine.calls.length === 2);
    const { drained, warnings } = await draining();
    await drained;
    expect((await call).refusal).toBe("409 call_aborted");
    const [[details] = []] = warnings.mock.calls;
    expect(details).toEqual({ abortedCalls: 1, lostSessions: 1, ids: [session.id] });
  });
});
