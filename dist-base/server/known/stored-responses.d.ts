import type { EarlierResponses } from "../../protocols/responses/request.js";
import { type RequestEcho, type ResponseBody } from "../../protocols/responses/response.js";
import type { TokenJson } from "../../protocols/token-json.js";
import type { Interaction } from "../../session/interaction.js";
import type { Session } from "../../session/session.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import { type StoredResponse } from "./response-record.js";
/** Where responses are stored, so that they survive the process. */
type ResponseRecords = Pick<SessionRegistry, "saveResponse" | "readResponse">;
/**
 * Responses that a client can retrieve or continue later, because their request had `store`. The session's tree has the
 * conversation. This class keeps the fields that the tree does not have, as long as the interaction exists.
 */
export declare class StoredResponses {
    #private;
    /** @param tokenJson writes log probabilities of the model's tokens */
    constructor(records: ResponseRecords, tokenJson: TokenJson);
    /**
     * Keeps a response if its request had `store`.
     *
     * @returns resolves when a long response was written to storage; undefined if there is nothing to wait for
     * @param echoBytes see {@link measureEcho}
     */
    keep(session: Session, interaction: Interaction, { answer, echo }: StoredResponse, echoBytes: number): Promise<void> | undefined;
    /**
     * Reads responses from disk that are not in memory. Call this before the other methods look for them. Unknown ids are ignored.
     *
     * Each step runs in a separate iteration of the event loop, because a long response takes some hundred milliseconds to read. A
     * session reads one response at a time: until it is decoded, a response takes more than twice the memory that is counted for it.
     */
    load(session: Session, ids: readonly string[]): Promise<void>;
    /**
     * Returns the response as it was sent; undefined if the session has no stored response with this id.
     *
     * @param admit called before the response is written, with the memory in bytes that it needs until it is sent. Throws to refuse it
     */
    get(session: Session, id: string, admit: (bytes: number) => void): ResponseBody | undefined;
    /** @param maxCharacters see {@link signedReasoning} */
    forSession(session: Session, maxCharacters: number): EarlierResponses;
}
/** Returns the memory that a stored response takes besides its answer, in bytes. */
export declare function measureEcho(echo: RequestEcho): number;
export {};
