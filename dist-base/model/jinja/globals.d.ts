import { type Value } from "./values/value.js";
/** Returns the global variables of Jinja2 and `transformers`. `strftime_now` formats the time that `now` returns. */
export declare function globalVariables(now: () => Date): ReadonlyMap<string, Value>;
