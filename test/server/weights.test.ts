import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WeightsRecord } from "../../src/admin-api/weights/weights-schemas.js";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine, createVllmEngine } from "../../src/engine/index.js";
import { rendezvousOrder } from "../../src/engine/servers/pool/rendezvous.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { numbers, type WireExport, type WireInteraction } from "../helpers/export-json.js";
import { LocalEngine } from "../helpers/local-engine.js";
import { Proxy, type Reply } from "../helpers/proxy.js";
import { type SglangServer, type SglangServerOptions, startSglangServer } from "../helpers/sglang/sglang-server.js";
import { readTinyTensors, writeSafetensors } from "../helpers/tiny-checkpoint.js";
import { startVllmServer } from "../helpers/vllm/vllm-server.js";

const USER = [{ role: "user", content: "hello" }];
const PATH = "/weights/step-7";

/** SGLang before 0.5.21, whose generations an update cuts. */
const CUTTING = { serverInfo: { version: "0.5.20" } };

const complete = () => Array.from({ length: 40 }, (_, index) => 300 + index);

let servers: SglangServer[];
let proxy: Proxy<Engine>;

async function startEngine(count = 2, seconds = 60, options: SglangServerOptions = CUTTING): Promise<Engine> {
  servers = await Promise.all(Array.from({ length: count }, () => startSglangServer({ complete, ...options })));
  const urls = servers.map(({ url }) => url);
  return createSglangEngine({
    urls,
    timeoutSeconds: 0,
    maxInflight: 8,
    healthSeconds: 0,
    weightsTimeoutSeconds: seconds,
  });
}

const [update, finish] = ["/rl/weights", "/rl/weights/finish"].map(
  (path) => (body: object) => proxy.post(path, body),
) as [(body: object) => Promise<Reply>, (body: object) => Promise<Reply>];
const giveUp = () => proxy.request({ method: "DELETE", url: "/rl/weights" });
const record = async () => (await proxy.request({ url: "/rl/weights" })).json<WeightsRecord>();
const states = ({ servers: listed }: WeightsRecord) => listed.map(({ state, version }) => [state, version]);
const told = (path: string) => servers.map((server) => server.to(path).length);
const urlOf = (index: number) => servers[index]?.url ?? "";
const failedRecord = (reply: Reply) => reply.error["weights"] as WeightsRecord;
/** The versions of the output tokens, in their order. */
const outputVersions = (interaction: WireInteraction) => [
  ...new Set(numbers(interaction, "versions").filter((version) => version >= 0)),
];
const metric = async (line: string) =>
  (await proxy.request({ url: "/metrics" }, null)).raw.toString().split("\n").includes(line);

function useProxy(): void {
  beforeEach(async () => {
    proxy = await Proxy.start({ engine: await startEngine() });
  });
  afterEach(async () => {
    await proxy.close();
    await proxy.engine.close();
    for (const server of servers) await server.close();
  });
}

describe("POST /rl/weights", () => {
  useProxy();

  it("loads in every server once, sets the version and lets calls go on", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    const reply = await update({ version: 7, path: PATH });
    expect(reply.status).toBe(200);
    expect(reply.json()).toEqual({
      state: "idle",
      version: 7,
      target_version: null,
      mode: null,
      path: null,
      started_at: expect.closeTo(Date.now() / 1000, -2) as number,
      paused_seconds: expect.any(Number) as number,
      checked: false,
      not_checked: "The weights were not compared with the model: `path` does not exist on the proxy's machine.",
      error: null,
      servers: servers.map(({ url }) => {
        return { url, version: 7, state: "loaded", seconds: expect.any(Number) as number, error: null };
      }),
    });
    for (const path of ["/pause_generation", "/update_weights_from_disk", "/flush_cache"]) {
      expect(told(path)).toEqual([1, 1]);
    }
    expect(servers.map(({ scheduler }) => scheduler.paused)).toEqual([false, false]);
    await proxy.chat(session, USER);
    await proxy.end(session);
    const { interactions } = (await proxy.export(session)).json<WireExport>();
    expect(Object.values(interactions).map(outputVersions)).toEqual([[0], [7]]);
    expect(servers.map(({ scheduler }) => [scheduler.weights, scheduler.staleHits])).toEqual(
      servers.map(() => [PATH, 0]),
    );
    expect(await metric('rolltape_weight_updates_total{outcome="succeeded"} 1')).toBe(true);
  });

  it("cuts generations in flight and resumes them; each token has the version that made it", async () => {
    const session = await proxy.session();
    for (const { scheduler } of servers) scheduler.tokenMilliseconds = 3;
    const running = proxy.chat(session, USER, { max_tokens: 30 });
    await expect
      .poll(() => servers.reduce((sum, { scheduler }) => sum + scheduler.pendingTokens, 0))
      .toBeGreaterThan(3);
    await update({ version: 7, path: PATH });
    expect((await running).status).toBe(200);
    await proxy.end(session);
    const { interactions } = (await proxy.export(session)).json<WireExport>();
    expect(Object.values(interactions).map(outputVersions)).toEqual([[0, 7]]);
    expect(servers.map(({ scheduler }) => scheduler.loadsWhileRunning)).toEqual([0, 0]);
  });

  it("fails a streamed generation with a grammar, and says why", async () => {
    const session = await proxy.session();
    for (const { scheduler } of servers) scheduler.tokenMilliseconds = 3;
    const schema = { name: "x", schema: { type: "object" } };
    const response_format = { type: "json_schema", json_schema: schema };
    const running = proxy.chat(session, USER, { stream: true, response_format });
    await expect
      .poll(() => servers.reduce((sum, { scheduler }) => sum + scheduler.pendingTokens, 0))
      .toBeGreaterThan(3);
    await update({ version: 7, path: PATH });
    expect((await running).raw.toString()).toContain("The engine cut a streamed generation with a grammar");
  });

  it("answers 202 if it takes longer than wait_seconds, and goes on", async () => {
    const open = servers[0]?.loads.hold();
    const reply = await update({ version: 7, path: PATH, wait_seconds: 0.05 });
    expect(reply.status).toBe(202);
    await expect
      .poll(async () => states(await record()))
      .toEqual([
        ["loading", 0],
        ["loaded", 7],
      ]);
    expect(await record()).toMatchObject({ state: "loading", version: 0, target_version: 7, mode: "path", path: PATH });
    const session = await proxy.session();
    const held = proxy.chat(session, USER);
    // The same call joins the running update.
    const joined = update({ version: 7, path: PATH });
    open?.();
    expect((await joined).json()).toMatchObject({ state: "idle", version: 7 });
    expect((await held).status).toBe(200);
    expect(told("/update_weights_from_disk")).toEqual([1, 1]);
  });

  it("goes on if its client disconnects", async () => {
    const open = servers[0]?.loads.hold();
    const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    const client = new AbortController();
    const sent = fetch(`${url}/rl/weights`, {
      method: "POST",
      headers: { authorization: `Bearer ${proxy.context.settings.adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ version: 7, path: PATH }),
      signal: client.signal,
    }).catch(() => "disconnected");
    await expect.poll(async () => (await record()).state).toBe("loading");
    client.abort();
    expect(await sent).toBe("disconnected");
    open?.();
    await expect.poll(record).toMatchObject({ state: "idle", version: 7, error: null });
  });

  it("refuses another update, and calls that would interfere, while one is running", async () => {
    const open = servers[0]?.loads.hold();
    await update({ version: 7, path: PATH, wait_seconds: 0 });
    for (const body of [
      { version: 8, path: PATH },
      { version: 7, path: "/other" },
      { version: 7, mode: "external" },
    ]) {
      expect((await update(body)).refusal).toBe("409 weights_busy");
    }
    for (const path of ["/rl/engine/pause", "/rl/engine/resume"]) {
      expect((await proxy.post(path, {})).refusal).toBe("409 weights_busy");
    }
    expect((await proxy.post("/rl/set_version", { version: 9 })).refusal).toBe("409 weights_busy");
    expect((await finish({ version: 7 })).refusal).toBe("409 no_weight_update");
    open?.();
    await expect.poll(record).toMatchObject({ state: "idle", version: 7 });
  });

  it("does nothing if the same weights are loaded already", async () => {
    await update({ version: 7, path: PATH });
    expect((await update({ version: 7, path: PATH })).json()).toMatchObject({ state: "idle", version: 7 });
    expect(told("/pause_generation")).toEqual([1, 1]);
    await update({ version: 7, path: "/weights/other" });
    expect(told("/update_weights_from_disk")).toEqual([2, 2]);
  });

  it("sets a lower version, as a trainer that goes back to a checkpoint does", async () => {
    await update({ version: 7, path: PATH });
    expect((await update({ version: 3, path: "/weights/step-3" })).json()).toMatchObject({ version: 3 });
  });

  it("leaves the engine paused if somebody else had paused it", async () => {
    await proxy.post("/rl/engine/pause", {});
    expect((await update({ version: 7, path: PATH })).json()).toMatchObject({ state: "idle", version: 7 });
    expect(proxy.engine.servers?.paused).toBe("abort");
    expect(servers.map(({ scheduler }) => scheduler.paused)).toEqual([true, true]);
    expect((await proxy.post("/rl/engine/resume", {})).status).toBe(200);
    const session = await proxy.session();
    expect((await proxy.chat(session, USER)).status).toBe(200);
  });

  it.each([
    [{ version: 7 }, "400 invalid_value", "path"],
    [{ version: 7, path: PATH, mode: "external" }, "400 invalid_value", "path"],
    [{ version: -1, path: PATH }, "400 invalid_value", "version"],
    [{ version: 7, path: PATH, exclude: ["http://nowhere:1"] }, "400 invalid_value", "exclude"],
    [{ version: 7, path: PATH, mod: "external" }, "400 unknown_parameter", "mod"],
  ])("refuses %j", async (body, refusal, param) => {
    const reply = await update(body);
    expect([reply.refusal, reply.error.param]).toEqual([refusal, param]);
    expect(await record()).toMatchObject({ state: "idle" });
  });

  it("refuses to exclude every server", async () => {
    const reply = await update({ version: 7, path: PATH, exclude: servers.map(({ url }) => url) });
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", "exclude"]);
  });

  it("requires the admin key", async () => {
    const session = await proxy.session();
    expect((await proxy.post("/rl/weights", { version: 7, path: PATH }, session.key)).refusal).toBe(
      "403 wrong_key_kind",
    );
  });
});

describe("the check of new weights before a pause", () => {
  useProxy();

  /** Returns a folder with the tensors of the tiny model for which `keeps` returns true. */
  async function writeWeights(keeps: (name: string) => boolean): Promise<string> {
    const folder = temporaryFolder();
    const tensors = readTinyTensors(2).filter(({ name }) => keeps(name));
    await writeSafetensors(join(folder, "model.safetensors"), tensors);
    return folder;
  }

  it("lets complete weights pass, and says that they were checked", async () => {
    const path = await writeWeights(() => true);
    expect((await update({ version: 7, path })).json()).toMatchObject({ version: 7, checked: true, not_checked: null });
    expect(await record()).toMatchObject({ checked: true, not_checked: null });
  });

  it("refuses weights without tensors of the model with 422, and names up to five; nothing is paused", async () => {
    const path = await writeWeights((name) => !name.includes("layers.0."));
    const reply = await update({ version: 7, path });
    expect([reply.refusal, reply.error.param]).toEqual(["422 weights_incomplete", "path"]);
    expect(reply.error.message).toMatch(
      /^`path` does not have all weights of `model.path`, so no engine server was told to load it. 9 problems, of which the first are: model.layers.0/,
    );
    expect(reply.error.message.match(/is missing/g)).toHaveLength(5);
    expect([told("/pause_generation"), told("/update_weights_from_disk")]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(await record()).toMatchObject({ state: "idle", version: 0, started_at: null, error: null, checked: null });
  });

  it("is left out with `allow_partial`", async () => {
    const path = await writeWeights((name) => name !== "lm_head.weight");
    expect((await update({ version: 7, path })).refusal).toBe("422 weights_incomplete");
    expect((await update({ version: 7, path, allow_partial: true })).json()).toMatchObject({
      version: 7,
      checked: false,
      not_checked: "`allow_partial` is set.",
    });
  });

  it("refuses incomplete weights while a failed update holds calls, which stays as it is", async () => {
    servers[1]?.loads.faults.push({ kind: "fail", message: "no such tensor" });
    await update({ version: 7, path: PATH });
    const path = await writeWeights((name) => name !== "lm_head.weight");
    expect((await update({ version: 8, path })).refusal).toBe("422 weights_incomplete");
    expect(await record()).toMatchObject({ state: "failed", target_version: 7, path: PATH });
  });

  it("does not know where a relative path begins", async () => {
    const reply = await update({ version: 7, path: "step-7" });
    expect(reply.json<WeightsRecord>().not_checked).toBe(
      "The weights were not compared with the model: `path` is relative to the folder of the engine's process.",
    );
  });

  it("has nothing to compare in an external update", async () => {
    const reply = await update({ version: 7, mode: "external" });
    expect(reply.json()).toMatchObject({ checked: null, not_checked: null });
  });
});

describe("a weight update that fails", () => {
  beforeEach(async () => {
    proxy = await Proxy.start({ engine: await startEngine(2, 5) });
  });
  afterEach(async () => {
    await proxy.close();
    await proxy.engine.close();
    for (const server of servers) await server.close();
  });

  /** Makes the second server fail to load. */
  async function fail(): Promise<Reply> {
    servers[1]?.loads.faults.push({ kind: "fail", message: "no such tensor" });
    return update({ version: 7, path: PATH });
  }

  it("keeps everything paused, and names each server's version", async () => {
    const reply = await fail();
    expect(reply.refusal).toBe("502 weights_failed");
    expect(reply.error.message).toContain(`${urlOf(1)}: The engine answered HTTP 400: no such tensor`);
    expect(failedRecord(reply)).toMatchObject({ state: "failed", version: 0, target_version: 7, path: PATH });
    expect(states(failedRecord(reply))).toEqual([
      ["loaded", 7],
      ["failed", null],
    ]);
    expect(servers.map(({ scheduler }) => scheduler.paused)).toEqual([true, true]);
    expect(proxy.engine.servers?.paused).toBe("abort");
    expect((await proxy.post("/rl/engine/resume", {})).refusal).toBe("409 weights_busy");
    expect(await metric('rolltape_weight_updates_total{outcome="failed"} 1')).toBe(true);
  });

  it("can be repeated; servers with these weights do not load again", async () => {
    await fail();
    const session = await proxy.session();
    const held = proxy.chat(session, USER);
    const reply = await update({ version: 7, path: PATH });
    expect([reply.status, states(reply.json())]).toEqual([
      200,
      [
        ["loaded", 7],
        ["loaded", 7],
      ],
    ]);
    expect(told("/update_weights_from_disk")).toEqual([1, 2]);
    expect((await held).status).toBe(200);
    expect(reply.json()).toMatchObject({ error: null });
  });

  it("can be repeated with another path, which every server loads", async () => {
    await fail();
    expect((await update({ version: 7, path: "/weights/again" })).status).toBe(200);
    expect(told("/update_weights_from_disk")).toEqual([2, 2]);
    expect(servers.map(({ scheduler }) => scheduler.weights)).toEqual(["/weights/again", "/weights/again"]);
  });

  it("can leave a server out, which is drained until it has the current weights", async () => {
    await fail();
    const reply = await update({ version: 7, path: PATH, exclude: [`${urlOf(1)}/`] });
    expect(states(reply.json())).toEqual([
      ["loaded", 7],
      ["excluded", null],
    ]);
    expect(proxy.engine.servers?.list().map(({ state }) => state)).toEqual(["up", "draining"]);
    const urls = servers.map(({ url }) => url);
    let session = await proxy.session();
    while (rendezvousOrder(session.id, urls)[0] !== urlOf(1)) session = await proxy.session();
    expect((await proxy.chat(session, USER)).status).toBe(200);
    expect(servers[1]?.to("/generate")).toHaveLength(0);
    const restored = await proxy.post("/rl/engine/restore", { url: urlOf(1) });
    expect(restored.refusal).toBe("409 engine_server_outdated");
    const next = await update({ version: 7, path: PATH });
    expect(states(next.json())).toEqual([
      ["loaded", 7],
      ["loaded", 7],
    ]);
    expect(told("/update_weights_from_disk")).toEqual([1, 2]);
    expect(proxy.engine.servers?.list().map(({ state }) => state)).toEqual(["up", "up"]);
  });

  it.each(["exclude", "give up"])("moves the generations that wait on the server that is left out: %s", async (how) => {
    await Promise.all([proxy.engine.close(), ...servers.map((server) => server.close())]);
    await proxy.close();
    const retracting = { serverInfo: { version: "0.5.23" }, weightVersionSpans: true, weightVersion: "0" };
    proxy = await Proxy.start({ engine: await startEngine(2, 60, { ...retracting, tokenMilliseconds: 3 }) });
    const urls = servers.map(({ url }) => url);
    let session = await proxy.session();
    while (rendezvousOrder(session.id, urls)[0] !== urlOf(1)) session = await proxy.session();
    const running = proxy.chat(session, USER, { max_tokens: 30, stream: true });
    await expect.poll(() => servers[1]?.scheduler.pendingTokens).toBeGreaterThan(3);
    await fail();
    expect(servers.map(({ scheduler }) => scheduler.pending)).toEqual([0, 1]);
    const reply = how === "exclude" ? await update({ version: 7, path: PATH, exclude: [urlOf(1)] }) : await giveUp();
    expect(reply.status).toBe(200);
    expect((await running).status).toBe(200);
    await expect.poll(() => servers[1]?.scheduler.pending).toBe(0);
    await proxy.end(session);
    const { interactions } = (await proxy.export(session)).json<WireExport>();
    expect(Object.values(interactions).map(outputVersions)).toEqual([[0, 7]]);
  });

  it("can be given up: no server has the previous version, so those with the new one go on", async () => {
    servers[1]?.loads.faults.push({ kind: "fail", message: "no such tensor" });
    await update({ version: 7, path: PATH });
    const reply = await giveUp();
    expect(reply.json()).toMatchObject({ state: "idle", version: 7, target_version: null, error: null });
    expect(states(reply.json())).toEqual([
      ["loaded", 7],
      ["excluded", null],
    ]);
    expect(proxy.engine.servers?.list().map(({ state }) => state)).toEqual(["up", "draining"]);
    const session = await proxy.session();
    expect((await proxy.chat(session, USER)).status).toBe(200);
    expect(await metric('rolltape_weight_updates_total{outcome="given_up"} 1')).toBe(true);
  });

  it("can be given up if no server's weights are known: calls fail until an update succeeds", async () => {
    for (const { loads } of servers) loads.faults.push({ kind: "fail", message: "no such tensor" });
    await update({ version: 7, path: PATH });
    const session = await proxy.session();
    const held = proxy.chat(session, USER);
    const reply = await giveUp();
    expect([reply.status, reply.json()]).toEqual([200, expect.objectContaining({ state: "idle", version: 0 })]);
    expect(states(reply.json())).toEqual([
      ["excluded", null],
      ["excluded", null],
    ]);
    expect((await held).refusal).toBe("502 engine_unavailable");
    expect(states((await update({ version: 8, path: "/weights/good" })).json())).toEqual([
      ["loaded", 8],
      ["loaded", 8],
    ]);
    expect((await proxy.chat(session, USER)).status).toBe(200);
  });

  it("gives up on a server that never answers when it is told to", async () => {
    servers[0]?.loads.faults.push({ kind: "hang" });
    await update({ version: 7, path: PATH, wait_seconds: 0 });
    await expect
      .poll(async () => states(await record()))
      .toEqual([
        ["loading", 0],
        ["loaded", 7],
      ]);
    expect(states((await giveUp()).json())).toEqual([
      ["excluded", null],
      ["loaded", 7],
    ]);
  });

  it("says so if a server is down at the beginning; giving up goes on with the previous version", async () => {
    await servers[1]?.close();
    const reply = await update({ version: 7, path: PATH });
    expect(reply.refusal).toBe("502 weights_failed");
    expect(states(failedRecord(reply))).toEqual([
      ["pending", 0],
      ["failed", null],
    ]);
    expect(told("/update_weights_from_disk")).toEqual([0, 0]);
    expect((await giveUp()).json()).toMatchObject({ state: "idle", version: 0 });
    expect(servers[0]?.scheduler.paused).toBe(false);
  });

  it("leaves out a server that is down and was being drained before", async () => {
    await servers[1]?.close();
    await proxy.post("/rl/engine/drain", { url: urlOf(1) });
    const reply = await update({ version: 7, path: PATH });
    expect(states(reply.json())).toEqual([
      ["loaded", 7],
      ["excluded", null],
    ]);
  });
});

describe("an external weight update", () => {
  useProxy();

  it("pauses, lets the trainer push its tensors, and then flushes caches, sets the version and resumes", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    const begun = await update({ version: 7, mode: "external" });
    expect([begun.status, begun.json()]).toEqual([
      200,
      expect.objectContaining({ state: "external", mode: "external" }),
    ]);
    expect(servers.map(({ scheduler }) => scheduler.paused)).toEqual([true, true]);
    expect((await update({ version: 8, path: PATH })).refusal).toBe("409 weights_busy");
    expect((await update({ version: 7, mode: "external" })).json()).toMatchObject({ state: "external" });
    for (const { scheduler } of servers) scheduler.load("pushed");
    expect((await finish({ version: 8 })).refusal).toBe("409 no_weight_update");
    const done = await finish({ version: 7 });
    expect(done.json()).toMatchObject({ state: "idle", version: 7 });
    expect(servers.map(({ scheduler }) => [scheduler.weightVersion, scheduler.paused])).toEqual([
      ["7", false],
      ["7", false],
    ]);
    await proxy.chat(session, USER);
    expect(servers.map(({ scheduler }) => scheduler.staleHits)).toEqual([0, 0]);
    // A client that lost the answer repeats the call.
    expect((await finish({ version: 7 })).json()).toMatchObject({ state: "idle", version: 7 });
    expect(told("/update_weights_from_disk")).toEqual([0, 0]);
  });

  it("leaves a server out that the trainer could not reach", async () => {
    await update({ version: 7, mode: "external" });
    const done = await finish({ version: 7, exclude: [urlOf(0)] });
    expect(states(done.json())).toEqual([
      ["excluded", 0],
      ["loaded", 7],
    ]);
  });

  it("is given up by a trainer that pushed nothing", async () => {
    await update({ version: 7, mode: "external" });
    expect((await giveUp()).json()).toMatchObject({ state: "idle", version: 0 });
    expect(servers.map(({ scheduler }) => scheduler.paused)).toEqual([false, false]);
    expect((await finish({ version: 7 })).refusal).toBe("409 no_weight_update");
    expect((await giveUp()).status).toBe(200);
  });
});

describe("a weight update of servers that report no version", () => {
  it("gives tokens before and after it the versions that made them", async () => {
    const server = await startVllmServer({ complete, tokenMilliseconds: 3 });
    const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8 });
    proxy = await Proxy.start<Engine>({ engine });
    const session = await proxy.session();
    const running = proxy.chat(session, USER, { max_tokens: 30 });
    await expect.poll(() => server.scheduler.pendingTokens).toBeGreaterThan(3);
    expect((await update({ version: 7, path: PATH })).status).toBe(200);
    expect((await running).status).toBe(200);
    await proxy.end(session);
    const { interactions } = (await proxy.export(session)).json<WireExport>();
    expect(Object.values(interactions).map(outputVersions)).toEqual([[0, 7]]);
    expect([server.scheduler.weights, server.scheduler.staleHits, server.scheduler.loadsWhileRunning]).toEqual([
      PATH,
      0,
      0,
    ]);
    await proxy.close();
    await engine.close();
    await server.close();
  });
});

describe("a weight update of an engine in this process", () => {
  afterEach(() => proxy.close());

  it("loads at a token boundary and names the server `embedded`", async () => {
    const engine = new LocalEngine();
    proxy = await Proxy.start<Engine>({ engine });
    const reply = await update({ version: 7, path: PATH });
    expect(states(reply.json())).toEqual([["loaded", 7]]);
    expect(reply.json<WeightsRecord>().servers[0]?.url).toBe("embedded");
    expect(engine.steps).toEqual(["pause", `load ${PATH}`, "resume"]);
    expect((await update({ version: 8, mode: "external" })).refusal).toBe("400 invalid_value");
    expect(await record()).toMatchObject({ state: "idle", version: 7 });
  });

  it("keeps the old weights if the load fails, and goes on with them when it is given up", async () => {
    const engine = new LocalEngine();
    proxy = await Proxy.start<Engine>({ engine });
    const reply = await update({ version: 7, path: "/bad" });
    expect(reply.refusal).toBe("502 weights_failed");
    expect(reply.error.message).toContain("tensor lm_head");
    expect(states(failedRecord(reply))).toEqual([["failed", 0]]);
    expect(engine.paused).toBe(true);
    expect((await giveUp()).json()).toMatchObject({ state: "idle", version: 0 });
    expect([engine.paused, engine.weights]).toEqual([false, "initial"]);
  });

  it("reads the weights before the pause if the engine can", async () => {
    const engine = new LocalEngine().preparing();
    proxy = await Proxy.start<Engine>({ engine });
    await update({ version: 7, path: PATH });
    expect(engine.steps).toEqual([`prepare ${PATH}`, "pause", "apply", "resume"]);
  });

  it("holds no call if the weights cannot be read", async () => {
    const engine = new LocalEngine().preparing();
    proxy = await Proxy.start<Engine>({ engine });
    const reply = await update({ version: 7, path: "/bad" });
    expect(reply.refusal).toBe("502 weights_failed");
    expect(await record()).toMatchObject({
      state: "idle",
      version: 0,
      error: expect.stringContaining("lm_head") as string,
    });
    expect(engine.steps).toEqual(["prepare /bad"]);
    expect((await update({ version: 7, path: PATH })).json()).toMatchObject({ version: 7, error: null });
  });

  it("is refused by an engine that cannot load weights", async () => {
    proxy = (await Proxy.start()) as Proxy<Engine>;
    expect((await update({ version: 7, path: PATH })).refusal).toBe("409 no_engine_servers");
  });
});

describe("weights after a restart with storage", () => {
  const start = (engine: Engine, directory: string) => Proxy.start<Engine>({ engine, storage: { directory } });

  it("are those of the last update, which the embedded engine loads again", async () => {
    const directory = temporaryFolder();
    proxy = await start(new LocalEngine(), directory);
    await update({ version: 7, path: PATH });
    await proxy.close();
    const engine = new LocalEngine();
    proxy = await start(engine, directory);
    expect(states(await record())).toEqual([["loaded", 7]]);
    expect([engine.weights, engine.paused]).toEqual([PATH, false]);
    await proxy.close();
  });

  it("are unknown, and calls are held, if an update was interrupted", async () => {
    const directory = temporaryFolder();
    const engine = await startEngine();
    const urls = servers.map(({ url }) => url);
    proxy = await start(engine, directory);
    servers[1]?.loads.faults.push({ kind: "hang" });
    await update({ version: 7, path: PATH, wait_seconds: 0 });
    await expect
      .poll(async () => states(await record()))
      .toEqual([
        ["loaded", 7],
        ["loading", 0],
      ]);
    await engine.close();
    await proxy.close();
    const again = createSglangEngine({ urls, timeoutSeconds: 0, maxInflight: 8, healthSeconds: 0 });
    proxy = await start(again, directory);
    expect(await record()).toMatchObject({
      state: "failed",
      version: 0,
      target_version: 7,
      path: PATH,
      error: "The server stopped during the weight update to version 7.",
    });
    expect((await record()).servers.map(({ version }) => version)).toEqual([7, null]);
    expect(again.servers?.paused).toBe("abort");
    expect((await update({ version: 7, path: PATH })).json()).toMatchObject({ state: "idle", version: 7 });
    expect(told("/update_weights_from_disk")).toEqual([1, 2]);
    await proxy.close();
    await again.close();
    for (const server of servers) await server.close();
  });

  it("keep a server drained that an update left out", async () => {
    const directory = temporaryFolder();
    const engine = await startEngine();
    const urls = servers.map(({ url }) => url);
    proxy = await start(engine, directory);
    await update({ version: 7, path: PATH, exclude: [urlOf(1)] });
    await proxy.close();
    await engine.close();
    const again = createSglangEngine({ urls, timeoutSeconds: 0, maxInflight: 8, healthSeconds: 0 });
    proxy = await start(again, directory);
    expect(states(await record())).toEqual([
      ["loaded", 7],
      ["loaded", 0],
    ]);
    expect(again.servers?.list().map(({ state }) => state)).toEqual(["unknown", "draining"]);
    await proxy.close();
    await again.close();
    for (const server of servers) await server.close();
  });
});
