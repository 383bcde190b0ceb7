import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Engine, GenerateCall, GenerateResult } from "../../../../src/engine/engine.js";
import { createSglangEngine } from "../../../../src/engine/sglang/create-sglang-engine.js";
import { VersionLabels } from "../../../../src/engine/version-labels.js";
import { createVllmEngine } from "../../../../src/engine/vllm/create-vllm-engine.js";
import type { GenerateOutcome, GenerateRequest } from "../../../helpers/sglang/protocol.js";
import type { PauseMode, SglangScheduler } from "../../../helpers/sglang/scheduler.js";
import { type SglangServerOptions, startSglangServer } from "../../../helpers/sglang/sglang-server.js";
import { isProbe } from "../../../helpers/vllm/generate.js";
import { startVllmServer, type VllmServerOptions } from "../../../helpers/vllm/vllm-server.js";
import { makeCall } from "../../generate-call.js";

/**
 * Every recorded version against the weights that really sampled the token: 20 updates under load, for each way in which weights are
 * updated, and each way in which servers name their versions.
 */

const UPDATES = 20;
const CALLS_AT_ONCE = 4;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

interface TestServer {
  readonly url: string;
  readonly scheduler: SglangScheduler;
  close(): Promise<void>;
}

interface Started {
  readonly server: TestServer;
  readonly engine: Engine;
}

type OnOutcome = (request: GenerateRequest, outcome: GenerateOutcome) => void;

const common = { timeoutSeconds: 0, maxInflight: 64, healthSeconds: 0 };
/** The first id tells calls apart; outputs are long enough for any call. */
const complete = () => Array.from({ length: 200 }, (_, index) => 3 + (index % 500));

const sglang = (options: SglangServerOptions) => async (onOutcome: OnOutcome) => {
  const server = await startSglangServer({ complete, tokenMilliseconds: 1, onOutcome, forgetful: true, ...options });
  return { server, engine: createSglangEngine({ ...common, urls: [server.url] }) };
};
const vllm = (options: VllmServerOptions) => async (onOutcome: OnOutcome) => {
  const server = await startVllmServer({ complete, tokenMilliseconds: 1, onOutcome, ...options });
  return { server, engine: createVllmEngine({ ...common, urls: [server.url] }) };
};

/** SGLang before 0.5.21. */
const OLDER = { weightVersionSpans: false, serverInfo: { version: "0.5.12" } };
const NO_LABELS = { missingPaths: ["/update_weight_version", "/weight_info"] };

const SERVERS: Readonly<Record<string, (onOutcome: OnOutcome) => Promise<Started>>> = {
  "SGLang with spans": sglang({}),
  "SGLang with spans, incremental, 4 tokens a frame": sglang({ incremental: true, streamInterval: 4 }),
  "SGLang without spans": sglang(OLDER),
  "SGLang without spans, 4 tokens a frame": sglang({ ...OLDER, streamInterval: 4 }),
  "SGLang that cannot be given a version": sglang({ ...OLDER, missingPaths: ["/update_weight_version"] }),
  "vLLM with spans": vllm({}),
  "vLLM without spans": vllm({ weightVersionSpans: false, streamInterval: 3 }),
  "vLLM's completions": vllm({ scaleOut: false }),
  "vLLM's completions outside the development mode": vllm({ scaleOut: false, ...NO_LABELS }),
};

interface World extends Started {
  /** Makes a version current, as `POST /rl/set_version` does. */
  readonly setVersion: (version: number) => Promise<unknown>;
}

const folder = (step: number) => `/weights/${step}`;

/** Returns a way of pausing the server that the proxy knows nothing of. */
const trainer =
  (mode: PauseMode, label: (step: number) => string | undefined) => async (world: World, step: number) => {
    const { scheduler } = world.server;
    scheduler.pause(mode);
    if (mode === "abort") await scheduler.cut();
    scheduler.load(folder(step));
    scheduler.weightVersion = label(step) ?? scheduler.weightVersion;
    if (label(step) === undefined) await world.setVersion(step);
    scheduler.continue();
  };

const paused =
  (mode: "abort" | "keep") =>
  async ({ engine, server, setVersion }: World, step: number) => {
    await engine.servers?.pause(mode);
    server.scheduler.load(folder(step));
    await setVersion(step);
    await engine.servers?.resume();
  };

/** Ways to update the weights to those of a step. */
const UPDATE: Readonly<Record<string, (world: World, step: number) => Promise<void>>> = {
  "POST /rl/weights": async ({ engine, server: { url }, setVersion }, step) => {
    const update = engine.servers?.update;
    if (!update) throw new Error("the engine has no servers");
    await update.pause([url]);
    await update.load(url, { path: folder(step), version: step });
    await update.finish(url, step);
    await setVersion(step);
    await update.resume([url]);
    await update.release();
  },
  "a pause in mode keep": paused("keep"),
  "a pause in mode abort": paused("abort"),
  "a trainer's own pause in place, with a version for the proxy": trainer("in_place", () => undefined),
  "a trainer's own pause in mode abort, with a version for the proxy": trainer("abort", () => undefined),
  "no pause, with a version for the proxy": async ({ server, setVersion }, step) => {
    const told = setVersion(step);
    server.scheduler.load(folder(step));
    await told;
  },
};

/** Ways in which only the engine learns the version. */
const NAMED_BY_TRAINER: typeof UPDATE = {
  "integers that a trainer gives in its own pause": trainer("in_place", String),
  "texts that a trainer gives in its own pause": trainer("in_place", (step) => `step-${step}`),
  "texts that a trainer gives in its own abort": trainer("abort", (step) => `step-${step}`),
  "texts that a trainer gives without a pause": async ({ server: { scheduler } }, step) => {
    scheduler.load(folder(step));
    scheduler.weightVersion = `step-${step}`;
  },
};

interface Done {
  readonly call: GenerateCall;
  readonly result: GenerateResult;
  readonly truth: readonly string[];
}

async function run(kind: string, update: (world: World, step: number) => Promise<void>) {
  /** The weights of each token by the first id of the call's prompt. */
  const truths = new Map<number, string[]>();
  const onOutcome: OnOutcome = ({ rid, inputIds, inputLength }, { tokens }) => {
    if (isProbe(rid)) return;
    const truth = truths.get(inputIds[0] ?? -1);
    truth?.splice(inputLength - PROMPT, Number.POSITIVE_INFINITY, ...tokens.map(({ weights = "" }) => weights));
  };
  const started = await SERVERS[kind]?.(onOutcome);
  if (!started) throw new Error(kind);
  open.push(started.server, started.engine);
  const { server, engine } = started;
  let current = 0;
  const setVersion = async (version: number) => {
    current = version;
    await engine.servers?.nameVersion(version);
  };
  server.scheduler.weights = folder(0);
  const labels = new VersionLabels();
  const done: Done[] = [];
  let ended = false;
  let next = 1;
  const callAgain = async () => {
    while (!ended) {
      const id = next++;
      const truth: string[] = [];
      truths.set(id, truth);
      const streams = id % 2 === 0;
      const call = makeCall(
        [id, 1, 1],
        { maxTokens: 10 + ((id * 37) % 60), ignoreEos: true },
        { currentVersion: () => current, versionLabels: labels, ...(streams && { onTokens: () => undefined }) },
      );
      done.push({ call, result: await engine.generate(call), truth });
    }
  };
  const callers = Array.from({ length: CALLS_AT_ONCE }, callAgain);
  for (let step = 1; step <= UPDATES; step++) {
    await sleep(5 + ((step * 7) % 40));
    await update({ server, engine, setVersion }, step);
  }
  ended = true;
  await Promise.all(callers);
  const { versions } = labels.known;
  return judge(done, (step) => versions[`step-${step}`] ?? step);
}

const PROMPT = 3;

/** Returns what is wrong with the recorded versions, and how many calls were marked. */
function judge(done: readonly Done[], versionOf: (step: number) => number) {
  const stepOf = (weights: string) => Number(weights.slice(folder(0).length - 1));
  const count = { calls: done.length, crossing: 0, marked: 0, wrong: 0, markedWrong: 0 };
  for (const { call, result, truth } of done) {
    const versions = [...call.generation.versions()];
    expect(versions).toHaveLength(truth.length);
    const wrong = versions.some((version, index) => version !== versionOf(stepOf(truth[index] ?? "")));
    if (new Set(truth).size > 1) count.crossing++;
    if (result.versionsUncertain) count.marked++;
    if (wrong && result.versionsUncertain) count.markedWrong++;
    if (wrong && !result.versionsUncertain) count.wrong++;
  }
  return count;
}

/** Servers that name versions: only these show an update of which the proxy is not told. */
const NAMING = Object.keys(SERVERS).filter((kind) => !/completions|cannot|vLLM without/.test(kind));

const list = (kinds: readonly string[], updates: typeof UPDATE) =>
  kinds.flatMap((kind) => Object.entries(updates).map(([name, update]) => ({ kind, name, update })));

describe("20 updates under load", () => {
  it.each([...list(Object.keys(SERVERS), UPDATE), ...list(NAMING, NAMED_BY_TRAINER)])(
    "record no wrong version without a mark: $kind, $name",
    async ({ kind, update }) => {
      const { calls, wrong } = await run(kind, update);
      expect(calls).toBeGreaterThan(0);
      expect(wrong).toBe(0);
    },
  );

  it.each(
    list(
      Object.keys(SERVERS).filter((kind) => /with spans/.test(kind)),
      {
        "POST /rl/weights": UPDATE["POST /rl/weights"] ?? trainer("abort", String),
        "a pause in mode keep": paused("keep"),
        ...NAMED_BY_TRAINER,
      },
    ),
  )("mark no call of a server that names spans: $kind, $name", async ({ kind, update }) => {
    const { marked, crossing } = await run(kind, update);
    expect(crossing).toBeGreaterThan(0);
    expect(marked).toBe(0);
  });
});
