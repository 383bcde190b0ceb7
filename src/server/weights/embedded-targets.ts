import {
  StepError,
  type StepFailures,
  type TargetServer,
  type UpdateTarget,
  type WeightTargets,
} from "../../admin-api/weights/weight-targets.js";
import { EngineError, type LocalWeights, type PreparedWeights } from "../../engine/engine.js";
import { ApiError } from "../../http/errors.js";
import type { CurrentVersion } from "../current-version.js";
import { EMBEDDED, type KnownWeights } from "./known-weights.js";

const NO_FAILURES: StepFailures = new Map();

/** The engine in this process, as the only target of weight updates. */
export class EmbeddedTargets implements WeightTargets {
  readonly #weights: LocalWeights;
  readonly #current: CurrentVersion;
  readonly #known: KnownWeights;
  #prepared: PreparedWeights | undefined;
  #isPaused = false;

  constructor(weights: LocalWeights, current: CurrentVersion, known: KnownWeights) {
    this.#weights = weights;
    this.#current = current;
    this.#known = known;
  }

  get version(): number {
    return this.#current.version;
  }

  async servers(): Promise<readonly TargetServer[]> {
    return [{ ...this.#known.find(EMBEDDED), draining: false }];
  }

  spell(exclude: readonly string[]): string[] {
    return [...exclude];
  }

  async isPaused(): Promise<boolean> {
    return false;
  }

  check({ mode }: UpdateTarget): void {
    if (mode === "lora") {
      const message =
        "`lora` must be absent: the embedded engine loads no adapters. Merge the adapter into the weights.";
      throw new ApiError("invalid_value", message, { param: "lora" });
    }
    if (mode !== "external") return;
    const message = "`mode` must be absent: the engine runs in this process, so only it can load weights.";
    throw new ApiError("invalid_value", message, { param: "mode" });
  }

  begin(target: UpdateTarget): Promise<void> {
    return this.#known.begin(target, [EMBEDDED]);
  }

  /** Reads the weights while calls run. */
  async prepare({ path }: UpdateTarget): Promise<void> {
    if (path === null || !this.#weights.prepare) return;
    await this.#discard();
    this.#prepared = await this.#weights.prepare(path);
  }

  async pause(): Promise<StepFailures> {
    if (!this.#isPaused) await this.#weights.pause();
    this.#isPaused = true;
    return NO_FAILURES;
  }

  async load(_url: string, { path }: UpdateTarget): Promise<void> {
    if (path === null) throw new Error("the embedded engine loads weights itself");
    const prepared = this.#prepared;
    this.#prepared = undefined;
    try {
      if (prepared) await prepared.apply();
      else await this.#weights.load(path);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      throw new StepError({ message: error.message, unchanged: true, unreachable: false });
    }
  }

  /** The engine has no state of the old weights after a load, and gets the version from its callers. */
  async finish(): Promise<void> {}

  async commit(version: number): Promise<void> {
    await this.#current.set(version);
    await this.#known.stored();
  }

  async resume(): Promise<StepFailures> {
    return NO_FAILURES;
  }

  async drain(): Promise<void> {}

  async release(servers: readonly TargetServer[]): Promise<void> {
    await this.#discard();
    this.#known.end(servers);
    if (this.#isPaused) this.#weights.resume();
    this.#isPaused = false;
  }

  /** A failed load keeps the old weights, so they are known while new ones are loaded. */
  note(server: TargetServer): void {
    if (server.version !== null) this.#known.note(server);
  }

  async #discard(): Promise<void> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    await prepared?.discard();
  }
}
