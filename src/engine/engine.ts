import type { WithoutChannels } from "../facts/channels.js";
import type { Sampling } from "../facts/sampling.js";
import type { ExpertModel, LogprobContent, NativeGeneration, NativePrompt } from "../native/contract.js";
import type { AbortSource } from "../support/async/abort-source.js";
import { CodedError } from "../support/coded-error.js";
import type { PromptText } from "./prompt-text.js";

export type { LogprobContent } from "../native/contract.js";

/** How tokens are drawn. Every field is explicit, so no engine uses a default of its own. */
export interface SamplingParams extends Sampling {
  /**
   * Maximum number of reasoning tokens; undefined for no limit. The reasoning begins in the prompt or in the output. An engine that
   * cannot enforce the limit ignores it, and calls `onIgnored`; so does one that gives no equal outputs for an equal `seed`.
   */
  readonly thinkingBudget: number | undefined;
  /** At least 1. Prompt and output together must fit the context. */
  readonly maxTokens: number;
  /** Ids that are never sampled, such as those that stand for images. Default: none. */
  readonly bannedTokenIds?: readonly number[] | undefined;
  /** The form that the output must have. Only for engines with `supports.grammar`. */
  readonly grammar?: Grammar | undefined;
}

/** The parameters that an engine may ignore. */
export type IgnorableParam = "thinkingBudget" | "seed";

/** Structured output: the engine lets the model sample only tokens that can lead to such a text. */
export type Grammar =
  /** A JSON Schema as JSON text; `{"type":"object"}` allows any object. */
  | { readonly kind: "json_schema"; readonly schema: string }
  | { readonly kind: "regex"; readonly pattern: string }
  | { readonly kind: "ebnf"; readonly rules: string }
  /** A structural tag of xgrammar as JSON text. */
  | { readonly kind: "structural_tag"; readonly tag: string };

export interface ReasoningMarkers {
  readonly begin: Int32Array;
  readonly end: Int32Array;
}

export interface SharedPromptText {
  /** Becomes the text of this call's request. Only one call has it at a time. */
  readonly text: PromptText;
  /** Number of the prompt's first ids that the text begins with. */
  readonly shared: number;
}

/** Versions of weights to which somebody has given a text as the version. */
export interface LabelVersions {
  /** Notes an integer that an engine names, so that no later label gets it. */
  note(version: number): void;
  /**
   * Returns the version of a label, the same one every time.
   *
   * @param current the version that was set last. A new label gets a higher one
   */
  versionOf(label: string, current: number): number;
}

/** An image as an encoded file. */
export interface EncodedImage {
  /** SHA-256 of the file, in lowercase hexadecimal digits. */
  readonly sha256: string;
  /** For example `image/png`. */
  readonly mediaType: string;
  readonly file: Uint8Array;
}

export interface ExpandImageOptions {
  /** The image token. */
  readonly tokenId: number;
  /** See {@link GenerateCall.affinityKey}: servers may have other limits, so the one that gets the call is asked. */
  readonly affinityKey: string;
  readonly abort?: AbortSource | undefined;
}

/**
 * Returns the token ids by which an engine replaces the image token of an image.
 *
 * @throws EngineError also if the ids do not begin with the image token, because the prompt could then not be sent again
 */
export type ExpandImage = (image: EncodedImage, options: ExpandImageOptions) => Promise<Int32Array>;

/** An image of a prompt, and the tokens that stand for it. */
export interface CallImage extends EncodedImage {
  /** First of its tokens, which is the model's image token. */
  readonly offset: number;
  /** Number of its tokens. */
  readonly length: number;
}

/** One call: its prompt, its sampling, and what receives its output. An engine passes the same object down to its servers. */
export interface GenerateCall {
  /** Id of the call, under which engines that are servers log its requests. Default: a random id for each request. */
  readonly id?: string | undefined;
  readonly prompt: NativePrompt;
  /** The images of the prompt in their order. Only for engines with `supports.images`. Default: none. */
  readonly images?: readonly CallImage[] | undefined;
  /** The earlier request of the same conversation, whose ids are not written again. Only for engines that are servers. */
  readonly promptText?: SharedPromptText | undefined;
  /** Receives sampled ids, log probabilities and versions. */
  readonly generation: NativeGeneration;
  readonly sampling: SamplingParams;
  /** Headers of the trace that the call belongs to. Engines that are servers receive them. */
  readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
  /** Calls with the same key share a prompt prefix. They go to the server that has it in its cache. */
  readonly affinityKey: string;
  /** Returns the current weight version, for engines that report none. */
  readonly currentVersion: () => number;
  /** The versions of weights that engines name by a text. Default: labels of the engine's own. */
  readonly versionLabels?: LabelVersions | undefined;
  /** Called when the engine has added tokens to `generation`. If undefined, the engine may add all of them at once. */
  readonly onTokens?: (() => void) | undefined;
  /**
   * Returns the UTF-8 bytes that a token adds to the text; special tokens add their spelling. With it, stop strings are
   * found that servers do not search for.
   */
  readonly tokenBytes?: ((id: number) => Uint8Array) | undefined;
  /**
   * The ids with which the model's reasoning begins and ends, if `sampling.thinkingBudget` is set and they are known. An engine that
   * enforces the budget calls `generation.markForced` with them.
   */
  readonly reasoning?: ReasoningMarkers | undefined;
  /** Channels that the engine leaves out, although it gives them to other calls. Default: none. */
  readonly withoutChannels?: WithoutChannels;
  /** Called when a server, or a sequence of the embedded engine, is free for the call; again for each repetition of its request. */
  readonly onPlaced?: (() => void) | undefined;
  /** Called if the engine ignores a parameter of `sampling`, before it adds the tokens that this concerns. */
  readonly onIgnored?: ((param: IgnorableParam) => void) | undefined;
}

export interface GenerateResult {
  readonly finish: Finish;
  /** Prompt tokens that the engine had in its cache; undefined if it does not report them. */
  readonly cachedTokens: number | undefined;
  /** How often the generation was resumed after a weight update. */
  readonly resumes: number;
  /** Weights changed during the generation, and it is not known for each token whether it came before or after. Default: false. */
  readonly versionsUncertain?: boolean;
  /** Content of the log probabilities, as the servers that generated the tokens report it. */
  readonly logprobs: LogprobContent;
}

export type Finish =
  /** `matched`: the stop token id or the stop string that ended it, if the engine reports it. */
  { readonly reason: "stop"; readonly matched?: number | string } | { readonly reason: "length" };

/** Why an engine cannot take a call with some sampling. */
export interface SamplingRefusal {
  /** Name of the parameter to change. */
  readonly param: string;
  /** Says what the engine allows. */
  readonly message: string;
}

/** An inference engine. It takes token ids and returns sampled ids with their log probabilities and weight versions. */
export interface Engine {
  readonly type: string;
  readonly supports: EngineSupport;
  /** Returns the limit of prompt and output tokens of one call together. */
  contextLength(): Promise<number>;
  /**
   * Returns the bytes of the channels that the engine adds for each token of a sequence. If undefined, 0.
   *
   * @param without channels that are not recorded, as in {@link GenerateCall.withoutChannels}
   */
  sequenceChannelBytes?(without?: WithoutChannels): number;
  /**
   * Returns the bytes that the channels of a sampled token may take besides, without its alternatives. If undefined, 0.
   *
   * @param without as for `sequenceChannelBytes`
   */
  outputChannelBytes?(sampling: SamplingParams, without?: WithoutChannels): number;
  /** Metadata of batches that says how to read the engine's channels. Default: none. */
  readonly channelMetadata?: Readonly<Record<string, unknown>>;
  /** The experts that the engine records. Default: none. */
  readonly recordedExperts?: ExpertModel | undefined;
  /** Records sampling masks. Default false. */
  readonly recordsMasks?: boolean;
  /**
   * Returns why the engine cannot take calls with this sampling; undefined if it can. Engines without this method take every sampling
   * that their `supports` allows.
   *
   * @param without channels that are not recorded, as in {@link GenerateCall.withoutChannels}
   */
  refuseSampling?(sampling: SamplingParams, without?: WithoutChannels): SamplingRefusal | undefined;
  /**
   * Returns the temperature with which the engine samples if a call has `temperature` and `topK`: engines replace values
   * that are too small to divide by. If undefined, the engine uses every temperature unchanged.
   */
  effectiveTemperature?(temperature: number, topK: number): number;
  /**
   * Adds sampled tokens to the call's `generation` until it is complete. Rejects with an {@link EngineError}, or with the reason of
   * `abort`.
   *
   * @param abort stops the engine's work immediately. The server gives no AbortSignal, because creating one takes time
   */
  generate(call: GenerateCall, abort?: AbortSource): Promise<GenerateResult>;
  /** Undefined if the engine cannot report the token ids of an image. They must then follow from the model's files. */
  readonly expandImage?: ExpandImage | undefined;
  /** Resolves if the engine can take calls; otherwise rejects with an {@link EngineError}. */
  health(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
  /** Controls the engine's servers. Undefined if the engine runs in this process. */
  readonly servers?: ServerControl;
  /** The calls of an engine that runs in this process. Undefined if the engine has servers, because `servers` counts their calls. */
  readonly load?: EngineLoad;
  /** Weights of an engine that runs in this process. Undefined if the engine has servers. */
  readonly localWeights?: LocalWeights;
}

/**
 * Replaces the weights of an engine that runs in this process: pause, load, resume. Sessions and calls in flight survive.
 */
export interface LocalWeights {
  /**
   * Reads and loads weights beside those in use, so that a pause lasts only as long as `apply`. Optional: without it, call
   * `load` during the pause. Rejects like `load`. Apply or discard what it resolves to, because it holds memory.
   */
  prepare?(path: string): Promise<PreparedWeights>;
  /**
   * Holds calls at a token boundary; resolves when nothing computes. Calls in flight keep their partial output. Time-outs do
   * not count the pause, and calls can still be aborted.
   */
  pause(): Promise<void>;
  /**
   * Loads a GGUF file, or a Hugging Face folder with `config.json` and safetensors, during a pause.
   *
   * @throws EngineError engine_error, with a message that names the file and the tensor. The old weights then stay in effect.
   */
  load(path: string): Promise<void>;
  /**
   * Ends the pause. If the weights changed, calls in flight evaluate prompt and partial output again, and tokens from here on
   * have the call's `currentVersion()` of this moment.
   */
  resume(): void;
}

/** Weights that are ready to be used. */
export interface PreparedWeights {
  /**
   * Replaces the engine's weights, during a pause.
   *
   * @throws EngineError engine_error if the engine is not paused or has no memory for its caches. The old weights then stay
   *   in effect.
   */
  apply(): Promise<void>;
  /** Frees the weights if they were not applied. */
  discard(): Promise<void>;
}

/** Numbers of calls in an engine. */
export interface EngineLoad {
  /** Calls that run now. */
  readonly running: number;
  /** Calls that wait for a place. */
  readonly waiting: number;
  /** Maximum number of calls that run at once. */
  readonly maxRunning: number;
}

export interface EngineSupport {
  /** The engine enforces `sampling.grammar`. */
  readonly grammar: boolean;
  /** With `sampling.ignoreEos`, the engine still stops at `sampling.stopTokenIds`. */
  readonly stopsWithoutEos: boolean;
  /** The engine takes `images` of a call, and never samples `sampling.bannedTokenIds`. Default: false. */
  readonly images?: boolean;
  /** False: the engine returns no alternatives, because it returns log probabilities of fixed tokens instead. Default: true. */
  readonly topLogprobs?: boolean;
}

/**
 * The effect of a pause on generations in flight. `abort` cuts them, and they are later resumed from their partial output.
 * `keep` freezes them.
 */
export type PauseMode = "abort" | "keep";

export interface ResumeOptions {
  /** The servers to resume. Default: every server. */
  readonly urls?: readonly string[] | undefined;
  /** Calls keep waiting until another `resume`. Default false. */
  readonly hold?: boolean;
}

export interface ReadinessProblem {
  /**
   * - `server`: the server is unreachable or not healthy.
   * - `key`: the server refused the API key.
   * - `model`: the server answers, but does not know the model.
   * - `unanswered`: the server is healthy, but did not describe its model in time. It may be busy with a long prompt.
   */
  readonly about: "server" | "key" | "model" | "unanswered";
  readonly message: string;
}

/** Needs of calls that the engine's servers have to meet. */
export interface ServerNeeds {
  /** A prompt as text, and its ids from the tokenizer of the model folder. */
  readonly sample: { readonly text: string; readonly ids: readonly number[] };
  /** The model reasons, so calls may have a budget for it. */
  readonly reasoning: boolean;
  /** Sampling masks are recorded. Default false. */
  readonly masks?: boolean;
  /** Number of alternatives of each token that are recorded. Default 0. */
  readonly topLogprobs?: number;
  /** Prompts have images. Default false. */
  readonly images?: boolean;
  /** The configured limit of prompt and output tokens together; undefined if it is the server's own. */
  readonly contextLength: number | undefined;
}

/** A limit of a ready server, in a sentence that says what to change. */
export interface ServerWarning {
  /**
   * - `flag`: the server was started with a wrong flag, or without one.
   * - `admin_key`: the server requires another key for its control endpoints.
   * - `tokenizer`: the server tokenizes otherwise than the model folder.
   * - `context`: the server takes fewer tokens than configured.
   */
  readonly about: "flag" | "admin_key" | "tokenizer" | "context";
  readonly message: string;
}

/** The answer of one server to a readiness check. */
export interface ServerReadiness {
  readonly url: string;
  /** Undefined if the server is ready. */
  readonly problem: ReadinessProblem | undefined;
  /** Limits of a ready server. Absent if it has none. */
  readonly warnings?: readonly ServerWarning[];
}

export interface ServerControl {
  /**
   * Checks whether every server that is not being drained is healthy and knows the model. Never rejects.
   *
   * @param signal ends the wait; a server that has not answered by then is not ready
   * @param needs ready servers are asked for their flags too, which may generate a few tokens; undefined: generates nothing
   */
  readiness(signal: AbortSignal, needs?: ServerNeeds): Promise<readonly ServerReadiness[]>;
  list(): readonly EngineServerState[];
  /** Mode of the current pause; undefined if this engine has not paused its servers. */
  readonly paused: PauseMode | undefined;
  /**
   * Pauses the servers for a weight update. All calls wait until `resume`. If one server cannot be paused, all are
   * resumed. A server that is being drained and unreachable is skipped.
   *
   * @param urls the servers to pause; default: every server. Calls to the other servers wait too: another process pauses
   *   those.
   */
  pause(mode: PauseMode, urls?: readonly string[]): Promise<void>;
  /** Resumes the servers and their calls. Rejects if a server could not be resumed; the others were. */
  resume(options?: ResumeOptions): Promise<void>;
  /**
   * Sends the server no more requests. Resolves when it has none.
   *
   * @param signal ends the wait, but not the draining
   * @throws RangeError if the URL is unknown
   */
  drain(url: string, signal?: AbortSignal): Promise<void>;
  /**
   * Sends requests to a drained server again.
   *
   * @throws RangeError if the URL is unknown
   */
  restore(url: string): void;
  /**
   * Gives the servers the version of their weights, so that they name it with their tokens. Servers that are being drained, that
   * have this version or that cannot name one are left out.
   *
   * @returns failures by URL. Replies of these servers are uncertain until they have been given a version
   */
  nameVersion(version: number): Promise<ServerFailures>;
  /** Steps of a weight update. */
  readonly update: ServerUpdate;
}

/** Weights that an engine server reads itself. */
export interface WeightSource {
  /** A path on the server's machine. */
  readonly path: string;
  readonly version: number;
}

/** A LoRA adapter, under a name of its own: engines keep what they have cached for a name. */
export interface LoraAdapter {
  readonly name: string;
  /** A path on the server's machine. */
  readonly path: string;
  /** The weight version of tokens that are sampled with it. */
  readonly version: number;
}

/** Failures of a step by the URL of the server. Empty if the step succeeded on every server. */
export type ServerFailures = ReadonlyMap<string, EngineError>;

/** The steps of a weight update on engine servers. A failure leaves everything paused: only `release` lets calls go on. */
export interface ServerUpdate {
  /**
   * Holds all calls and pauses these servers. Generations stay on the server if it can compute them again with the new
   * weights; otherwise they are cut, and resumed from their partial output.
   *
   * @param cutAll cuts all generations, because the servers are to {@link sleep}. Default false
   */
  pause(urls: readonly string[], cutAll?: boolean): Promise<ServerFailures>;
  /** @throws EngineError if a server cannot {@link sleep}, as far as it says */
  requireSleep(url: string): Promise<void>;
  /** Makes a paused server free the memory of its device. Resolves to false if it loses its weights. */
  sleep(url: string, signal?: AbortSignal): Promise<boolean>;
  /** Makes a sleeping server take its memory again. It stays idle until `resume`. */
  wake(url: string, signal?: AbortSignal): Promise<void>;
  /**
   * Makes a paused server load weights. The server's weights are unknown after a failure, unless it is a {@link NotLoadedError}.
   *
   * @param signal ends the wait; the server may still load
   */
  load(url: string, weights: WeightSource, signal?: AbortSignal): Promise<void>;
  /** Flushes the prefix caches of a paused server that has new weights, and sets its version. */
  finish(url: string, version: number, signal?: AbortSignal): Promise<void>;
  /** Resumes these servers. Calls are still held. */
  resume(urls: readonly string[]): Promise<ServerFailures>;
  /** Cuts the generations on a server that will stay paused. After `release` they are resumed on other servers. */
  abandon(url: string): void;
  /** Lets the held calls go on. */
  release(): Promise<void>;
  /**
   * Makes a server load an adapter while calls run on it. Requests use it only after `useAdapter`. Does nothing if the server has it.
   *
   * @param signal ends the wait; the server may still load
   */
  loadAdapter(url: string, adapter: LoraAdapter, signal?: AbortSignal): Promise<void>;
  /** Makes later requests use an adapter; undefined for the base model. Running ones go on with theirs, which is unloaded after them. */
  useAdapter(adapter: LoraAdapter | undefined): void;
}

export interface EngineServerState {
  readonly url: string;
  /** `unknown`: never reached, but no attempt failed either. The server gets requests as if it were `up`. */
  readonly state: "up" | "down" | "draining" | "unknown";
  /** The server answered the last check or request and is healthy. False until it was first reached. */
  readonly healthy: boolean;
  /** Requests that run on the server or wait for a place on it. */
  readonly requests: number;
  /** How many of `requests` wait for a place. */
  readonly waiting: number;
  /** Maximum number of requests that run on the server at once. */
  readonly maxInflight: number;
  /** Content of the server's log probabilities; `unknown` until its first reply. */
  readonly logprobs: LogprobContent;
  readonly counts: EngineServerCounts;
  /** The last failed request; `at` is in milliseconds since the epoch. */
  readonly lastFailure: { readonly message: string; readonly at: number } | undefined;
}

/** Requests since the engine was created, by outcome. */
export interface EngineServerCounts {
  /** Includes requests that a weight update cut. */
  readonly completed: number;
  readonly failed: number;
  /** The client disconnected, or the call's time limit passed. */
  readonly aborted: number;
  /** The server did not begin with the request or died, so the request went to another server. */
  readonly failovers: number;
}

export type EngineErrorCode = "engine_error" | "engine_rejected_request" | "engine_timeout" | "engine_unavailable";

/** A failure of an engine. Agents may see the message: it contains no payload, path or stack. */
export class EngineError extends CodedError<EngineErrorCode> {
  override readonly name = "EngineError";
}

/** The engine used other prompt tokens than those of the call. Its output cannot be recorded. */
export class OtherPromptError extends EngineError {}

/** A server refused to load weights or to sleep, so it still has the earlier weights. */
export class NotLoadedError extends EngineError {}
