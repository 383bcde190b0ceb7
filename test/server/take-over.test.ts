import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

const USER = [{ role: "user", content: "hello" }];
const NEXT = { role: "user", content: "and then?" };

let proxy: Proxy;
beforeEach(async () => {
  proxy = await Proxy.start();
});
afterEach(() => proxy.close());

interface Taken {
  readonly session_id: string;
  readonly session_api_key: string;
  readonly transcript: { readonly state: string; readonly interactions: readonly { readonly id: string }[] };
}

const takeOver = ({ id }: Pick<StartedSession, "id">, body: object = {}, from = proxy) =>
  from.post(`/rl/sessions/${id}/take_over`, body);

async function takenSession(session: StartedSession, body: object = {}): Promise<StartedSession> {
  const { session_id, session_api_key } = (await takeOver(session, body)).json<Taken>();
  return { id: session_id, key: session_api_key };
}

describe("POST /rl/sessions/{id}/take_over", () => {
  it("returns a new key and what was recorded; calls with it continue the tree", async () => {
    const session = await proxy.session();
    const first = await proxy.turn(session, USER);
    await proxy.reward(session, 0.5, first.id);
    const answer = await takeOver(session);
    expect(answer.headers["content-type"]).toContain("application/json");
    const reply = answer.json<Taken>();
    expect(reply.session_id).toBe(session.id);
    expect(reply.transcript).toMatchObject({ state: "active", interactions: [{ id: first.id, own_reward: 0.5 }] });
    const taken = { id: session.id, key: reply.session_api_key };
    await proxy.turn(taken, [...first.messages, NEXT]);
    const recorded = proxy.context.registry.get(session.id);
    expect([0, 1].map((index) => recorded.interaction(index).parent)).toEqual([-1, 0]);
    expect(recorded.tokens.interaction(0).ownReward).toBe(0.5);
  });

  it("revokes the former key", async () => {
    const session = await proxy.session();
    await proxy.turn(session, USER);
    await takeOver(session);
    expect((await proxy.chat(session, USER)).refusal).toBe("401 invalid_api_key");
    expect((await proxy.reward(session, 1)).refusal).toBe("401 invalid_api_key");
    expect((await proxy.end(session)).refusal).toBe("401 invalid_api_key");
  });

  it("aborts the calls in flight of the former agent, which record nothing", async () => {
    const session = await proxy.session();
    const first = await proxy.turn(session, USER);
    proxy.engine.hold();
    const call = proxy.chat(session, [...first.messages, NEXT]);
    await until(() => proxy.engine.calls.length === 2);
    const { transcript } = (await takeOver(session)).json<Taken>();
    expect((await call).refusal).toBe("409 call_aborted");
    expect(transcript.interactions.map(({ id }) => id)).toEqual([first.id]);
    expect(proxy.engine.aborted).toHaveLength(1);
  });

  it("refuses a request whose key was checked before, and whose body arrives later", async () => {
    const session = await proxy.session();
    await proxy.turn(session, USER);
    await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    const address = proxy.app.server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const body = JSON.stringify({ reward: 1 });
    const type = ["content-type: application/json", `content-length: ${body.length}`];
    const { lastAccessAt } = proxy.context.registry.get(session.id);
    const head = requestHead("POST", "/rl/set_reward", ...type, `authorization: Bearer ${session.key}`);
    const late = await openConnection(port, head);
    // The key was checked when the session was touched.
    await until(() => proxy.context.registry.get(session.id).lastAccessAt > lastAccessAt);
    await takeOver(session);
    late.socket.write(body);
    await until(() => late.received().includes("\r\n\r\n"));
    expect(late.received()).toMatch(/^HTTP\/1\.1 401 /);
    expect(proxy.context.registry.get(session.id).rewardsMissing).toBe(true);
  });

  it("gives the session another lease, and refuses calls that name a former one", async () => {
    const session = await proxy.session({ lease_id: "one" });
    await proxy.turn(session, USER);
    expect((await takeOver(session, { from_lease_id: "other", lease_id: "two" })).refusal).toBe(
      "404 session_not_found",
    );
    const taken = await takenSession(session, { from_lease_id: "one", lease_id: "two" });
    expect((await proxy.request({ method: "GET", url: `/rl/sessions/${session.id}` })).json()).toMatchObject({
      lease_id: "two",
    });
    expect((await takeOver(session, { from_lease_id: "one", lease_id: "three" })).refusal).toBe(
      "404 session_not_found",
    );
    const removed = await proxy.request({ method: "DELETE", url: `/rl/sessions/${session.id}?lease_id=one` });
    expect(removed.refusal).toBe("404 session_not_found");
    expect((await proxy.chat(taken, USER)).status).toBe(200);
    // The answer to the first call may have been lost.
    expect((await takeOver(session, { from_lease_id: "one", lease_id: "two" })).status).toBe(200);
    expect((await proxy.request({ method: "DELETE", url: `/rl/sessions/${session.id}?lease_id=two` })).status).toBe(
      200,
    );
  });

  it("refuses sessions that have ended or do not exist", async () => {
    const session = await proxy.session();
    await proxy.turn(session, USER);
    await proxy.end(session);
    expect((await takeOver(session)).refusal).toBe("409 session_ended");
    await proxy.export(session);
    expect((await takeOver(session)).refusal).toBe("409 session_ended");
    expect((await takeOver({ id: "none-0" })).refusal).toBe("404 session_not_found");
    proxy.context.registry.freeRetained(() => false);
    expect((await takeOver(session)).refusal).toBe("410 session_exported");
  });

  it("keeps lease and key over a restart of a server with storage", async () => {
    const storage = { directory: temporaryFolder() };
    const first = await Proxy.start({ storage });
    const session = await first.session({ lease_id: "one" });
    const turn = await first.turn(session, USER);
    const taken = (await takeOver(session, { lease_id: "two" }, first)).json<Taken>();
    await first.close();
    const second = await Proxy.start({ storage });
    try {
      expect((await second.chat(session, USER)).refusal).toBe("401 invalid_api_key");
      expect((await second.chat({ id: session.id, key: taken.session_api_key }, [...turn.messages, NEXT])).status).toBe(
        200,
      );
      const again = (await takeOver(session, { from_lease_id: "two" }, second)).json<Taken>();
      expect(again.transcript.interactions).toHaveLength(2);
    } finally {
      await second.close();
    }
  });
});
