import type { GenerationAnswer } from "../../protocols/generation-answer.js";
import type { JsonText } from "../../protocols/long-json.js";
import type { RequestEcho } from "../../protocols/responses/response.js";
import type { TokenJson } from "../../protocols/token-json.js";
import type { Steps } from "../../support/async/steps.js";
/** A response, and the fields of its request that it repeats. */
export interface StoredResponse {
    readonly answer: GenerationAnswer;
    readonly echo: RequestEcho;
}
/**
 * Returns the text form of a response, and the JSON of its tools.
 *
 * @param earlier the tools of an earlier response of the session, and the index of its interaction
 */
export declare function encodeResponse({ answer, echo }: StoredResponse, earlier: {
    readonly tools: string;
    readonly index: number;
} | undefined): {
    readonly text: JsonText;
    readonly tools: string;
};
/**
 * Decodes the JSON of a response in steps.
 *
 * @param readEarlier returns the JSON of another response of the session
 */
export declare function decodeResponse(bytes: Buffer, readEarlier: (index: number) => Steps<Buffer | undefined>, tokenJson: TokenJson): Steps<StoredResponse>;
