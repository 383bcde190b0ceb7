import type { Engine, EngineSupport, GenerateCall, GenerateResult, LogprobContent } from "../../src/engine/engine.js";
import type { NativeGeneration, NativePrompt } from "../../src/native/contract.js";
import type { AbortSource } from "../../src/support/async/abort-source.js";
import { AbortSwitch } from "../../src/support/async/abort-switch.js";

export interface ScriptedReply {
  readonly ids: readonly number[];
  readonly finish?: GenerateResult["finish"];
  readonly cachedTokens?: number;
  readonly resumes?: number;
  /** Number of tokens per frame, if the call is streamed. Default: all. */
  readonly perFrame?: number;
  /** Runs before each frame. If it throws, the generation ends there with the error. */
  readonly beforeFrame?: (frame: number) => Promise<void> | void;
}

/** A call that the engine received, and what aborts it. */
export type ScriptedCall = GenerateCall & { readonly signal: AbortSource };

/** An engine that returns scripted replies, and can hold calls or fail on demand. */
export class ScriptedEngine implements Engine {
  readonly type = "scripted";
  readonly supports: EngineSupport = { grammar: false, stopsWithoutEos: true };
  readonly calls: ScriptedCall[] = [];
  readonly aborted: GenerateCall[] = [];
  context = 16_384;
  logprobs: LogprobContent = "temperature";
  healthError: Error | undefined;
  /** The next replies. If there are none, every call samples `fallback`. */
  readonly replies: (ScriptedReply | Error)[] = [];
  fallback: ScriptedReply = { ids: [300, 301, 302] };
  /** Called with the generation and all output tokens when they were sampled. */
  onSampled: ((generation: NativeGeneration, prompt: Int32Array, output: Int32Array) => void) | undefined;
  #gate: Promise<void> | undefined;

  /** Holds every later call until the returned function is called. */
  hold(): () => void {
    let open: () => void = () => {};
    this.#gate = new Promise((resolve) => {
      open = resolve;
    });
    return () => {
      this.#gate = undefined;
      open();
    };
  }

  /** Stops holding later calls. Calls that are held stay held. */
  pass(): void {
    this.#gate = undefined;
  }

  async contextLength(): Promise<number> {
    return this.context;
  }

  async generate(call: GenerateCall, signal: AbortSource = new AbortSwitch()): Promise<GenerateResult> {
    call.onPlaced?.();
    this.calls.push({ ...call, signal, prompt: kept(call.prompt) });
    const version = call.currentVersion();
    const reply = this.replies.shift() ?? this.fallback;
    if (this.#gate) await Promise.race([this.#gate, this.#whenAborted(call, signal)]);
    signal.throwIfAborted();
    if (reply instanceof Error) throw reply;
    const ids = Int32Array.from(reply.ids).subarray(0, call.sampling.maxTokens);
    await this.#sample({ ...call, signal }, reply, ids, version);
    this.onSampled?.(call.generation, call.prompt.tokens(), ids);
    return {
      finish: reply.finish ?? { reason: "stop" },
      cachedTokens: reply.cachedTokens,
      resumes: reply.resumes ?? 0,
      logprobs: this.logprobs,
    };
  }

  /** Adds the tokens to the generation frame by frame. Log probabilities count down by eighths. */
  async #sample(call: ScriptedCall, reply: ScriptedReply, ids: Int32Array, version: number): Promise<void> {
    const perFrame = call.onTokens ? (reply.perFrame ?? ids.length) : ids.length;
    const logprobs = Float32Array.from(ids, (_, i) => -(i + 1) / 8);
    for (let from = 0, frame = 0; from < ids.length; from += perFrame, frame++) {
      await reply.beforeFrame?.(frame);
      call.signal.throwIfAborted();
      const end = from + perFrame;
      call.generation.append(ids.subarray(from, end), logprobs.subarray(from, end), version);
      call.onTokens?.();
    }
  }

  async health(): Promise<void> {
    if (this.healthError) throw this.healthError;
  }

  async close(): Promise<void> {}

  #whenAborted(call: GenerateCall, signal: AbortSource): Promise<never> {
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        this.aborted.push(call);
        reject(signal.reason as Error);
      });
    });
  }
}

/** A scripted engine that supports grammars. */
export class GrammarEngine extends ScriptedEngine {
  override readonly supports = { grammar: true, stopsWithoutEos: true };
}

/** A copy of a prompt, whose tokens can be read after the prompt itself was freed by recording its call. */
function kept(prompt: NativePrompt): NativePrompt {
  const ids = prompt.tokens();
  return {
    length: ids.length,
    tokens: () => ids.slice(),
    firstUnrecorded: (...args) => prompt.firstUnrecorded(...args),
    requestBody: (...args) => prompt.requestBody(...args),
    requestBodyAsync: (...args) => prompt.requestBodyAsync(...args),
    readScores: (...args) => prompt.readScores(...args),
    readScoresAsync: (...args) => prompt.readScoresAsync(...args),
    release: () => prompt.release(),
  };
}
