import type { ImageFiles } from "../conversation/content.js";
import type { Conversation } from "../conversation/message.js";
import type { RequestSampling } from "./request-sampling.js";
import type { CallRules } from "./tool-choice.js";

/** A model call's request, independent of its protocol. */
export interface ModelRequest {
  /** The model that the request names. It is recorded, but does not select a model: the policy always answers. */
  readonly model: string | undefined;
  readonly conversation: Conversation;
  /** The prompt, if the client gives it as token ids. The conversation then has no messages. */
  readonly promptIds?: Int32Array | undefined;
  /** The interaction that the request says it continues. */
  readonly previousId?: string | undefined;
  readonly sampling: RequestSampling;
  readonly calls: CallRules;
  /** Selects the tokens whose log probabilities the answer contains: none, all, or those of its text. */
  readonly logprobs: "none" | "all" | "text";
  /**
   * The answer contains the token ids of prompt and output. `streamed`: a stream also has them while they are generated. Absent: it
   * does not contain them.
   */
  readonly tokenIds?: "complete" | "streamed" | undefined;
  /** True: the answer has the routed experts of all tokens. */
  readonly routedExperts?: boolean | undefined;
  /** True: log probabilities name tokens by their ids instead of their texts. */
  readonly tokensAsIds?: boolean | undefined;
  /** Number of answers to generate for the prompt. Absent: 1. */
  readonly choices?: number | undefined;
  /** If true, the answer is sent while it is generated. */
  readonly stream: boolean;
  /** Types of the server-side tools that the prompt leaves out. */
  readonly droppedTools: readonly string[];
  /** Number of images, files and audio in the conversation, which the prompt shows as placeholders. Absent: none. */
  readonly placeholders?: number | undefined;
  /** The files of the images in the conversation. Absent: it has none. */
  readonly images?: ImageFiles | undefined;
  /** Names of the fields that have no effect; see ignored-fields.ts. Absent: none. */
  readonly ignoredFields?: readonly string[];
}
