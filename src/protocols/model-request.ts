import type { Conversation } from "../conversation/message.js";
import type { RequestSampling } from "./sampling.js";
import type { CallRules } from "./tools.js";

/** What a request asks of the model, free of its protocol. */
export interface ModelRequest {
  /** The model that the request names. Whatever it is, the policy answers. */
  readonly model: string | undefined;
  readonly conversation: Conversation;
  /** The interaction that the request names as the one it goes on from. */
  readonly previousId?: string | undefined;
  readonly sampling: RequestSampling;
  readonly calls: CallRules;
  /** Of which tokens the answer carries log probabilities: of all, or of those of its text. */
  readonly logprobs: "none" | "all" | "text";
  /** Whether the answer is sent while it is generated. */
  readonly stream: boolean;
}
