import { describe, expect, it } from "vitest";
import { until } from "../helpers/until.js";
import { type ScriptedAnswer, type ScriptedWorker, startScripted } from "./scripted-worker.js";
import { Gateway } from "./workers.js";

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

describe("a session starts on", () => {
  it("the worker with the most free slots, and is counted there", async () => {
    const one = await startScripted("one", { [START]: () => started("one") }, 1);
    const two = await startScripted("two", { [START]: () => started("two") }, 3);
    const gateway = await gatewayTo(one, two);
    for (const free of [2, 1]) {
      expect((await gateway.post(START)).json()).toEqual({ session_id: "task-two-0" });
      expect((await known(gateway))[1]).toEqual(["two", "ok", free, 3 - free]);
    }
  });

  it.each([429, 503])("another worker if the first refuses with %i", async (status) => {
    const full = await startScripted("one", { [START]: () => refusal(status, "no_capacity") }, 5);
    const free = await startScripted("two", { [START]: () => started("two") }, 1);
    const gateway = await gatewayTo(full, free);
    expect((await gateway.post(START)).json()).toEqual({ session_id: "task-two-0" });
    // A worker that says 429 has no slot; one that says 503 has what it had.
    expect((await known(gateway))[0]).toEqual(["one", "ok", status === 429 ? 0 : 5, 0]);
  });

  it("another worker if the first breaks off, which is down then", async () => {
    const broken = await startScripted("one", { [START]: () => "broken" }, 5);
    const free = await startScripted("two", { [START]: () => started("two") }, 1);
    const gateway = await gatewayTo(broken, free);
    expect((await gateway.post(START)).json()).toEqual({ session_id: "task-two-0" });
    expect((await known(gateway)).map(([, status]) => status)).toEqual(["down", "ok"]);
    await gateway.post(START);
    expect(callsOf(broken, free)).toEqual([1, 2]);
  });
});

describe("a refusal to start a session", () => {
  it("is the answer at once if another worker would refuse alike", async () => {
    const one = await startScripted("one", { [START]: () => refusal(400, "invalid_value") }, 5);
    const two = await startScripted("two", { [START]: () => started("two") }, 1);
    const gateway = await gatewayTo(one, two);
    expect((await gateway.post(START)).refusal).toBe("400 invalid_value");
    expect(callsOf(one, two)).toEqual([1, 0]);
    expect((await known(gateway))[0]).toEqual(["one", "ok", 5, 0]);
  });

  it("is the answer with its Retry-After if no worker has a slot", async () => {
    const workers = [
      await startScripted("one", { [START]: () => refusal(429, "no_capacity", { "retry-after": "7" }) }),
      await startScripted("two", { [START]: () => refusal(429, "no_capacity", { "retry-after": "7" }) }),
    ];
    const gateway = await gatewayTo(...workers);
    const reply = await gateway.post(START);
    expect([reply.refusal, reply.headers["retry-after"]]).toEqual(["429 no_capacity", "7"]);
    expect(callsOf(...workers)).toEqual([1, 1]);
  });

  it("is 503 if every worker broke off", async () => {
    const gateway = await gatewayTo(await startScripted("one", { [START]: () => "broken" }));
    expect((await gateway.post(START)).refusal).toBe("503 worker_unavailable");
  });

  it("is 503 for a key of the caller's choice if its worker broke off, though others have slots", async () => {
    const broken = await startScripted("one", { [START]: () => "broken" });
    const free = await startScripted("two", { [START]: () => started("two") }, 5);
    const gateway = await gatewayTo(broken, free);
    const reply = await gateway.post(START, { api_key: "sk-one.a-key-of-my-own-choice" });
    expect(reply.refusal).toBe("503 worker_unavailable");
    expect(callsOf(broken, free)).toEqual([1, 0]);
  });
});

describe("slots", () => {
  /** Takes all slots that it is granted. */
  const granting = (tag: string) => {
    let capacity = 0;
    return startScripted(tag, { [GRANT]: ({ slots }) => ({ body: { capacity: (capacity += Number(slots)) } }) });
  };

  it("of a worker that breaks off go to the others", async () => {
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

  it("of requests at the same time are spread, though no worker has answered yet", async () => {
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

  it("are 503 if every worker breaks off, though they say that they are well", async () => {
    const workers = [
      await startScripted("one", { [GRANT]: () => "broken" }),
      await startScripted("two", { [GRANT]: () => "broken" }),
    ];
    const gateway = await gatewayTo(...workers);
    expect((await gateway.post(GRANT, { slots: 4 })).refusal).toBe("503 worker_unavailable");
    expect(callsOf(...workers)).toEqual([1, 1]);
  });

  it("are asked of no worker that gets none", async () => {
    const busy = await startScripted("one", {}, 9);
    const free = await granting("two");
    const gateway = await gatewayTo(busy, free);
    expect((await gateway.post(GRANT, { slots: 4 })).json()).toEqual({ capacity: 13 });
    expect(callsOf(busy, free)).toEqual([0, 1]);
  });

  it("that a worker refuses are refused as the worker does", async () => {
    const gateway = await gatewayTo(await startScripted("one", { [GRANT]: () => refusal(403, "wrong_key_kind") }));
    expect((await gateway.post(GRANT, { slots: 4 })).refusal).toBe("403 wrong_key_kind");
  });

  it.each([{ capacity: "many" }, "no JSON"])("of which a worker says %o are an invalid reply", async (body) => {
    const gateway = await gatewayTo(await startScripted("one", { [GRANT]: () => ({ body }) }));
    expect((await gateway.post(GRANT, { slots: 4 })).refusal).toBe("502 invalid_worker_reply");
  });
});
