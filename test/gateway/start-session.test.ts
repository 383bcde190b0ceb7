import { describe, expect, it } from "vitest";
import { until } from "../helpers/until.js";
import { type ScriptedAnswer, type ScriptedWorker, startScripted } from "./scripted-worker.js";
import { Gateway, startWorker } from "./workers.js";

/** Which worker gets slots and sessions, and what a gateway makes of workers that refuse or break off. */

const START = "/rl/start_session";
const GRANT = "/grant_capacity";

const refusal = (status: number, code: string, headers = {}): ScriptedAnswer => ({
  status,
  headers,
  body: { error: { message: "no", type: "invalid_request_error", code, param: null } },
});
const started = (tag: string): ScriptedAnswer => ({ body: { session_id: `task-${tag}-0` } });

const gatewayTo = (...workers: readonly ScriptedWorker[]) => Gateway.start({ urls: workers.map(({ url }) => url) });
const callsOf = (...workers: readonly ScriptedWorker[]) => workers.map(({ calls }) => calls.length);

/** What the gateway knows of its workers. */
const known = async (gateway: Gateway) =>
  (await gateway.get("/health", null))
    .json<{ workers: { tag: string; status: string; capacity: number; sessions: number }[] }>()
    .workers.map(({ tag, status, capacity, sessions }) => [tag, status, capacity, sessions]);

describe("POST /rl/start_session through a gateway", () => {
  it("starts a session on the worker with the most free slots, and counts it there", async () => {
    const one = await startScripted("one", { [START]: () => started("one") }, 1);
    const two = await startScripted("two", { [START]: () => started("two") }, 3);
    const gateway = await gatewayTo(one, two);
    for (const free of [2, 1]) {
      expect((await gateway.post(START)).json()).toEqual({ session_id: "task-two-0" });
      expect((await known(gateway))[1]).toEqual(["two", "ok", free, 3 - free]);
    }
  });

  it.each([429, 503])("starts a session on another worker if the first one refuses with %i", async (status) => {
    const full = await startScripted("one", { [START]: () => refusal(status, "no_capacity") }, 5);
    const free = await startScripted("two", { [START]: () => started("two") }, 1);
    const gateway = await gatewayTo(full, free);
    expect((await gateway.post(START)).json()).toEqual({ session_id: "task-two-0" });
    // After 429, the worker counts as without slots. After 503, its count is unchanged.
    expect((await known(gateway))[0]).toEqual(["one", "ok", status === 429 ? 0 : 5, 0]);
  });

  it.each(["draining", "engine_unavailable", "storage_failed"])(
    "starts no session on a worker whose health check reports %s, and shows that state",
    async (status) => {
      const health = { status, worker: { tag: "one", capacity: 5, sessions: 2 } };
      const other = await startScripted("one", { "/health": () => ({ body: health }), [START]: () => started("one") });
      const free = await startScripted("two", { [START]: () => started("two") }, 1);
      const gateway = await gatewayTo(other, free);
      expect((await known(gateway))[0]).toEqual(["one", status, 5, 2]);
      expect((await gateway.post(START)).json()).toEqual({ session_id: "task-two-0" });
      expect(callsOf(other, free)).toEqual([0, 1]);
    },
  );

  it("marks a worker that closes the connection as down, and starts the session on another one", async () => {
    const broken = await startScripted("one", { [START]: () => "broken" }, 5);
    const free = await startScripted("two", { [START]: () => started("two") }, 1);
    const gateway = await gatewayTo(broken, free);
    expect((await gateway.post(START)).json()).toEqual({ session_id: "task-two-0" });
    expect((await known(gateway)).map(([, status]) => status)).toEqual(["down", "ok"]);
    await gateway.post(START);
    expect(callsOf(broken, free)).toEqual([1, 2]);
  });
});

describe("a start_session that a worker refuses", () => {
  it("returns an error about the request without asking another worker", async () => {
    const one = await startScripted("one", { [START]: () => refusal(400, "invalid_value") }, 5);
    const two = await startScripted("two", { [START]: () => started("two") }, 1);
    const gateway = await gatewayTo(one, two);
    expect((await gateway.post(START)).refusal).toBe("400 invalid_value");
    expect(callsOf(one, two)).toEqual([1, 0]);
    expect((await known(gateway))[0]).toEqual(["one", "ok", 5, 0]);
  });

  it("returns 429 with the worker's Retry-After if no worker has a slot", async () => {
    const workers = [
      await startScripted("one", { [START]: () => refusal(429, "no_capacity", { "retry-after": "7" }) }),
      await startScripted("two", { [START]: () => refusal(429, "no_capacity", { "retry-after": "7" }) }),
    ];
    const gateway = await gatewayTo(...workers);
    const reply = await gateway.post(START);
    expect([reply.refusal, reply.headers["retry-after"]]).toEqual(["429 no_capacity", "7"]);
    expect(callsOf(...workers)).toEqual([1, 1]);
  });

  it("returns 503 if every worker closes the connection", async () => {
    const gateway = await gatewayTo(await startScripted("one", { [START]: () => "broken" }));
    expect((await gateway.post(START)).refusal).toBe("503 worker_unavailable");
  });

  it("returns 503 if the key names a worker that closes the connection, although others have slots", async () => {
    const broken = await startScripted("one", { [START]: () => "broken" });
    const free = await startScripted("two", { [START]: () => started("two") }, 5);
    const gateway = await gatewayTo(broken, free);
    const reply = await gateway.post(START, { api_key: "sk-one.a-key-of-my-own-choice" });
    expect(reply.refusal).toBe("503 worker_unavailable");
    expect(callsOf(broken, free)).toEqual([1, 0]);
  });
});

describe("POST /grant_capacity through a gateway", () => {
  /** Takes all slots that it is granted. */
  const granting = (tag: string) => {
    let capacity = 0;
    return startScripted(tag, { [GRANT]: ({ slots }) => ({ body: { capacity: (capacity += Number(slots)) } }) });
  };

  it("gives the slots of a worker that closes the connection to the others", async () => {
    const broken = await startScripted("one", { [GRANT]: () => "broken" });
    const others = [await granting("two"), await granting("three")];
    const gateway = await gatewayTo(broken, ...others);
    expect((await gateway.post(GRANT, { slots: 6 })).json()).toEqual({ capacity: 6 });
    expect((await known(gateway)).map(([, status, capacity]) => [status, capacity])).toEqual([
      ["down", 0],
      ["ok", 3],
      ["ok", 3],
    ]);
  });

  it("spreads the slots of concurrent requests before any worker has answered", async () => {
    let received = 0;
    const script = async () => {
      received++;
      await until(() => received === 8);
      return { body: { capacity: 1 } };
    };
    const workers = [await startScripted("one", { [GRANT]: script }), await startScripted("two", { [GRANT]: script })];
    const gateway = await gatewayTo(...workers);
    await Promise.all(Array.from({ length: 8 }, () => gateway.post(GRANT)));
    expect(callsOf(...workers)).toEqual([4, 4]);
  });

  it("returns 503 if every worker closes the connection, although their health checks succeed", async () => {
    const workers = [
      await startScripted("one", { [GRANT]: () => "broken" }),
      await startScripted("two", { [GRANT]: () => "broken" }),
    ];
    const gateway = await gatewayTo(...workers);
    expect((await gateway.post(GRANT, { slots: 4 })).refusal).toBe("503 worker_unavailable");
    expect(callsOf(...workers)).toEqual([1, 1]);
  });

  it("does not call a worker that gets no slots", async () => {
    const busy = await startScripted("one", {}, 9);
    const free = await granting("two");
    const gateway = await gatewayTo(busy, free);
    expect((await gateway.post(GRANT, { slots: 4 })).json()).toEqual({ capacity: 13 });
    expect(callsOf(busy, free)).toEqual([0, 1]);
  });

  it("returns the error of a worker that refuses the slots", async () => {
    const gateway = await gatewayTo(await startScripted("one", { [GRANT]: () => refusal(403, "wrong_key_kind") }));
    expect((await gateway.post(GRANT, { slots: 4 })).refusal).toBe("403 wrong_key_kind");
  });

  it.each([{ capacity: "many" }, "no JSON"])("returns 502 if a worker replies %o", async (body) => {
    const gateway = await gatewayTo(await startScripted("one", { [GRANT]: () => ({ body }) }));
    expect((await gateway.post(GRANT, { slots: 4 })).refusal).toBe("502 invalid_worker_reply");
  });
});

describe("POST /rl/sessions/{id}/take_over through a gateway", () => {
  it.each([
    ["without the worker's address", false],
    ["with the worker's address behind gateway.direct", true],
  ])("takes the session over on its worker, %s", async (_, direct) => {
    const workers = [await startWorker("one"), await startWorker("two")];
    const urls = workers.map(({ url }) => url);
    const gateway = await Gateway.start({ urls }, undefined, undefined, undefined, { direct });
    const session = await gateway.session({ lease_id: "first" });
    const messages = [{ role: "user", content: "hello" }];
    await gateway.post("/v1/chat/completions", { model: "tiny", messages }, session.key);
    const body = { from_lease_id: "first", lease_id: "second" };
    const reply = await gateway.post(`/rl/sessions/${session.id}/take_over`, body);
    const { session_api_key, base_url, transcript } = reply.json<{
      session_api_key: string;
      base_url?: string;
      transcript: { interactions: object[] };
    }>();
    expect(transcript.interactions).toHaveLength(1);
    expect(base_url).toBe(direct ? workers.find(({ tag }) => session.id.includes(tag))?.url : undefined);
    expect((await gateway.post("/rl/end_session", {}, session.key)).refusal).toBe("401 invalid_api_key");
    expect((await gateway.post("/rl/end_session", {}, session_api_key)).status).toBe(200);
    expect((await gateway.post(`/rl/sessions/${session.id}/take_over`, body)).refusal).toBe("409 session_ended");
  });
});
