import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { AbortSource } from "../../support/async/abort-source.js";
import type { Deadline } from "../../support/async/deadline.js";
import { startCallDeadline } from "../call-deadline.js";
import { type Engine, EngineError, type EngineLoad, type GenerateCall, type GenerateResult } from "../engine.js";
import { decode, type LlamaSlot, type RunStep, reuseCache } from "./decode.js";
import type { EmbeddedOptions } from "./embedded-options.js";
import { OutputWriter } from "./output-writer.js";
import { randomSeed } from "./randomness.js";
import { type LlamaRuntime, startRuntime } from "./runtime.js";
import { GREEDY_BELOW, Sampler } from "./sampler.js";
import { SequencePool } from "./sequence-pool.js";
import { StepGate } from "./step-gate.js";
import { EmbeddedWeights } from "./weights/embedded-weights.js";
import { type ModelTemplate, readModelTemplate } from "./weights/model-template.js";

/** An engine that runs llama.cpp in this process. */
class EmbeddedEngine implements Engine {
  readonly type = "embedded";
  /** llama.cpp's grammars work only with its samplers, whose log probabilities are not those of {@link Sampler}. */
  readonly supports = { grammar: false, stopsWithoutEos: true };
  readonly #runtime: LlamaRuntime;
  readonly #pool: SequencePool<LlamaContextSequence>;
  readonly #gate = new StepGate();
  readonly #closed = new AbortController();
  readonly #timeoutSeconds: number;
  #closing: Promise<void> | undefined;
  readonly localWeights: EmbeddedWeights;

  constructor(runtime: LlamaRuntime, template: ModelTemplate, timeoutSeconds: number) {
    this.#runtime = runtime;
    this.#timeoutSeconds = timeoutSeconds;
    this.#pool = new SequencePool(runtime.sequences, runtime.contextSize);
    this.localWeights = new EmbeddedWeights(runtime, template, this.#gate, this.#pool);
  }

  get load(): EngineLoad {
    return this.#pool.load;
  }

  async contextLength(): Promise<number> {
    return this.#runtime.contextSize;
  }

  effectiveTemperature(temperature: number): number {
    return temperature < GREEDY_BELOW ? 0 : temperature;
  }

  async generate(call: GenerateCall, abort?: AbortSource): Promise<GenerateResult> {
    abort?.throwIfAborted();
    this.#closed.signal.throwIfAborted();
    this.#checkCall(call);
    const prompt = call.prompt.tokens();
    if (!prompt.every((id) => id >= 0 && id < this.#runtime.vocabSize)) {
      throw new EngineError("engine_error", "The prompt contains a token id that is not in the model's vocabulary.");
    }
    if (call.sampling.thinkingBudget !== undefined) call.onIgnored?.("thinkingBudget");
    using deadline = startCallDeadline(abort, this.#timeoutSeconds, () => this.#gate.paused);
    return await this.#inSlot(call, prompt, deadline);
  }

  async #inSlot(call: GenerateCall, prompt: Int32Array, deadline: Deadline): Promise<GenerateResult> {
    const slot = await this.#acquire(call, prompt, deadline);
    try {
      call.onPlaced?.();
      return await this.#run(call, slot, prompt, deadline);
    } finally {
      this.#pool.release(slot);
    }
  }

  /** Waits for a sequence. Stops the clock of the deadline meanwhile, because the engine does not work on the call yet. */
  async #acquire(call: GenerateCall, prompt: Int32Array, deadline: Deadline): Promise<LlamaSlot> {
    using _stopped = deadline.stopClock();
    return await this.#pool.acquire(prompt, call.affinityKey, deadline);
  }

  /** Refuses calls that exceed the context, because node-llama-cpp would silently drop the oldest tokens. */
  #checkCall({ prompt, sampling }: GenerateCall): void {
    const { contextSize } = this.#runtime;
    if (prompt.length === 0) throw new EngineError("engine_error", "The prompt must have at least one token.");
    if (sampling.grammar) throw new EngineError("engine_error", "The embedded engine does not support grammars.");
    if (sampling.maxTokens < 1) {
      throw new EngineError("engine_error", `maxTokens must be at least 1; received ${sampling.maxTokens}.`);
    }
    const unknown = sampling.logitBias.find(([id]) => id >= this.#runtime.vocabSize);
    if (unknown) {
      const message = `logit_bias must have token ids below ${this.#runtime.vocabSize}; received ${unknown[0]}.`;
      throw new EngineError("engine_rejected_request", message);
    }
    if (prompt.length + sampling.maxTokens > contextSize) {
      const message = `${prompt.length} prompt and ${sampling.maxTokens} output tokens exceed the context of ${contextSize}.`;
      throw new EngineError("engine_rejected_request", message);
    }
  }

  async #run(call: GenerateCall, slot: LlamaSlot, ids: Int32Array, deadline: Deadline): Promise<GenerateResult> {
    const { sampling, generation } = call;
    const prompt = Array.from(ids, asToken);
    const runStep: RunStep = (step) => this.#gate.run(deadline, () => clearingOnFailure(slot, step));
    try {
      const cachedTokens = await runStep(() => reuseCache(slot, prompt, slot.cached.commonPrefix(ids)));
      const sampler = new Sampler(sampling, sampling.seed ?? randomSeed(), this.#runtime.vocabSize);
      const writer = new OutputWriter(generation, sampling.topLogprobs, call.onTokens);
      const { finish, resumes } = await decode(slot, prompt, sampler, call, writer, runStep);
      writer.flush();
      return { finish, cachedTokens, resumes, logprobs: "temperature" };
    } catch (error) {
      if (error === deadline.reason || error === this.#closed.signal.reason) throw error;
      throw new EngineError("engine_error", "The embedded engine failed.", { cause: error });
    }
  }

  async health(): Promise<void> {
    this.#closed.signal.throwIfAborted();
  }

  /** Fails running and waiting calls with engine_unavailable, then frees the model. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const reason = new EngineError("engine_unavailable", "The engine is closed.");
    this.#closed.abort(reason);
    this.#gate.close(reason);
    await this.#pool.drain(reason);
    await this.localWeights.close(reason);
    await this.#runtime.dispose();
  }
}

/** Empties the slot's cache if the step fails, because its content is then unknown. */
async function clearingOnFailure<T>(slot: LlamaSlot, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    slot.cached.truncate(0);
    await slot.sequence.clearHistory();
    throw error;
  }
}

/** node-llama-cpp has a branded type for token ids. */
function asToken(id: number): Token {
  return id as Token;
}

/**
 * Creates an engine that runs llama.cpp in this process, through node-llama-cpp.
 *
 * The same seed, prompt and sampling parameters give the same ids again, except for rounding: the last bits of
 * llama.cpp's results depend on the other calls in the batch.
 *
 * @throws EngineError engine_unavailable if node-llama-cpp is not installed
 * @throws RangeError if an option is out of range
 */
export async function createEmbeddedEngine(options: EmbeddedOptions = {}): Promise<Engine> {
  const { timeoutSeconds = 0 } = options;
  if (!(timeoutSeconds >= 0)) throw new RangeError(`timeoutSeconds must be 0 or more; received ${timeoutSeconds}`);
  const runtime = await startRuntime(options);
  try {
    const template = await readModelTemplate(runtime.current.model.fileInfo, runtime.modelPath);
    return new EmbeddedEngine(runtime, template, timeoutSeconds);
  } catch (error) {
    await runtime.dispose();
    throw error;
  }
}
