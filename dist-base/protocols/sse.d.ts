import type { JsonText } from "./long-json.js";
/** Writes a server-sent event without a name, as in OpenAI's chat completions. */
export declare function dataEvent(value: unknown): JsonText;
/** Writes an event without a name around JSON of one line. */
export declare function dataLine(json: JsonText): JsonText;
/** Writes a server-sent event that is named after its `type`. */
export declare function typedEvent(value: {
    readonly type: string;
    readonly [field: string]: unknown;
}): JsonText;
/** A comment, which clients ignore. */
export declare const KEEP_ALIVE_COMMENT = ": keep-alive\n\n";
