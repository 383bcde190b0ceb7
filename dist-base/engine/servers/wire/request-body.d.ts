import type { GenerateCall } from "../../engine.js";
/** The JSON body of a request. */
export interface RequestBody {
    readonly body: Buffer;
    /** Called when the operating system has all bytes of the body. Without it, the body's memory is freed then. */
    readonly onSent?: (() => void) | undefined;
}
/**
 * Returns a request's JSON: `prefix`, the ids of prompt and generation so far, `suffix`. The ids that an earlier request of
 * the conversation had are not written again.
 */
export declare function requestBody(call: GenerateCall, prefix: string, suffix: string): Promise<RequestBody>;
