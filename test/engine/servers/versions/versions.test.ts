import { afterEach, describe, expect, it } from "vitest";
import type { Engine, GenerateCall } from "../../../../src/engine/engine.js";
import { createSglangEngine } from "../../../../src/engine/sglang/create-sglang-engine.js";
import { VersionLabels } from "../../../../src/engine/version-labels.js";
import { createVllmEngine } from "../../../../src/engine/vllm/create-vllm-engine.js";
import {
  type SglangServer,
  type SglangServerOptions,
  startSglangServer,
} from "../../../helpers/sglang/sglang-server.js";
import { until } from "../../../helpers/until.js";
import { startVllmServer, type VllmServer } from "../../../helpers/vllm/vllm-server.js";
import { makeCall } from "../../generate-call.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

const complete = () => Array.from({ length: 400 }, (_, index) => 3 + index);
const common = { timeoutSeconds: 0, maxInflight: 8, healthSeconds: 0 };
/** SGLang before 0.5.21. */
const OLDER: SglangServerOptions = { weightVersionSpans: false, serverInfo: { version: "0.5.12" } };

async function startSglang(options: SglangServerOptions = {}) {
  const server = await startSglangServer({ complete, tokenMilliseconds: 2, ...options });
  const engine = createSglangEngine({ ...common, urls: [server.url] });
  open.push(server, engine);
  return new World(server, engine);
}

async function startCompletions() {
  const server = await startVllmServer({ complete, tokenMilliseconds: 2, scaleOut: false });
  const engine = createVllmEngine({ ...common, urls: [server.url] });
  open.push(server, engine);
  return new World(server, engine);
}

class World<Server extends SglangServer | VllmServer> {
  readonly server: Server;
  readonly engine: Engine;
  readonly labels = new VersionLabels();
  current = 0;

  constructor(server: Server, engine: Engine) {
    this.server = server;
    this.engine = engine;
  }

  call(maxTokens: number): GenerateCall {
    return makeCall([1, 2, 3], { maxTokens }, { currentVersion: () => this.current, versionLabels: this.labels });
  }

  /** Runs a call that is not streamed. Returns its versions and its mark. */
  async run(maxTokens = 2) {
    const call = this.call(maxTokens);
    const { versionsUncertain } = await this.engine.generate(call);
    return { versions: [...new Set(call.generation.versions())], uncertain: versionsUncertain };
  }

  /** Runs an update while a call runs. */
  async update(update: () => Promise<unknown>, maxTokens = 40) {
    const running = this.run(maxTokens);
    await until(() => this.server.scheduler.pendingTokens > 2);
    await update();
    return await running;
  }

  async updateInKeep(version: number): Promise<void> {
    await this.engine.servers?.pause("keep");
    this.current = version;
    await this.engine.servers?.nameVersion(version);
    await this.engine.servers?.resume();
  }
}

describe("weights that are named by a text", () => {
  it("get integers in spans and in replies, and keep them", async () => {
    const world = await startSglang({ weightVersion: "step-a" });
    expect(await world.run()).toEqual({ versions: [1], uncertain: false });
    const changed = await world.update(async () => void (world.server.scheduler.weightVersion = "step-b"));
    expect(changed).toEqual({ versions: [1, 2], uncertain: false });
    world.server.scheduler.weightVersion = "step-a";
    expect((await world.run()).versions).toEqual([1]);
    expect(world.labels.known.versions).toEqual({ "step-a": 1, "step-b": 2 });
  });

  it("get higher versions than those that the engine has named by integers, without the version `default`", async () => {
    const world = await startSglang();
    world.current = 3;
    expect((await world.run()).versions).toEqual([3]);
    world.server.scheduler.weightVersion = "12";
    expect((await world.run()).versions).toEqual([12]);
    world.server.scheduler.weightVersion = "step-a";
    expect((await world.run()).versions).toEqual([13]);
  });
});

describe("an update in mode keep", () => {
  it("is exact if the server names spans, because it is given the version", async () => {
    const world = await startSglang();
    expect(await world.update(() => world.updateInKeep(5))).toEqual({ versions: [0, 5], uncertain: false });
    expect(world.server.to("/update_weight_version").map(({ json }) => json)).toEqual([
      { new_version: "5", abort_all_requests: false },
    ]);
  });

  it("marks the first call of a server that names none, and streams from it afterwards", async () => {
    const world = await startCompletions();
    await world.run();
    expect((await world.update(() => world.updateInKeep(5))).uncertain).toBe(true);
    const { versions, uncertain } = await world.update(() => world.updateInKeep(6));
    expect({ versions, uncertain }).toEqual({ versions: [5, 6], uncertain: false });
    const streams = world.server.to("/v1/completions").map(({ json }) => json["stream"]);
    expect(streams).toEqual([false, false, true]);
  });

  it("marks a call if a part of its stream came from both weights", async () => {
    const world = await startSglang({ ...OLDER, streamInterval: 8 });
    await world.run();
    await world.update(() => world.updateInKeep(5));
    expect((await world.update(() => world.updateInKeep(6))).uncertain).toBe(true);
  });
});

describe("a server", () => {
  it("is not given a version that it names already", async () => {
    const world = await startSglang({ weightVersion: "5" });
    expect(await world.engine.servers?.nameVersion(5)).toEqual(new Map());
    expect(world.server.to("/update_weight_version")).toEqual([]);
  });

  it("that names a version already does not mark the calls that run meanwhile", async () => {
    const world = await startSglang({ weightVersion: "5" });
    await world.run();
    const named = await world.update(async () => {
      await world.engine.servers?.nameVersion(5);
      world.current = 5;
      world.server.scheduler.weightVersion = "6";
    });
    expect(named).toEqual({ versions: [5, 6], uncertain: false });
  });

  it("that is given a version outside a pause marks the calls that run meanwhile", async () => {
    const world = await startSglang({ weightVersion: "4" });
    await world.run();
    const named = await world.update(async () => void (await world.engine.servers?.nameVersion(5)));
    expect(named).toEqual({ versions: [4, 5], uncertain: true });
  });

  it("is not given a version while it is being drained", async () => {
    const world = await startSglang();
    await world.engine.servers?.drain(world.server.url);
    expect(await world.engine.servers?.nameVersion(5)).toEqual(new Map());
    expect(world.server.to("/update_weight_version")).toEqual([]);
  });

  it("marks its calls if it refuses the version, until it takes one", async () => {
    const world = await startSglang({ weightVersion: "4", adminApiKey: "secret" });
    expect([...((await world.engine.servers?.nameVersion(5)) ?? [])].map(([url]) => url)).toEqual([world.server.url]);
    expect(await world.run()).toEqual({ versions: [4], uncertain: true });
    world.server.scheduler.weightVersion = "5";
    expect(await world.engine.servers?.nameVersion(5)).toEqual(new Map());
    expect(await world.run()).toEqual({ versions: [5], uncertain: false });
  });

  it("marks its calls if it was restarted, so that nobody has named its weights", async () => {
    const world = await startSglang({ weightVersion: "4" });
    expect(await world.run()).toEqual({ versions: [4], uncertain: false });
    world.server.scheduler.weightVersion = "default";
    expect((await world.run()).uncertain).toBe(true);
  });
});
