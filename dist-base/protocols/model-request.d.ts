import type { Conversation } from "../conversation/message.js";
import type { RequestSampling } from "./request-sampling.js";
import type { CallRules } from "./tool-choice.js";
/** A model call's request, independent of its protocol. */
export interface ModelRequest {
    /** The model that the request names. It is recorded, but does not select a model: the policy always answers. */
    readonly model: string | undefined;
    readonly conversation: Conversation;
    /** The interaction that the request says it continues. */
    readonly previousId?: string | undefined;
    readonly sampling: RequestSampling;
    readonly calls: CallRules;
    /** Selects the tokens whose log probabilities the answer contains: none, all, or those of its text. */
    readonly logprobs: "none" | "all" | "text";
    /** Number of answers to generate for the prompt. Absent: 1. */
    readonly choices?: number | undefined;
    /** If true, the answer is sent while it is generated. */
    readonly stream: boolean;
    /** Types of the server-side tools that the prompt leaves out. */
    readonly droppedTools: readonly string[];
    /** Number of images, files and audio in the conversation, which the prompt shows as placeholders. Absent: none. */
    readonly placeholders?: number | undefined;
}
