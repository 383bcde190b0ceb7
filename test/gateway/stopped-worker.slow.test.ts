import { describe, expect, it } from "vitest";
import { until } from "../helpers/until.js";
import { type StoppableAddress, stoppableAddress } from "./stoppable-address.js";
import { Gateway, readWorkerTag, startWorker, type WorkerServer } from "./workers.js";

/** A worker that is stopped or hangs: connections to it are accepted, and nothing is answered. */

const LIMITS = { controlMilliseconds: 200, unreachableMilliseconds: 400 };

interface Session {
  readonly id: string;
  readonly key: string;
}

interface Setup {
  readonly gateway: Gateway;
  /** The worker that can be stopped. */
  readonly one: WorkerServer;
  readonly two: WorkerServer;
  readonly address: StoppableAddress;
  /** Sessions on worker one and on worker two, with a call each. */
  readonly sessions: { readonly one: Session; readonly two: Session };
  /** Paths that worker one has received. */
  readonly paths: string[];
}

async function setUp(): Promise<Setup> {
  const [one, two] = [await startWorker("one"), await startWorker("two")];
  const address = await stoppableAddress(one.url);
  const paths: string[] = [];
  one.proxy.app.server.on("request", ({ url }: { url: string }) => paths.push(url));
  const gateway = await Gateway.start({ urls: [address.url, two.url] }, 60, undefined, undefined, LIMITS);
  const opened = [await gateway.session(), await gateway.session()];
  const [first, second] = opened.toSorted((a, b) => readWorkerTag(a.id).localeCompare(readWorkerTag(b.id)));
  if (!first || !second) throw new Error("two sessions were started");
  for (const { key } of opened) await gateway.chat(key, "hello");
  return { gateway, one, two, address, sessions: { one: first, two: second }, paths };
}

const stateOf = async (gateway: Gateway, tag: string) =>
  (await gateway.get("/health", null))
    .json<{ workers: { tag: string; status: string }[] }>()
    .workers.find((worker) => worker.tag === tag)?.status;

describe("a stopped worker", () => {
  it.each<[string, (gateway: Gateway, session: Session) => ReturnType<Gateway["post"]>]>([
    ["a model call", (gateway, { key }) => gateway.chat(key, "more")],
    ["a streamed model call", (gateway, { key }) => gateway.chat(key, "more", { stream: true })],
    ["a reward", (gateway, { key }) => gateway.post("/rl/set_reward", { reward: 1 }, key)],
    ["the end of a session", (gateway, { key }) => gateway.post("/rl/end_session", {}, key)],
    ["an export of a session", (gateway, { id }) => gateway.post("/export_trajectories", { session_id: id })],
    ["a batch of its sessions", (gateway, { id }) => gateway.post("/export_batch", { session_ids: [id] })],
    ["a look at a session", (gateway, { id }) => gateway.get(`/rl/sessions/${id}`)],
    [
      "a key of the caller's choice",
      (gateway) => gateway.post("/rl/start_session", { api_key: "sk-one.a-key-of-my-own-choice" }),
    ],
  ])("ends %s with 503 and Retry-After", async (_, send) => {
    const { gateway, address, sessions } = await setUp();
    address.stop();
    const reply = await send(gateway, sessions.one);
    expect([reply.refusal, reply.headers["retry-after"]]).toEqual(["503 worker_unavailable", "5"]);
  });

  it("is reported with every session of a batch that only it has", async () => {
    const { gateway, address, sessions } = await setUp();
    await gateway.post("/rl/end_session", {}, sessions.one.key);
    address.stop();
    const session_ids = [sessions.one.id, "task-one-99"];
    // The first batch waits for the worker until it is unreachable, the second one is refused at once.
    for (let n = 0; n < 2; n++) {
      const reply = await gateway.post("/export_batch", { session_ids });
      expect([reply.refusal, reply.headers["retry-after"]]).toEqual(["503 worker_unavailable", "5"]);
      expect(reply.error["sessions"]).toMatchObject(session_ids.map((session_id) => ({ session_id })));
    }
  });

  it("makes a batch of several workers fail with 503, which names its sessions and exports none", async () => {
    const { gateway, address, sessions } = await setUp();
    for (const { key } of Object.values(sessions)) await gateway.post("/rl/end_session", {}, key);
    address.stop();
    const reply = await gateway.post("/export_batch", { session_ids: [sessions.two.id, sessions.one.id] });
    expect(reply.refusal).toBe("503 worker_unavailable");
    expect(reply.error["sessions"]).toMatchObject([{ session_id: sessions.one.id, code: "worker_unavailable" }]);
    expect((await gateway.get(`/rl/sessions/${sessions.two.id}`)).json()).toMatchObject({ state: "ended" });
  });

  it("gets no slots and no sessions, which go to the other workers", async () => {
    const { gateway, two, address } = await setUp();
    // It has the most free slots, as far as the gateway knows.
    await gateway.post("/grant_capacity", { slots: 4 });
    address.stop();
    expect((await gateway.post("/grant_capacity", { slots: 4 })).status).toBe(200);
    expect(two.proxy.context.registry.capacity).toBe(6);
    for (let n = 0; n < 3; n++) expect(readWorkerTag((await gateway.session()).id)).toBe("two");
  });

  it("is named in the gateway's lists and health report", async () => {
    const { gateway, address } = await setUp();
    address.stop();
    expect((await gateway.get("/rl/sessions")).json()).toMatchObject({ unavailable_workers: ["one"] });
    expect((await gateway.get("/metrics", null)).raw.toString()).not.toContain('rolltape_sessions{worker="one"');
    await until(() => gateway.pool.all().some(({ state }) => state === "down"));
    expect(await stateOf(gateway, "one")).toBe("down");
    expect((await gateway.get("/readyz", null)).status).toBe(200);
  });

  it("is not called while it is unreachable, until it answers a probe", async () => {
    const { gateway, address, sessions, paths } = await setUp();
    address.stop();
    expect((await gateway.chat(sessions.one.key, "one")).refusal).toBe("503 worker_unavailable");
    for (let n = 0; n < 20; n++) {
      expect((await gateway.chat(sessions.one.key, "two")).refusal).toBe("503 worker_unavailable");
    }
    paths.length = 0;
    address.go();
    await until(() => gateway.pool.ready().length === 2);
    // The refused calls were not sent. The first one was, and its connection was closed before the worker could read it.
    expect(paths.filter((path) => path === "/v1/chat/completions").length).toBeLessThanOrEqual(1);
    expect(paths).toContain("/livez");
    expect((await gateway.chat(sessions.one.key, "three")).status).toBe(200);
  });

  it("loses all calls that wait for it, and other workers lose none", async () => {
    const { gateway, two, address, sessions } = await setUp();
    const release = two.proxy.engine.hold();
    const others = [1, 2, 3].map((n) => gateway.chat(sessions.two.key, `question ${n}`));
    address.stop();
    const lost = await Promise.all([1, 2, 3].map((n) => gateway.chat(sessions.one.key, `question ${n}`)));
    expect(lost.map(({ refusal }) => refusal)).toEqual(Array.from({ length: 3 }, () => "503 worker_unavailable"));
    release();
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("breaks off an answer that is being streamed", async () => {
    const { gateway, one, address, sessions } = await setUp();
    one.proxy.engine.replies.push({
      ids: [300, 301, 302, 303],
      perFrame: 2,
      beforeFrame: (frame) => (frame === 1 ? new Promise(() => {}) : undefined),
    });
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${sessions.one.key}`, "content-type": "application/json" },
      body: JSON.stringify({ stream: true, messages: [{ role: "user", content: "hello" }] }),
    });
    const reader = answer.body?.getReader();
    await reader?.read();
    address.stop();
    const toTheEnd = async () => {
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read());
    };
    await expect(toTheEnd()).rejects.toThrow("terminated");
  });
});

describe("a worker that lives", () => {
  it("may take any time for an answer", async () => {
    const { gateway, one, sessions, paths } = await setUp();
    const release = one.proxy.engine.hold();
    const answer = gateway.chat(sessions.one.key, "a long question");
    const batch = gateway.post("/export_batch", { session_ids: [sessions.one.id], wait_seconds: 60 });
    const probes = () => paths.filter((path) => path === "/livez").length;
    // Three times as many probes as a worker gets before it counts as unreachable.
    await until(() => probes() >= 12);
    release();
    expect((await answer).status).toBe(200);
    await gateway.post("/rl/end_session", {}, sessions.one.key);
    expect((await batch).status).toBe(200);
  });
});
