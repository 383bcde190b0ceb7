import type { EngineReply } from "../../native/contract.js";
import type { GenerateCall, LogprobContent, PauseMode } from "../engine.js";

/** One server of an engine. */
export interface EngineServer {
  readonly url: string;
  /**
   * Sends one request for what is left of the call: prompt and generation so far, and the rest of the token budget. The
   * sampled tokens go to the call's generation.
   *
   * @throws NotStartedError where the server did not begin with it, so that another one may.
   */
  request(call: GenerateCall, signal: AbortSignal): Promise<EngineReply>;
  /** What its log probabilities include; undefined if that is not known yet. */
  readonly logprobs: LogprobContent | undefined;
  /**
   * Finds out what its log probabilities include. To be called after the server has answered a request.
   *
   * @param call one that the server answered
   * @returns `unknown` if the server does not tell; never rejects.
   */
  findLogprobs(call: GenerateCall): Promise<LogprobContent>;
  /** Tokens of prompt and output together that one call may have. */
  contextLength(): Promise<number>;
  /** Resolves when the server takes requests. */
  health(signal?: AbortSignal): Promise<void>;
  pause(mode: PauseMode): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}
