import type { Message } from "../conversation/message.js";
/** Messages, and the beginning of the answer if the request contains it. */
export interface Prefilled {
    readonly messages: readonly Message[];
    readonly prefill?: string;
}
/**
 * Removes the assistant's last message, which the model continues, and returns it as `prefill`. An empty one is dropped.
 *
 * @param param the field that errors name
 * @throws RequestError if the model cannot continue the last message
 */
export declare function splitPrefill(messages: readonly Message[], param: string): Prefilled;
