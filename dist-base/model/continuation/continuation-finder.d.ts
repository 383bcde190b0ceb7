import { type Conversation } from "../../conversation/message.js";
import type { ContinuationFallback, RecordedTurn } from "../chat-model.js";
import type { ChatTemplate } from "../template/chat-template.js";
import { type TurnTokens } from "./turn-end.js";
/** Text that follows a recorded turn. */
export interface Continuation {
    readonly text: string;
    /** The token with which the turn ended, before the text; empty if the text begins with that token. */
    readonly after: string;
}
/**
 * Finds the text that follows a recorded turn without rendering the turn's history.
 *
 * It renders a short stand-in conversation instead: the leading system messages, one user message, an answer of the same
 * shape as the turn's that ends with a marker, and the new messages. The text after the marker is the end of the turn
 * and everything new.
 *
 * Only the text after the marker counts, so templates may rewrite the answer itself (drop its reasoning, format its
 * calls differently). A conversation cannot be continued if the template moves the system message or the tools after
 * the answer, if its turns do not end with a token at which the model stops, or if the new messages contain an answer.
 */
export declare class ContinuationFinder {
    #private;
    constructor(template: ChatTemplate, tokens: TurnTokens);
    /**
     * Returns the text that follows the turn, or why the conversation cannot be continued. The cost depends on the new
     * messages only, except for templates whose renderings depend on earlier turns: then these are rendered too.
     */
    find(conversation: Conversation, turn: RecordedTurn): Continuation | ContinuationFallback;
}
