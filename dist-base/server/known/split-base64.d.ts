import type { Steps } from "../../support/async/steps.js";
/**
 * Bytes of base64 that are handled in one step, in less than a millisecond. A multiple of four, so that each part can be decoded
 * alone.
 */
export declare const STEP_BYTES: number;
/** A JSON text whose long strings were taken out. */
export interface SplitJson {
    /** The JSON, with the index of each base64 text instead of the text. */
    readonly json: string;
    /** The base64 texts, as views of the bytes. */
    readonly base64: readonly Buffer[];
}
/** Takes the base64 out of the JSON of a stored response. `JSON.parse` of all of it would stall the event loop. */
export declare function splitBase64(bytes: Buffer): Steps<SplitJson>;
/** Returns the bytes of a base64 text. */
export declare function decodeBase64(text: Buffer): Steps<ArrayBuffer>;
