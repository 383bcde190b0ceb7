import { z } from "zod";
/** OpenAI's own limits: pairs, characters of a key, characters of a value. */
const MAX_PAIRS = 16;
const MAX_KEY_LENGTH = 64;
const MAX_VALUE_LENGTH = 512;
/** Characters of a key that an error shows. */
const SHOWN_LENGTH = 64;
/** `metadata` of a request: an agent's own notes on a call. They do not change the result. */
export const metadata = z
    .record(z.string(), z.string().max(MAX_VALUE_LENGTH, `must have at most ${MAX_VALUE_LENGTH} characters`))
    .superRefine((pairs, context) => {
    const keys = Object.keys(pairs);
    const refuse = (message) => context.addIssue({ code: "custom", message });
    if (keys.length > MAX_PAIRS)
        return refuse(`must have at most ${MAX_PAIRS} pairs; received ${keys.length}`);
    const long = keys.find((key) => key.length > MAX_KEY_LENGTH);
    if (long === undefined)
        return;
    const shown = long.slice(0, SHOWN_LENGTH);
    refuse(`keys must have at most ${MAX_KEY_LENGTH} characters; received ${long.length} ("${shown}…")`);
})
    .describe(`At most ${MAX_PAIRS} pairs; keys have at most ${MAX_KEY_LENGTH} characters and values at most ${MAX_VALUE_LENGTH}.`);
//# sourceMappingURL=metadata.js.map