import type { EncodedText } from "../../model/tokenizer/encoded-text.js";
import type { KnownBody } from "./known-body.js";
import type { KnownPromptText } from "./prompt-texts.js";
import { Recent } from "./recent.js";
/** The newest requests of all sessions, within a limit of memory. */
export declare class KnownRequests {
    readonly bodies: Recent<KnownBody>;
    readonly prompts: Recent<EncodedText>;
    readonly promptTexts: Recent<KnownPromptText>;
    /** @param maxBytes 0 keeps nothing */
    constructor(maxBytes: number);
    get bytes(): number;
    /** Drops everything. Then the next request of each session is processed completely. */
    clear(): void;
    sweep(): void;
}
