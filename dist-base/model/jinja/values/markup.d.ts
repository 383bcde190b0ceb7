import { type Text, type Value } from "./value.js";
/** `markupsafe.escape(value)`: escapes text for HTML, unless it is markup already. */
export declare function escape(value: Value): string;
/** Returns a text that was derived from `source`, as markup if `source` is markup. */
export declare function textLike(source: Value, text: string): Text;
