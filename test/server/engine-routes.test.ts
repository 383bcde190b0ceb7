import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/index.js";
import { rendezvousOrder } from "../../src/engine/servers/pool/rendezvous.js";
import { Proxy } from "../helpers/proxy.js";
import { type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";

const USER = [{ role: "user", content: "hello" }];

let servers: SglangServer[];
let proxy: Proxy<Engine>;
beforeEach(async () => {
  servers = await Promise.all([startSglangServer(), startSglangServer()]);
  const urls = servers.map(({ url }) => url);
  proxy = await Proxy.start({ engine: createSglangEngine({ urls, timeoutSeconds: 0, maxInflight: 2 }) });
});
afterEach(async () => {
  await proxy.close();
  await proxy.engine.close();
  for (const server of servers) await server.close();
});

interface ServerRecord extends Record<string, unknown> {
  readonly url: string;
}

async function engineRecord() {
  return (await proxy.request({ url: "/rl/engine" })).json<{ paused: string | null; servers: ServerRecord[] }>();
}

async function metrics(): Promise<string[]> {
  return (await proxy.request({ url: "/metrics" }, null)).raw.toString().split("\n");
}

/** Returns the session's server and the other one. */
function findServers(sessionId: string): [home: SglangServer, other: SglangServer] {
  const urls = servers.map(({ url }) => url);
  const [first = "", second = ""] = rendezvousOrder(sessionId, urls).map((url) => urls.indexOf(url));
  const [home, other] = [servers[Number(first)], servers[Number(second)]];
  if (!home || !other) throw new Error("two servers expected");
  return [home, other];
}

const post = (path: string, body: object = {}) => proxy.post(`/rl/engine${path}`, body);

describe("GET /rl/engine", () => {
  it("lists the servers with counts of their requests that agree with /metrics", async () => {
    const session = await proxy.session();
    const [home, other] = findServers(session.id);
    home.fault({ kind: "status", status: 503 });
    await proxy.chat(session, USER);
    await proxy.chat(session, USER);
    home.fault({ kind: "status", status: 500 });
    await proxy.chat(session, USER);
    const idle = { state: "up", healthy: true, requests: 0, waiting: 0, max_inflight: 2, aborted: 0 };

    const broke = { message: "The engine answered HTTP 500: Internal Server Error", at: expect.any(Number) };
    const { servers: listed, ...rest } = await engineRecord();
    expect(rest).toEqual({ type: "sglang", paused: null, version_labels: {} });
    expect(listed.find(({ url }) => url === home.url)).toEqual({
      ...idle,
      logprobs: "temperature",
      url: home.url,
      completed: 1,
      failed: 2,
      failovers: 1,
      last_failure: broke,
    });
    expect(listed.find(({ url }) => url === other.url)).toEqual({
      ...idle,
      logprobs: "temperature",
      url: other.url,
      completed: 1,
      failed: 0,
      failovers: 0,
      last_failure: null,
    });
    expect(await metrics()).toEqual(
      expect.arrayContaining([
        `rolltape_engine_server_state{server="${home.url}",state="up"} 1`,
        `rolltape_engine_server_state{server="${home.url}",state="down"} 0`,
        `rolltape_engine_server_requests_total{server="${home.url}",outcome="completed"} 1`,
        `rolltape_engine_server_requests_total{server="${home.url}",outcome="failed"} 2`,
        `rolltape_engine_server_failovers_total{server="${home.url}"} 1`,
        `rolltape_engine_server_failovers_total{server="${other.url}"} 0`,
        "rolltape_engine_paused 0",
      ]),
    );
  });

  it("counts requests in flight and requests that wait for a place on their server", async () => {
    const session = await proxy.session();
    const [home] = findServers(session.id);
    home.fault({ kind: "hang" }, 3);
    const calls = [1, 2, 3].map((n) => proxy.chat(session, [{ role: "user", content: `call ${n}` }]));
    await expect
      .poll(async () => (await engineRecord()).servers.find(({ url }) => url === home.url))
      .toMatchObject({ requests: 3, waiting: 1 });
    expect(await metrics()).toEqual(
      expect.arrayContaining([
        `rolltape_engine_server_inflight_requests{server="${home.url}",place="running"} 2`,
        `rolltape_engine_server_inflight_requests{server="${home.url}",place="waiting"} 1`,
        `rolltape_engine_server_max_inflight_requests{server="${home.url}"} 2`,
      ]),
    );
    await proxy.request({ method: "DELETE", url: `/rl/sessions/${session.id}` });
    await Promise.all(calls);
    expect((await engineRecord()).servers.find(({ url }) => url === home.url)).toMatchObject({
      requests: 0,
      aborted: 2,
    });
  });

  it("requires the admin key", async () => {
    const session = await proxy.session();
    expect((await proxy.request({ url: "/rl/engine" }, session.key)).refusal).toBe("403 wrong_key_kind");
    expect((await proxy.post("/rl/engine/pause", {}, session.key)).refusal).toBe("403 wrong_key_kind");
    expect((await proxy.request({ url: "/rl/engine" }, null)).refusal).toBe("401 missing_api_key");
  });
});

describe("POST /rl/engine/drain", () => {
  it("moves the server's sessions to another server until it is restored", async () => {
    const session = await proxy.session();
    const [home, other] = findServers(session.id);
    expect((await post("/drain", { url: home.url })).json()).toMatchObject({
      url: home.url,
      state: "draining",
      requests: 0,
    });
    await proxy.chat(session, USER);
    expect([home.to("/generate").length, other.to("/generate").length]).toEqual([0, 1]);
    expect((await post("/restore", { url: home.url })).json()).toMatchObject({ state: "up" });
    await proxy.chat(session, USER);
    expect([home.to("/generate").length, other.to("/generate").length]).toEqual([1, 1]);
  });

  it("waits for the server's requests with wait_seconds, and returns how many remain after that time", async () => {
    const session = await proxy.session();
    const [home] = findServers(session.id);
    home.scheduler.pause("in_place");
    const running = proxy.chat(session, USER);
    await expect.poll(() => home.to("/generate").length).toBe(1);
    const at = await post("/drain", { url: home.url });
    const short = await post("/drain", { url: home.url, wait_seconds: 0.01 });
    const waiting = post("/drain", { url: home.url, wait_seconds: 600 });
    home.scheduler.continue();
    const long = await waiting;
    expect([at, short, long].map((reply) => reply.json<{ requests: number }>().requests)).toEqual([1, 1, 0]);
    expect((await running).status).toBe(200);
  });

  it("lists the known servers if the url is unknown", async () => {
    for (const path of ["/drain", "/restore"]) {
      const reply = await post(path, { url: "http://nowhere:1" });
      expect([reply.refusal, reply.error.param]).toEqual(["404 engine_server_not_found", "url"]);
      for (const { url } of servers) expect(reply.error.message).toContain(url);
    }
    expect((await post("/drain")).refusal).toBe("400 invalid_value");
  });
});

describe("POST /rl/engine/pause", () => {
  it("pauses every server, holds calls back, and resumes", async () => {
    const session = await proxy.session();
    const [home] = findServers(session.id);
    expect((await post("/pause", { mode: "keep" })).json()).toMatchObject({ paused: "keep" });
    const modes = servers.flatMap((server) => server.to("/pause_generation").map(({ json }) => json["mode"]));
    expect(modes).toEqual(["in_place", "in_place"]);
    const held = proxy.chat(session, USER);
    expect(await metrics()).toContain("rolltape_engine_paused 1");
    expect(home.to("/generate")).toHaveLength(0);
    expect((await post("/resume")).json()).toMatchObject({ paused: null });
    expect((await held).status).toBe(200);
  });

  it("pauses no server if one cannot be paused, and names it", async () => {
    const [first, second] = servers;
    await second?.close();
    const reply = await post("/pause");
    expect(reply.refusal).toBe("502 engine_unavailable");
    expect(reply.error.message).toContain(second?.url);
    expect(first?.scheduler.paused).toBe(false);
    expect((await engineRecord()).paused).toBeNull();
  });

  it("refuses an unknown mode", async () => {
    const reply = await post("/pause", { mode: "retract" });
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", "mode"]);
  });
});

describe("an engine without servers", () => {
  it("lists no servers, and refuses to drain one", async () => {
    const plain = await Proxy.start();
    expect((await plain.request({ url: "/rl/engine" })).json()).toEqual({
      type: "scripted",
      paused: null,
      version_labels: {},
      servers: [],
    });
    const url = "http://a";
    for (const [path, body] of Object.entries({ pause: {}, resume: {}, drain: { url }, restore: { url } })) {
      const reply = await plain.post(`/rl/engine/${path}`, body);
      expect(reply.refusal).toBe("409 no_engine_servers");
    }
    await plain.close();
  });
});
