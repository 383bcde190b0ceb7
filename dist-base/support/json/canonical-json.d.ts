import { type Steps } from "../async/steps.js";
/**
 * Returns the same text for all JSON texts of the same value: no white space, keys sorted by UTF-16 code units, numbers
 * as exact decimals. Numbers are not rounded, so that 12345678901234567890 and 12345678901234567891 differ.
 *
 * @returns undefined if the text is not JSON
 */
export declare function canonicalJson(text: string): string | undefined;
/** {@link canonicalJson} in steps, for texts of tens of thousands of values. */
export declare function canonicalJsonInSteps(text: string): Steps<string | undefined>;
