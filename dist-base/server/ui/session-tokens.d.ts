import type { Session } from "../../session/session.js";
import { BatchTokens } from "../../view/tokens/batch-tokens.js";
/**
 * The tokens of the sessions that were looked at last. They are packed as a tree, off the event loop: one block has every token of
 * the session once.
 */
export declare class SessionTokens {
    #private;
    /** Returns the tokens of a session, whose data must be loaded; undefined if it has none. */
    read(session: Session): Promise<BatchTokens | undefined>;
}
