import { type Value } from "./values/value.js";
/** Names that Jinja2 reads as constants. A variable of that name is never read. */
export declare const CONSTANTS: ReadonlyMap<string, Value>;
