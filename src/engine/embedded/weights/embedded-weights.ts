import type { LlamaContextSequence, LlamaModel } from "node-llama-cpp";
import { EngineError, type LocalWeights, type PreparedWeights } from "../../engine.js";
import { importLlama } from "../import-llama.js";
import type { LlamaRuntime, LoadedModel } from "../runtime.js";
import type { SequencePool } from "../sequence-pool.js";
import type { StepGate } from "../step-gate.js";
import { checkGguf } from "./check-gguf.js";
import { hasMemoryFor } from "./free-memory.js";
import { checkGgufHeader } from "./gguf-header.js";
import { convertCheckpoint } from "./hugging-face/convert-checkpoint.js";
import { type ModelTemplate, readModelTemplate } from "./model-template.js";
import { weightsKind } from "./weights-kind.js";

/** New weights in memory. */
interface Candidate {
  readonly path: string;
  readonly model: LlamaModel;
  /** Describes the model once it is in use. */
  readonly template: ModelTemplate;
  /** The model with its caches; undefined if there was no memory for both the old and the new caches. */
  readonly loaded: LoadedModel | undefined;
}

/**
 * Replaces the engine's weights:
 *
 * 1. `prepare` checks the files, converts them if needed, and loads them while the old weights stay in use.
 * 2. `pause` holds all calls between two steps.
 * 3. `apply` exchanges model and sequences. The new sequences have empty caches.
 * 4. `resume` lets the calls go on. The old weights are freed meanwhile.
 */
export class EmbeddedWeights implements LocalWeights {
  readonly #runtime: LlamaRuntime;
  readonly #gate: StepGate;
  readonly #pool: SequencePool<LlamaContextSequence>;
  #template: ModelTemplate;
  /** Work that must end before the runtime may be disposed of. */
  readonly #pending = new Set<Promise<unknown>>();
  #freeing: Promise<unknown> = Promise.resolve();
  #closed: { readonly reason: unknown } | undefined;

  constructor(
    runtime: LlamaRuntime,
    template: ModelTemplate,
    gate: StepGate,
    pool: SequencePool<LlamaContextSequence>,
  ) {
    this.#runtime = runtime;
    this.#template = template;
    this.#gate = gate;
    this.#pool = pool;
  }

  pause(): Promise<void> {
    return this.#gate.pause();
  }

  resume(): void {
    this.#gate.resume();
  }

  async load(path: string): Promise<void> {
    this.#requirePause();
    const prepared = await this.prepare(path);
    try {
      await prepared.apply();
    } finally {
      await prepared.discard();
    }
  }

  async prepare(path: string): Promise<PreparedWeights> {
    let candidate: Candidate | undefined = await this.#track(this.#prepare(path));
    return {
      apply: async () => {
        this.#requirePause();
        if (!candidate) throw new EngineError("engine_error", "The weights were already applied or discarded.");
        const taken = candidate;
        candidate = undefined;
        await this.#track(this.#apply(taken));
      },
      discard: async () => {
        const taken = candidate;
        candidate = undefined;
        if (taken) await this.#runtime.free(taken.model, taken.loaded?.context);
      },
    };
  }

  /** Waits for running work. Later calls fail with `reason`. */
  async close(reason: unknown): Promise<void> {
    this.#closed = { reason };
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #requirePause(): void {
    if (this.#closed) throw this.#closed.reason;
    if (!this.#gate.paused) throw new EngineError("engine_error", "Weights can be replaced only during a pause.");
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const forget = () => void this.#pending.delete(work);
    work.then(forget, forget);
    return work;
  }

  async #prepare(path: string): Promise<Candidate> {
    try {
      if (this.#closed) throw this.#closed.reason;
      await this.#freeing;
      const kind = await weightsKind(path);
      return await (kind === "GGUF file" ? this.#prepareGguf(path) : this.#prepareCheckpoint(path));
    } catch (error) {
      throw toEngineError(path, error);
    }
  }

  async #prepareCheckpoint(folder: string): Promise<Candidate> {
    const template = this.#template;
    await using gguf = await convertCheckpoint(folder, template);
    return await this.#loadCandidate(folder, await this.#runtime.loadModel(gguf.path), template);
  }

  async #prepareGguf(path: string): Promise<Candidate> {
    await checkGgufHeader(path);
    const { readGgufFileInfo } = await importLlama();
    const info = await readGgufFileInfo(path, { sourceType: "filesystem" });
    checkGguf(path, info, this.#template);
    const template = await readModelTemplate(info, path);
    return await this.#loadCandidate(path, await this.#runtime.loadModel(path), template);
  }

  async #loadCandidate(path: string, model: LlamaModel, template: ModelTemplate): Promise<Candidate> {
    try {
      const enough = hasMemoryFor(this.#runtime.current.context.memoryUsage.ram);
      const loaded = enough ? await this.#runtime.openModel(model) : undefined;
      return { path, model, template, loaded };
    } catch (error) {
      await this.#runtime.free(model);
      throw error;
    }
  }

  async #apply({ path, model, template, loaded }: Candidate): Promise<void> {
    const old = this.#runtime.current;
    try {
      this.#use(loaded ?? (await this.#openInPlaceOf(old, model)));
    } catch (error) {
      await this.#runtime.free(model);
      throw toEngineError(path, error);
    }
    this.#template = template;
    // The new weights are in use even if the old ones cannot be freed.
    this.#freeing = this.#track(this.#runtime.free(old.model, old.context)).catch(() => undefined);
  }

  /** Frees the old caches, then creates those of the new model. If that fails, creates the old model's caches again, empty. */
  async #openInPlaceOf(old: LoadedModel, model: LlamaModel): Promise<LoadedModel> {
    await old.context.dispose();
    try {
      return await this.#runtime.openModel(model);
    } catch (error) {
      this.#use(await this.#runtime.openModel(old.model));
      throw error;
    }
  }

  #use(loaded: LoadedModel): void {
    this.#runtime.current = loaded;
    this.#pool.replaceSequences(loaded.sequences);
  }
}

function toEngineError(path: string, error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new EngineError("engine_error", `Weights ${path} cannot be loaded: ${reason}`, { cause: error });
}
