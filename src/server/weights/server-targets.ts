import {
  StepError,
  type StepFailure,
  type StepFailures,
  type TargetServer,
  type UpdateTarget,
  type WeightsCheck,
  type WeightTargets,
} from "../../admin-api/weights/weight-targets.js";
import { EngineError, NotLoadedError, type ServerControl, type ServerFailures } from "../../engine/engine.js";
import type { CurrentVersion } from "../current-version.js";
import { checkFolder } from "./check-folder.js";
import type { KnownWeights } from "./known-weights.js";

const NO_FAILURES: StepFailures = new Map();

/** The servers of an engine, as the targets of weight updates. */
export class ServerTargets implements WeightTargets {
  readonly #control: ServerControl;
  readonly #current: CurrentVersion;
  readonly #known: KnownWeights;
  readonly #modelFolder: string;
  /** Servers that were drained because an update excluded them. */
  readonly #drained = new Set<string>();
  /** Servers that the update has paused, here or through another process. Generations may wait on them. */
  readonly #paused = new Set<string>();

  /** @param modelFolder the folder of `model.path`, with which new weights are compared */
  constructor(control: ServerControl, current: CurrentVersion, known: KnownWeights, modelFolder: string) {
    this.#control = control;
    this.#modelFolder = modelFolder;
    this.#current = current;
    this.#known = known;
  }

  get version(): number {
    return this.#current.version;
  }

  async servers(): Promise<readonly TargetServer[]> {
    return this.#control.list().map(({ url, state }) => ({ ...this.#known.find(url), draining: state === "draining" }));
  }

  spell(exclude: readonly string[]): string[] {
    const urls = this.#control.list().map(({ url }) => url);
    return exclude.map((url) => urls.find((each) => sameAddress(each, url)) ?? url);
  }

  async isPaused(): Promise<boolean> {
    return this.#control.paused !== undefined;
  }

  async compare({ path, mode }: UpdateTarget): Promise<WeightsCheck | undefined> {
    return path === null || mode === "lora" ? undefined : await checkFolder(path, this.#modelFolder);
  }

  begin(target: UpdateTarget): Promise<void> {
    return this.#known.begin(
      target,
      this.#control.list().map(({ url }) => url),
    );
  }

  /**
   * Loads an adapter beside those in use, while calls run, or checks that the servers can sleep. If a server fails, nothing changes.
   *
   * @throws EngineError
   */
  async prepare({ mode, name, path, version, sleep }: UpdateTarget, excluded: readonly string[]): Promise<void> {
    const { update } = this.#control;
    if (sleep) await this.#tryEach(excluded, (url) => update.requireSleep(url));
    if (mode !== "lora" || name === undefined || path === null) return;
    await this.#tryEach(excluded, (url) => update.loadAdapter(url, { name, path, version }));
  }

  async #tryEach(excluded: readonly string[], task: (url: string) => Promise<void>): Promise<void> {
    const urls = this.#control.list().flatMap(({ url }) => (excluded.includes(url) ? [] : [url]));
    await Promise.all(urls.map((url) => this.#nameServer(url, task)));
  }

  async #nameServer(url: string, task: (url: string) => Promise<void>): Promise<void> {
    try {
      await task(url);
    } catch (error) {
      throw error instanceof EngineError
        ? new EngineError(error.code, `${url}: ${error.message}`, { cause: error })
        : error;
    }
  }

  /** An adapter needs no pause: calls in flight go on with the one that they began with. */
  get #needsNoPause(): boolean {
    return this.#known.update?.mode === "lora";
  }

  async pause(urls: readonly string[], excluded: readonly string[]): Promise<StepFailures> {
    if (this.#needsNoPause) {
      await this.drain(excluded);
      return NO_FAILURES;
    }
    const [failures] = await Promise.all([
      this.#control.update.pause(urls, this.#known.update?.sleep),
      this.drain(excluded),
    ]);
    for (const { url } of this.#control.list()) if (!excluded.includes(url)) this.#paused.add(url);
    return toFailures(failures);
  }

  async sleep(url: string, signal: AbortSignal): Promise<boolean> {
    return await this.#control.update.sleep(url, signal).catch(throwStepError);
  }

  async wake(url: string, signal: AbortSignal): Promise<void> {
    await this.#control.update.wake(url, signal).catch(throwStepError);
  }

  async load(url: string, { version, path }: UpdateTarget, signal: AbortSignal): Promise<void> {
    if (this.#needsNoPause) return;
    if (path === null) throw new Error("an external update loads nothing");
    await this.#control.update.load(url, { version, path }, signal).catch(throwStepError);
  }

  async finish(url: string, version: number, signal: AbortSignal): Promise<void> {
    if (this.#needsNoPause) return;
    await this.#control.update.finish(url, version, signal).catch(throwStepError);
  }

  async commit(version: number): Promise<void> {
    await this.#current.set(version);
    await this.#known.stored();
  }

  async resume(urls: readonly string[]): Promise<StepFailures> {
    return this.#needsNoPause ? NO_FAILURES : toFailures(await this.#control.update.resume(urls));
  }

  /** A server that the update has paused is not resumed if it is drained, so its generations continue elsewhere. */
  async drain(urls: readonly string[]): Promise<void> {
    for (const { url, state } of this.#control.list()) {
      if (!urls.includes(url)) continue;
      if (this.#paused.delete(url)) this.#control.update.abandon(url);
      if (state === "draining") continue;
      this.#drained.add(url);
      // An aborted signal starts the draining without waiting for its end.
      await this.#control.drain(url, AbortSignal.abort()).catch(() => undefined);
    }
  }

  async release(servers: readonly TargetServer[], hold: boolean): Promise<void> {
    for (const { url, version } of servers) {
      if (version !== this.version || !this.#drained.delete(url)) continue;
      this.#control.restore(url);
    }
    this.#paused.clear();
    this.#known.end(servers);
    this.#control.update.useAdapter(this.#known.adapter);
    if (!hold) await this.#control.update.release();
  }

  note(server: TargetServer): void {
    this.#known.note(server);
  }
}

function sameAddress(one: string, other: string): boolean {
  const normalize = (url: string) => (URL.canParse(url) ? new URL(url).href.replace(/\/$/, "") : url);
  return normalize(one) === normalize(other);
}

function toFailures(failures: ServerFailures): StepFailures {
  return new Map([...failures].map(([url, error]) => [url, toFailure(error)]));
}

function toFailure(error: EngineError): StepFailure {
  const { message, code } = error;
  return { message, unchanged: error instanceof NotLoadedError, unreachable: code === "engine_unavailable" };
}

function throwStepError(error: unknown): never {
  throw error instanceof EngineError ? new StepError(toFailure(error)) : error;
}
