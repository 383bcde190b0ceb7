import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type Agent,
  type ConnectedProxy,
  connectProxy,
  ensureTinyModel,
  ProxyWorkflow,
  parseConfig,
  RolloutController,
  startServer,
} from "../../src/index.js";
import { openAi } from "../helpers/agents.js";
import { EngineLog, readCalls } from "../helpers/engine-log.js";
import { inventedCompletion, type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";
import { until } from "../helpers/until.js";

/** Trainers that update weights while agents run, over a running server. */

const adminKey = "sk-admin-0123456789abcdef";
const MAX_STALENESS = 1;
const BATCH = 2;

async function served(engine: object): Promise<ConnectedProxy> {
  const config = parseConfig({ server: { port: 0, shutdown_seconds: 0 }, ...engine });
  const server = await startServer(config, { adminKey, logger: pino({ level: "silent" }) });
  const proxy = connectProxy({ url: server.url, adminKey });
  onTestFinished(async () => {
    await proxy.close();
    await server.close();
  });
  return proxy;
}

async function startSglang(log: EngineLog): Promise<SglangServer> {
  const sglang = await startSglangServer({
    tokenMilliseconds: 2,
    weightVersion: "0",
    weightVersionSpans: true,
    complete: (request) => inventedCompletion(request, 24),
    onOutcome: log.hear,
  });
  onTestFinished(() => sglang.close());
  return sglang;
}

interface Task {
  readonly topic: string;
  /** A long task continues until the weights are newer than at its start. */
  readonly long: boolean;
}

/** Every other task is long; no two have a prompt in common. */
const createTasks = (run: string, count: number): Task[] =>
  Array.from({ length: count }, (_, i) => ({ topic: `${run} ${i}`, long: i % 2 === 1 }));

function agentUnder(controllerOf: () => RolloutController<Task>): Agent<Task> {
  return {
    async run({ topic, long }, context) {
      const began = controllerOf().version;
      const messages = [{ role: "user" as const, content: topic }];
      do {
        await openAi(context).chat.completions.create({ model: "tiny", messages });
        messages.push({ role: "user", content: "go on" });
      } while (long && controllerOf().version === began);
      return 1;
    },
  };
}

/** Sends the next weights to the engine like a trainer. If a task runs, its generation is cut. */
async function pushWeights(sglang: SglangServer, version: number, running: boolean): Promise<void> {
  if (running) {
    await until(() => sglang.scheduler.pendingTokens > 0);
    // Paused, so that the generation does not end before it is cut.
    sglang.scheduler.pause("in_place");
  }
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const reply = await fetch(sglang.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}`);
  };
  await post("/pause_generation", { mode: "abort" });
  await post("/update_weight_version", { new_version: String(version), abort_all_requests: true });
  await post("/continue_generation", {});
}

/** Trains until there are no more batches. Returns the versions of the tokens of each call. */
async function train(controller: RolloutController<Task>, sglang: SglangServer, log: EngineLog): Promise<number[][]> {
  const calls: number[][] = [];
  for (let batch = await controller.waitBatch(); batch; batch = await controller.waitBatch()) {
    expect(batch.tasks).toHaveLength(BATCH);
    for (const task of batch.tasks) expect(controller.version - task.version).toBeLessThanOrEqual(MAX_STALENESS);
    const recorded = readCalls(await batch.export());
    const oldest = Math.min(...batch.tasks.map(({ version }) => version));
    for (const { prompt, output } of recorded) {
      expect(output).toEqual(log.outputOf(prompt, output.length));
      const versions = output.map(({ version }) => version);
      expect(Math.min(...versions)).toBeGreaterThanOrEqual(oldest);
      expect(Math.max(...versions)).toBeLessThanOrEqual(controller.version);
      calls.push(versions);
    }
    const next = controller.version + 1;
    await controller.setVersion(next, () => pushWeights(sglang, next, controller.counts.running > 0));
  }
  return calls;
}

describe("a trainer that updates the weights of SGLang while agents run", () => {
  it("gets each token with the engine's version, none too stale, and continues after a restart", async () => {
    const log = new EngineLog();
    const sglang = await startSglang(log);
    const proxy = await served({
      engine: { type: "sglang", urls: [sglang.url] },
      model: { path: (await ensureTinyModel()).folder },
    });
    const started = (version: number | undefined, tasks: readonly Task[]) => {
      const limits = { maxConcurrentRollouts: 8, maxStaleness: MAX_STALENESS, consumerBatchSize: BATCH };
      const workflow = new ProxyWorkflow<Task>(agentUnder(() => controller));
      const controller: RolloutController<Task> = new RolloutController(workflow, proxy, { ...limits, version });
      for (const task of tasks) controller.submit(task);
      controller.finish();
      return controller;
    };

    const first = started(undefined, createTasks("first", 8));
    const calls = await train(first, sglang, log);
    expect(first.version).toBe(4);
    expect(first.counts).toMatchObject({ accepted: 8, rejected: 0 });
    expect(new Set(calls.flat())).toEqual(new Set([0, 1, 2, 3]));
    // Each update except the last cut a generation, which was resumed with the new weights.
    const cut = calls.filter((versions) => new Set(versions).size > 1);
    expect(new Set(cut.map((versions) => versions.at(-1)))).toEqual(new Set([1, 2, 3]));

    const told = (await (await fetch(`${sglang.url}/model_info`)).json()) as { weight_version: string };
    const second = started(Number(told.weight_version), createTasks("second", 4));
    expect(second.counts).toMatchObject({ accepted: 8, submitted: 4 });
    expect(new Set((await train(second, sglang, log)).flat())).toEqual(new Set([4, 5]));
    expect(second.counts).toMatchObject({ accepted: 12, rejected: 0 });
    expect(second.version).toBe(6);
  });
});

describe("a trainer whose engine reports no version", () => {
  const limits = { maxConcurrentRollouts: 2, maxStaleness: MAX_STALENESS, consumerBatchSize: 1 };

  /** Makes two calls, and waits for the test between them. */
  const inTwoTurns = (between: () => Promise<void>): Agent<string> => ({
    async run(topic, context) {
      const client = openAi(context);
      const user = { role: "user" as const, content: topic };
      await client.chat.completions.create({ model: "tiny", messages: [user], max_tokens: 6 });
      if (topic === "held") await between();
      await client.chat.completions.create({ model: "tiny", messages: [user, user], max_tokens: 6 });
      return 1;
    },
  });
  const readVersions = (batch: Uint8Array | undefined) =>
    readCalls(batch ?? new Uint8Array()).map(({ output }) => [...new Set(output.map(({ version }) => version))]);

  it("gets each call's tokens with the announced version, also after a restart", async () => {
    const proxy = await served({});
    let goOn: () => void = () => {};
    const updated = new Promise<void>((resolve) => (goOn = resolve));
    const workflow = new ProxyWorkflow(inTwoTurns(() => updated));
    const controller = new RolloutController(workflow, proxy, limits);
    for (const topic of ["short", "held"]) controller.submit(topic);
    controller.finish();
    expect(readVersions(await (await controller.waitBatch())?.export())).toEqual([[0], [0]]);
    await controller.setVersion(1, async (announce) => {
      await announce();
      // The engine continues before the trainer is done.
      goOn();
    });
    expect(readVersions(await (await controller.waitBatch())?.export())).toEqual([[0], [1]]);

    const restarted = new RolloutController(workflow, proxy, { ...limits, version: 7 });
    restarted.submit("short");
    expect(readVersions(await (await restarted.waitBatch())?.export())).toEqual([[7], [7]]);
  });
});
