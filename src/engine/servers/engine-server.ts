import type { EngineReply } from "../../native/contract.js";
import type { GenerateCall, PauseMode } from "../engine.js";

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
  /** Tokens of prompt and output together that one call may have. */
  contextLength(): Promise<number>;
  /** Resolves when the server takes requests. */
  health(signal?: AbortSignal): Promise<void>;
  pause(mode: PauseMode): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}
