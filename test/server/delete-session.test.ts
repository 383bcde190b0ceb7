import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";

const USER = [{ role: "user", content: "hello" }];

let proxy: Proxy;
beforeEach(async () => {
  proxy = await Proxy.start();
});
afterEach(() => proxy.close());

const remove = ({ id }: StartedSession) => proxy.request({ method: "DELETE", url: `/rl/sessions/${id}` });

describe("DELETE /rl/sessions/{id}", () => {
  it("frees an active session, revokes its key and removes it from the list", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    const held = proxy.context.registry.get(session.id);
    expect(held.data.size.native).toBeGreaterThan(0);
    expect((await remove(session)).json()).toEqual({ session_id: session.id });
    expect(held.data.size.native).toBe(0);
    expect((await proxy.chat(session, USER)).refusal).toBe("401 invalid_api_key");
    expect((await proxy.export(session)).refusal).toBe("404 session_not_found");
    expect((await remove(session)).refusal).toBe("404 session_not_found");
    expect((await proxy.session()).id).not.toBe(session.id);
  });

  it("aborts the calls in flight, also in the engine", async () => {
    const session = await proxy.session();
    proxy.engine.hold();
    const call = proxy.chat(session, USER);
    await until(() => proxy.engine.calls.length === 1);
    await remove(session);
    expect((await call).refusal).toBe("409 call_aborted");
    expect(proxy.engine.aborted).toHaveLength(1);
  });

  it("frees the retained export of an exported session", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    await proxy.end(session);
    await proxy.export(session);
    const held = proxy.context.registry.get(session.id);
    expect(held.data.size.native).toBeGreaterThan(0);
    await remove(session);
    expect(held.data.size.native).toBe(0);
    expect((await proxy.export(session)).refusal).toBe("404 session_not_found");
  });

  it("fails an export that waits for the session", async () => {
    const session = await proxy.session();
    const waiting = proxy.export(session, { wait_seconds: 3600 });
    const other = await proxy.session();
    await remove(session);
    expect((await waiting).refusal).toBe("410 session_expired");
    expect((await proxy.export(session)).refusal).toBe("404 session_not_found");
    expect((await proxy.chat(other, USER)).status).toBe(200);
  });

  it("requires the admin key", async () => {
    const { id, key } = await proxy.session();
    expect((await proxy.request({ method: "DELETE", url: `/rl/sessions/${id}` }, key)).refusal).toBe(
      "403 wrong_key_kind",
    );
  });
});
