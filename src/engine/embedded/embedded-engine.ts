import type { LlamaContextSequence, Token } from "node-llama-cpp";
import { startCallDeadline } from "../call-deadline.js";
import { type Engine, EngineError, type GenerateCall, type GenerateResult } from "../engine.js";
import { decode, type LlamaSlot, prefill, reuseCache } from "./decode.js";
import type { EmbeddedOptions } from "./embedded-options.js";
import { OutputWriter } from "./output-writer.js";
import { randomSeed } from "./randomness.js";
import { type LlamaRuntime, startRuntime } from "./runtime.js";
import { GREEDY_BELOW, Sampler } from "./sampler.js";
import { SequencePool } from "./sequence-pool.js";

/** llama.cpp in this process. */
class EmbeddedEngine implements Engine {
  readonly type = "embedded";
  /** llama.cpp's own grammars are part of its own samplers, which are not used: their log probabilities are others. */
  readonly supports = { grammar: false };
  readonly #runtime: LlamaRuntime;
  readonly #pool: SequencePool<LlamaContextSequence>;
  readonly #closed = new AbortController();
  #closing: Promise<void> | undefined;

  readonly #timeoutSeconds: number;

  constructor(runtime: LlamaRuntime, timeoutSeconds: number) {
    this.#runtime = runtime;
    this.#timeoutSeconds = timeoutSeconds;
    this.#pool = new SequencePool(runtime.sequences, runtime.contextSize);
  }

  async contextLength(): Promise<number> {
    return this.#runtime.contextSize;
  }

  effectiveTemperature(temperature: number): number {
    return temperature < GREEDY_BELOW ? 0 : temperature;
  }

  async generate(call: GenerateCall): Promise<GenerateResult> {
    call.signal.throwIfAborted();
    this.#closed.signal.throwIfAborted();
    this.#checkCall(call);
    const prompt = call.prompt.tokens();
    if (!prompt.every((id) => id >= 0 && id < this.#runtime.vocabSize)) {
      throw new EngineError("engine_error", "The prompt has a token id that the engine's model does not have.");
    }
    using deadline = startCallDeadline(call.signal, this.#timeoutSeconds);
    return await this.#inSlot({ ...call, signal: deadline.signal }, prompt);
  }

  async #inSlot(call: GenerateCall, prompt: Int32Array): Promise<GenerateResult> {
    const slot = await this.#pool.acquire(prompt, call.affinityKey, call.signal);
    try {
      return await this.#run(call, slot, prompt);
    } finally {
      this.#pool.release(slot);
    }
  }

  /** Beyond the context, the library would drop the oldest tokens without a word. */
  #checkCall({ prompt, sampling }: GenerateCall): void {
    const { contextSize } = this.#runtime;
    if (prompt.length === 0) throw new EngineError("engine_error", "The prompt has no tokens.");
    if (sampling.grammar) throw new EngineError("engine_error", "The embedded engine follows no grammar.");
    if (sampling.maxTokens < 1) throw new EngineError("engine_error", "At least one token must be asked for.");
    if (prompt.length + sampling.maxTokens > contextSize) {
      const message = `${prompt.length} prompt and ${sampling.maxTokens} output tokens exceed the context of ${contextSize}.`;
      throw new EngineError("engine_rejected_request", message);
    }
  }

  async #run(call: GenerateCall, slot: LlamaSlot, ids: Int32Array): Promise<GenerateResult> {
    const { sampling, generation } = call;
    const prompt = Array.from(ids, asToken);
    const throwIfStopped = () => {
      call.signal.throwIfAborted();
      this.#closed.signal.throwIfAborted();
    };
    try {
      const cachedTokens = await reuseCache(slot, prompt, slot.cached.commonPrefix(ids));
      const rest = await prefill(slot, prompt, throwIfStopped);
      const sampler = new Sampler(sampling, sampling.seed ?? randomSeed(), this.#runtime.vocabSize);
      const writer = new OutputWriter(generation, call.currentVersion(), sampling.topLogprobs, call.onTokens);
      const finish = await decode(slot, rest, sampler, sampling, writer, throwIfStopped);
      writer.flush();
      return { finish, cachedTokens, resumes: 0, logprobs: "temperature" };
    } catch (error) {
      if (error === call.signal.reason || error === this.#closed.signal.reason) throw error;
      await forget(slot);
      throw new EngineError("engine_error", "The embedded engine failed.", { cause: error });
    }
  }

  async health(): Promise<void> {
    this.#closed.signal.throwIfAborted();
  }

  /** Ends the calls in flight and those that wait with engine_unavailable, then frees the model. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const reason = new EngineError("engine_unavailable", "The engine is closed.");
    this.#closed.abort(reason);
    await this.#pool.drain(reason);
    await this.#runtime.dispose();
  }
}

/** After a failure nobody knows what is in the cache. */
async function forget({ sequence, cached }: LlamaSlot): Promise<void> {
  cached.truncate(0);
  await sequence.clearHistory();
}

/** node-llama-cpp brands its token ids. */
function asToken(id: number): Token {
  return id as Token;
}

/**
 * llama.cpp in this process, through node-llama-cpp. The same seed, prompt and sampling parameters give the same ids
 * again, up to numerics: llama.cpp's results differ in the last bits with what else is in a batch.
 *
 * @throws EngineError engine_unavailable where node-llama-cpp is not installed.
 */
export async function createEmbeddedEngine(options: EmbeddedOptions = {}): Promise<Engine> {
  const { timeoutSeconds = 0 } = options;
  if (!(timeoutSeconds >= 0)) throw new RangeError("timeoutSeconds must not be negative");
  return new EmbeddedEngine(await startRuntime(options), timeoutSeconds);
}
