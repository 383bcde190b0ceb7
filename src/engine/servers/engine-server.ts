import type { EngineReply } from "../../native/contract.js";
import type { GenerateCall, LogprobContent, PauseMode } from "../engine.js";

/** A call, as one of its requests. */
export interface ServerCall extends GenerateCall {
  /** Called instead of `onTokens`. @throws StopReached if the output is complete but the server would continue. */
  readonly received?: () => void;
}

/** State of a weight update, as the server reports it. A field is undefined if the server does not report it. */
export interface WeightUpdate {
  readonly paused?: boolean | undefined;
  readonly version?: number | undefined;
}

/** One server of an engine. */
export interface EngineServer {
  readonly url: string;
  /**
   * Sends one request for what is left of the call: prompt and generation so far, and the rest of the token budget. The
   * sampled tokens go to the call's generation.
   *
   * @throws NotStartedError if the server did not begin with it, so that another one may get it.
   */
  request(call: ServerCall, signal: AbortSignal): Promise<EngineReply>;
  /** What its log probabilities include; undefined if that is not known yet. */
  readonly logprobs: LogprobContent | undefined;
  /**
   * Finds out what its log probabilities include. To be called after the server has answered a request.
   *
   * @param call one that the server answered
   * @returns `unknown` if the server does not tell; never rejects.
   */
  findLogprobs(call: GenerateCall): Promise<LogprobContent>;
  /** Rejects unless the server has the model that requests name. Absent if requests name none. */
  requireModel?(): Promise<void>;
  /** Tokens of prompt and output together that one call may have. */
  contextLength(): Promise<number>;
  /** Asks whether the server is being updated; never rejects. Absent if it does not tell. */
  weightUpdate?(): Promise<WeightUpdate>;
  /** Resolves when the server answers. Generates nothing, and does not wait for a generation or for the end of a pause. */
  health(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when the part of the server that runs generations answers, for servers whose {@link health} does not ask it.
   * It may take as long as one step of the model, such as a piece of a long prompt.
   */
  schedulerHealth?(signal?: AbortSignal): Promise<void>;
  pause(mode: PauseMode): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}
