import type { EngineReply } from "../../native/contract.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import type {
  EncodedImage,
  GenerateCall,
  IgnorableParam,
  LogprobContent,
  LoraAdapter,
  PauseMode,
  ServerNeeds,
  ServerWarning,
  WeightSource,
} from "../engine.js";
import type { ServerAdapters } from "./server-adapters.js";
import type { ReplyVersions } from "./versions/reply-versions.js";
import type { ServerVersions } from "./versions/server-versions.js";

/** One request to a server for the rest of a call: prompt, generation so far and the rest of the token budget. */
export interface ServerRequest {
  readonly call: GenerateCall;
  /** Ends the request. */
  readonly signal: AbortSource;
  /** The versions of the request's tokens. */
  readonly versions: ReplyVersions;
  /** Called when tokens were added to the call's generation. @throws StopReached if the output is complete but the server would continue. */
  received(): void;
  /** Called if the server ignores a parameter of the call, before it adds the tokens that this concerns. */
  ignored(param: IgnorableParam): void;
}

/** The server's weights, as it reports them. A field is undefined if the server does not report it. */
export interface ReportedWeights {
  readonly version?: number | undefined;
}

/** The end of one request. The tokens are in the call's generation, and their versions in {@link ReplyVersions}. */
export type ServerReply = Omit<EngineReply, "versions">;

/** One server of an engine. */
export interface EngineServer {
  readonly url: string;
  readonly versions: ServerVersions;
  /** Where the tokens of a thinking budget are counted from: each beginning of reasoning, or the start of the output. */
  readonly budgetStart: "reasoning" | "output";
  /**
   * Sends the request. Sampled tokens are added to the call's generation.
   *
   * @throws NotStartedError if the server did not begin with the request, so another server may get it
   */
  send(request: ServerRequest): Promise<ServerReply>;
  /** Content of the server's log probabilities; undefined if it is not known yet. */
  readonly logprobs: LogprobContent | undefined;
  /** Content of the log probabilities of tokens with sampling masks, if it differs. */
  readonly maskedLogprobs?: LogprobContent;
  /**
   * Finds out what the server's log probabilities include.
   *
   * @param call a call that the server has answered
   * @returns `unknown` if the server does not show it
   * @throws UnrecordableError if the server reports something else than log probabilities
   */
  findLogprobs(call: GenerateCall): Promise<LogprobContent>;
  /** Rejects unless the server has the model that requests name. Undefined if requests name no model. */
  requireModel?(): Promise<void>;
  /** Asks a ready server what it does not do because of its flags. May generate a few tokens. */
  listWarnings?(needs: ServerNeeds, signal: AbortSignal): Promise<ServerWarning[]>;
  /** See {@link ExpandImage}. Undefined if the server does not tell. */
  expandImage?(image: EncodedImage, tokenId: number, signal: AbortSignal): Promise<Int32Array>;
  /** Returns the limit of prompt and output tokens of one call together. */
  contextLength(): Promise<number>;
  /** Asks for the version of the server's weights; never rejects. */
  weightUpdate(): Promise<ReportedWeights>;
  /** Resolves if the server answers. Generates nothing, and does not wait for a generation or the end of a pause. */
  health(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves if the server's scheduler answers, for servers whose {@link health} does not check it. This may take as long
   * as one step of the model, such as a piece of a long prompt.
   */
  schedulerHealth?(signal?: AbortSignal): Promise<void>;
  pause(mode: PauseMode): Promise<void>;
  /**
   * Pauses for a weight update, so that the caches can be flushed. Undefined if only an abort pause allows that. It may
   * leave generations on the server: they then continue with the new weights after {@link resume}.
   */
  pauseForUpdate?(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Loads weights that the server reads itself. Call it while the server is paused. The prefix caches may still be those of
   * the old weights afterwards.
   *
   * @param signal ends the wait; there is no other time limit
   */
  loadWeights(weights: WeightSource, signal: AbortSignal): Promise<void>;
  /** Flushes the prefix caches. Call it while the server is paused. Rejects if the server kept them. */
  flushCache(signal: AbortSignal): Promise<void>;
  /** Sets the version that the server reports with its tokens. Resolves to false if the server does not have this endpoint. */
  setWeightVersion(version: number, signal: AbortSignal): Promise<boolean>;
  /** Rejects if the server cannot free its memory. */
  requireSleep(): Promise<void>;
  /** Frees the memory of the server's device during a pause. Resolves to false if the weights are lost. */
  sleep(signal: AbortSignal): Promise<boolean>;
  /** Takes the memory again. */
  wake(signal: AbortSignal): Promise<void>;
  /** The LoRA adapters of the server. */
  readonly adapters: ServerAdapters;
  /** Loads an adapter, beside others. Rejects if the server has another one with this name. */
  loadAdapter(adapter: LoraAdapter, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
