import type { Conversation } from "../conversation/message.js";
import type { RequestSampling } from "./sampling.js";

/** What a request asks of the model, free of its protocol. */
export interface ModelRequest {
  readonly conversation: Conversation;
  readonly sampling: RequestSampling;
  /** Whether the answer carries log probabilities. */
  readonly logprobs: boolean;
  /** Whether the answer is sent while it is generated. */
  readonly stream: boolean;
}
