import type { Conversation } from "../../conversation/message.js";
import type { NativePrompt, ParentMatch } from "../../native/contract.js";
import type { PreparedMessages } from "../../session/completed-call.js";
import { type Api } from "../../session/interaction.js";
import type { Session } from "../../session/session.js";
import type { ServerContext } from "../context.js";
import { type PromptSize } from "./prompt-size.js";
export interface BuiltPrompt {
    readonly prompt: NativePrompt;
    /** Returns the prompt's last tokens as text. A template may open the model's reasoning there. */
    readonly decodeEnd: () => string;
    /** The parent that the prompt continues token by token. */
    readonly parent?: ParentMatch;
    /** In `concat`: why the prompt does not continue its parent's tokens. Undefined if it does, or if it is a root. */
    readonly fallback?: string;
}
interface PiecesRequest {
    readonly session: Session;
    readonly conversation: Conversation;
    readonly prepared: PreparedMessages;
    readonly size: PromptSize;
    /** Tokens that prompt and output may have together. */
    readonly limit: number;
}
export interface PromptRequest extends PiecesRequest {
    readonly api: Api;
    /** The call's signal. Encoding takes a while, and the session may be freed meanwhile. */
    readonly signal: AbortSignal;
}
/**
 * Builds the prompt of a call. With `chat_template_type: concat` it is the parent's tokens as generated, followed by the new
 * messages. Without a parent, and with `hf`, the template renders all messages.
 *
 * @throws ApiError `context_length_exceeded` if there is no room for an output token
 */
export declare function buildPrompt(context: ServerContext, request: PromptRequest): Promise<BuiltPrompt>;
/** Returns the number of tokens that the prompt of this conversation would have now. It may exceed the context. */
export declare function countPromptTokens(context: ServerContext, session: Session, conversation: Conversation): Promise<number>;
export {};
