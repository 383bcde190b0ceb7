import type { JsonText } from "../long-json.js";
/** Writes JSON in one line, as an event must have it. Arguments of calls are inserted as the model wrote them, in any number of lines. */
export declare function toOneLine(json: JsonText): JsonText;
