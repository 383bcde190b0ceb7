import type { Steps } from "../../support/async/steps.js";
/**
 * Restores the spelling of numbers and the order of keys in the fields that a prompt can show. `JSON.parse` loses both: it
 * reads `1.0` as 1, and puts keys that look like indices first.
 *
 * @param value the parsed `text`
 */
export declare function restoreSpelling(text: string, value: unknown): Steps<unknown>;
