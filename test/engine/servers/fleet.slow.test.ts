import { afterEach, describe, expect, it } from "vitest";
import type { Engine, GenerateCall, PauseMode } from "../../../src/engine/engine.js";
import type { EngineServerOptions } from "../../../src/engine/servers/engine-server-options.js";
import { rendezvousOrder } from "../../../src/engine/servers/pool/rendezvous.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import type { GenerateRequest } from "../../helpers/sglang/protocol.js";
import type { SglangScheduler } from "../../helpers/sglang/scheduler.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { startVllmServer } from "../../helpers/vllm/vllm-server.js";
import { makeCall } from "../generate-call.js";

/** The servers of an engine die, return, are drained and are paused while many calls run on them. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

interface FleetServer {
  readonly url: string;
  readonly scheduler: SglangScheduler;
  to(path: string): { readonly json: Record<string, unknown> }[];
  close(): Promise<void>;
}

interface Kind {
  readonly start: (options: { port?: number }) => Promise<FleetServer>;
  readonly engine: (options: EngineServerOptions) => Engine;
  readonly path: string;
  readonly promptField: string;
  /** Endpoint of health checks. */
  readonly healthPath: string;
}

const PROMPT = 2;
const OUTPUT = 40;

/** Output ids depend only on the call's number, which is the first prompt id, and on the place in the output. */
const makeId = (call: number, index: number): number => 1000 + call * OUTPUT + index;
const complete = ({ inputIds, inputLength }: GenerateRequest) =>
  Array.from({ length: OUTPUT }, (_, index) => makeId(inputIds[0] ?? -1, inputLength - PROMPT + index));

const common = { complete, tokenMilliseconds: 4 };

const KINDS: [string, Kind][] = [
  [
    "sglang",
    {
      start: (options) => startSglangServer({ ...common, ...options }),
      engine: createSglangEngine,
      path: "/generate",
      promptField: "input_ids",
      healthPath: "/model_info",
    },
  ],
  [
    "vllm",
    {
      start: (options) => startVllmServer({ ...common, ...options }),
      engine: createVllmEngine,
      path: "/inference/v1/generate",
      promptField: "token_ids",
      healthPath: "/health",
    },
  ],
];

type Outcome = "whole" | "wrong" | "engine_error" | "engine_unavailable" | "left";

interface Run {
  readonly key: string;
  readonly number: number;
  readonly call: GenerateCall;
  readonly controller: AbortController;
  readonly outcome: Promise<Outcome>;
  tokensTold: number;
}

describe.each(KINDS)("%s servers", (_, kind) => {
  async function fleet(options: Partial<EngineServerOptions> = {}) {
    const servers = await Promise.all([kind.start({}), kind.start({})]);
    const urls = servers.map(({ url }) => url);
    const engine = kind.engine({ urls, timeoutSeconds: 0, maxInflight: 200, healthSeconds: 0.02, ...options });
    open.push(...servers, engine);
    const [a, b] = servers;
    if (!a || !b) throw new Error("two servers expected");
    const findHome = (key: string): FleetServer => (rendezvousOrder(key, urls)[0] === a.url ? a : b);
    const run = (number: number, key = `session-${number % 20}`): Run => {
      const controller = new AbortController();
      const prompt = [number, 7];
      const call = makeCall(
        prompt,
        { maxTokens: OUTPUT },
        {
          affinityKey: key,
          onTokens: () => {
            started.tokensTold = call.generation.length;
          },
        },
      );
      const started: Run = {
        key,
        number,
        call,
        controller,
        tokensTold: 0,
        outcome: waitForOutcome(engine, call, number, controller.signal),
      };
      return started;
    };
    return { a, b, engine, findHome, run };
  }

  /** Lists the requests that a server got: the call's number, and the output token from which it should continue. */
  const listRequests = (server: FleetServer): { number: number; from: number }[] =>
    server.to(kind.path).map(({ json }) => {
      const ids = json[kind.promptField] as number[];
      return { number: ids[0] ?? -1, from: ids.length - PROMPT };
    });

  it("lose only the calls of a server that dies, and generate nothing twice", async () => {
    const { a, b, run, findHome, engine } = await fleet();
    a.scheduler.tokenMilliseconds = 100;
    const runs = Array.from({ length: 100 }, (_n, number) => run(number));
    await expect.poll(() => runs.every(({ tokensTold, key }) => findHome(key) === b || tokensTold > 0)).toBe(true);
    const onA = runs.filter(({ key }) => findHome(key) === a);
    await a.close();
    const outcomes = await Promise.all(runs.map(async ({ outcome, key }) => [findHome(key) === a, await outcome]));
    expect(onA.length).toBeGreaterThan(10);
    expect(outcomes).toEqual(
      runs.map(({ key }) => [findHome(key) === a, findHome(key) === a ? "engine_unavailable" : "whole"]),
    );
    expect(
      listRequests(b)
        .map(({ number }) => number)
        .sort((x, y) => x - y),
    ).toEqual(runs.filter(({ key }) => findHome(key) === b).map(({ number }) => number));
    // Later calls go to the remaining server.
    const later = onA.map(({ key }, index) => run(200 + index, key));
    expect(new Set(await Promise.all(later.map(({ outcome }) => outcome)))).toEqual(new Set(["whole"]));
    expect(engine.servers?.list().map(({ state, requests }) => [state, requests])).toEqual([
      ["down", 0],
      ["up", 0],
    ]);
  });

  it("pass on the calls that wait for a connection to a server that dies", async () => {
    const { a, run, findHome } = await fleet({ maxInflight: 4, healthSeconds: 0 });
    a.scheduler.tokenMilliseconds = 100;
    let key = "k";
    while (findHome(key) !== a) key += "k";
    const runs = Array.from({ length: 30 }, (_n, number) => run(number, key));
    await expect.poll(() => runs.filter(({ tokensTold }) => tokensTold > 0).length).toBe(4);
    await a.close();
    const outcomes = await Promise.all(runs.map(({ outcome }) => outcome));
    expect(outcomes.filter((outcome) => outcome === "engine_unavailable")).toHaveLength(4);
    expect(outcomes.filter((outcome) => outcome === "whole")).toHaveLength(26);
  });

  it("complete or fail every call while a server dies and returns, and get their sessions back", async () => {
    const { a, b, run, findHome, engine } = await fleet();
    const { port } = new URL(a.url);
    const lives: FleetServer[] = [a];
    const runs: Run[] = [];
    for (let life = 0; life < 4; life++) {
      const before = runs.length;
      for (let n = 0; n < 20; n++) runs.push(run(before + n));
      await expect
        .poll(() => runs.slice(before).some(({ tokensTold, key }) => findHome(key) === a && tokensTold > 3))
        .toBe(true);
      await lives.at(-1)?.close();
      const born = await kind.start({ port: Number(port) });
      open.push(born);
      lives.push(born);
      await expect.poll(() => engine.servers?.list()[0]?.state).toBe("up");
    }
    const outcomes = await Promise.all(runs.map(({ outcome }) => outcome));
    expect(new Set(outcomes)).toEqual(new Set(["whole", "engine_unavailable"]));
    const asked = [...lives, b].flatMap(listRequests);
    const twice = runs.filter(({ number }) => asked.filter((each) => each.number === number).length > 1);
    // Only calls without any token may have been requested again.
    expect(
      twice.filter(
        ({ call, number }) =>
          asked.some((each) => each.number === number && each.from > 0) || call.generation.length !== OUTPUT,
      ),
    ).toEqual([]);
    // After two checks of the last server, the checks of earlier ones are over.
    await expect.poll(() => lives.at(-1)?.to(kind.healthPath).length).toBeGreaterThan(1);
    await expect.poll(() => engine.servers?.list()[0]?.state).toBe("up");
    const last = Array.from({ length: 20 }, (_n, n) => run(500 + n));
    await Promise.all(last.map(({ outcome }) => outcome));
    const atHome = last.filter(({ key }) => findHome(key) === a).map(({ number }) => number);
    expect(
      listRequests(lives.at(-1) ?? a)
        .map(({ number }) => number)
        .filter((number) => number >= 500),
    ).toEqual(atHome);
  });

  it("lose no call while one is drained, which gets no calls until it is restored", async () => {
    const { a, b, run, findHome, engine } = await fleet();
    const runs = Array.from({ length: 60 }, (_n, number) => run(number));
    await expect.poll(() => runs.every(({ tokensTold }) => tokensTold > 0)).toBe(true);
    const drained = engine.servers?.drain(a.url);
    const meanwhile = Array.from({ length: 20 }, (_n, n) => run(100 + n));
    await drained;
    expect(a.scheduler.pending).toBe(0);
    const outcomes = await Promise.all([...runs, ...meanwhile].map(({ outcome }) => outcome));
    expect(new Set(outcomes)).toEqual(new Set(["whole"]));
    expect(listRequests(a).filter(({ number }) => number >= 100)).toEqual([]);
    engine.servers?.restore(a.url);
    const later = Array.from({ length: 20 }, (_n, n) => run(200 + n));
    await Promise.all(later.map(({ outcome }) => outcome));
    const atHome = later.filter(({ key }) => findHome(key) === a).map(({ number }) => number);
    expect(listRequests(a).flatMap(({ number }) => (number >= 200 ? [number] : []))).toEqual(atHome);
    expect(listRequests(b)).toHaveLength(
      runs.length + 20 + 20 - runs.filter(({ key }) => findHome(key) === a).length - atHome.length,
    );
  });

  it.each<PauseMode>(["abort", "keep"])("continue every call after a pause (%s) while they stream", async (mode) => {
    const { a, b, run, engine } = await fleet();
    const runs = Array.from({ length: 40 }, (_n, number) => run(number));
    for (const tokens of [1, 10]) {
      await expect.poll(() => runs.some(({ tokensTold }) => tokensTold > tokens)).toBe(true);
      await engine.servers?.pause(mode);
      const held = run(100 + tokens);
      const before = runs.map(({ call }) => call.generation.length);
      expect(before.every((length) => length < OUTPUT)).toBe(true);
      await engine.servers?.resume();
      runs.push(held);
    }
    expect(new Set(await Promise.all(runs.map(({ outcome }) => outcome)))).toEqual(new Set(["whole"]));
    // A token that was generated is never requested again.
    for (const { number } of runs) {
      const froms = [...listRequests(a), ...listRequests(b)].flatMap((each) =>
        each.number === number ? [each.from] : [],
      );
      expect([number, froms]).toEqual([number, froms.toSorted((x, y) => x - y)]);
    }
  });

  it("stop exactly the calls whose clients disconnect", async () => {
    const { a, b, run } = await fleet();
    for (const { scheduler } of [a, b]) scheduler.tokenMilliseconds = 50;
    const runs = Array.from({ length: 40 }, (_n, number) => run(number));
    await expect.poll(() => runs.every(({ tokensTold }) => tokensTold > 2)).toBe(true);
    const leaving = runs.filter(({ number }) => number % 2 === 0);
    for (const { controller } of leaving) controller.abort(new Error("left"));
    for (const { scheduler } of [a, b]) scheduler.tokenMilliseconds = 0;
    await expect
      .poll(() => a.scheduler.pending + b.scheduler.pending)
      .toBeLessThanOrEqual(runs.length - leaving.length);
    const outcomes = await Promise.all(runs.map(({ outcome }) => outcome));
    expect(outcomes).toEqual(runs.map(({ number }) => (number % 2 === 0 ? "left" : "whole")));
    const told = () => [...a.to("/abort_request"), ...b.to("/abort_request")].map(({ json }) => json["rid"]);
    const rids = [...a.to("/generate"), ...b.to("/generate")].flatMap(({ json }) =>
      Number((json["input_ids"] as number[])[0]) % 2 === 0 ? [json["rid"]] : [],
    );
    await expect.poll(() => told().length).toBe(rids.length);
    expect(new Set(told())).toEqual(new Set(rids));
    await expect.poll(() => a.scheduler.pending + b.scheduler.pending).toBe(0);
  });
});

async function waitForOutcome(
  engine: Engine,
  call: GenerateCall,
  number: number,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    await engine.generate(call, signal);
  } catch (error) {
    return Object(error).code ?? Object(error).message;
  }
  const expected = Array.from({ length: OUTPUT }, (_, index) => makeId(number, index));
  return expected.join() === call.generation.ids().join() ? "whole" : "wrong";
}
