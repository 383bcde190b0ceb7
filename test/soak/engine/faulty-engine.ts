import { Random } from "../../helpers/random.js";
import type { GenerateRequest } from "../../helpers/sglang/protocol.js";
import { type SglangServer, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { drawFault } from "./faults.js";
import { GenerationLog, readCall } from "./generation-log.js";

/** Ids of the tiny model's vocabulary that are plain text. */
const [FIRST_ID, LAST_ID] = [300, 499];

const MAX_OUTPUT = 48;

/** Two servers that speak as SGLang does, with random tokens, random faults and changing weights. */
export class FaultyEngine {
  readonly log = new GenerationLog();
  readonly #seed: number;
  readonly #requests = new Map<number, number>();
  readonly #servers: SglangServer[] = [];

  private constructor(seed: number) {
    this.#seed = seed;
  }

  static async start(seed: number): Promise<FaultyEngine> {
    const engine = new FaultyEngine(seed);
    engine.#servers.push(await engine.#startServer(), await engine.#startServer());
    return engine;
  }

  get urls(): string[] {
    return this.#servers.map(({ url }) => url);
  }

  /** Loads other weights: new tokens have this version. With `abort`, running generations are cut. */
  load(version: number, { abort }: { readonly abort: boolean }): void {
    for (const { scheduler } of this.#servers) {
      if (abort) scheduler.abort("", true);
      scheduler.weightVersion = String(version);
    }
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.close();
  }

  #startServer(): Promise<SglangServer> {
    return startSglangServer({
      forgetful: true,
      // A row shows the number of its call only if its seed is recorded.
      serverInfo: { enable_deterministic_inference: true },
      weightVersion: "0",
      weightVersionSpans: true,
      tokenMilliseconds: 1,
      complete: (request) => this.#complete(request),
      drawFault: (request) => this.#drawFault(request),
      onOutcome: (request, outcome) => this.log.end(request, outcome),
    });
  }

  /** Returns random tokens. Two generations of one prompt differ, so a row shows which of them it recorded. */
  #complete(request: GenerateRequest): number[] {
    const random = new Random(this.#seed, readCall(request), this.#countOf(request), 1);
    return Array.from({ length: random.integer(4, MAX_OUTPUT) }, () => random.integer(FIRST_ID, LAST_ID));
  }

  #drawFault(request: GenerateRequest) {
    const call = readCall(request);
    this.#requests.set(call, this.#countOf(request) + 1);
    const fault = drawFault(new Random(this.#seed, call, this.#countOf(request)), request.stream);
    this.log.begin(request, fault);
    return fault;
  }

  /** Number of requests of the same call so far. */
  #countOf(request: GenerateRequest): number {
    return this.#requests.get(readCall(request)) ?? 0;
  }
}
