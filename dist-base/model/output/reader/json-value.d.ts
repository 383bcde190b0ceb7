import type { OutputReader, Step } from "./reader.js";
/**
 * Reads white space and one JSON value, whose spelling does not change.
 *
 * @param onText takes the value's text as it arrives
 * @returns true if the value is complete; otherwise the next text is not JSON
 */
export declare function readJsonValue(reader: OutputReader, onText: (text: string) => void): Step<boolean>;
/** Reads a JSON string; undefined if something else comes next. */
export declare function readJsonString(reader: OutputReader): Step<string | undefined>;
