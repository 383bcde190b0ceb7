/**
 * The library's pre-tokenizers with built-in patterns use JavaScript's `\s` and `\d`. Python's `tokenizers` uses Unicode's:
 * U+0085 is white space there, U+FEFF is none, and digits of all scripts are digits.
 */
const PATTERNS = new Map([
    ["ByteLevel", () => GPT2],
    // Splits at all numeric characters, not only decimal digits.
    [
        "Digits",
        (config) => (Reflect.get(config, "individual_digits") === true ? /\P{N}+|\p{N}/gu : /\P{N}+|\p{N}+/gu),
    ],
]);
const GPT2 = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;
/**
 * Gives the pre-tokenizers of a library's tokenizer the patterns of Python's `tokenizers`. The library keeps its patterns in a
 * field of each pre-tokenizer; there is no other way to set one.
 *
 * @param step a pre-tokenizer of the library
 * @param config the same pre-tokenizer in tokenizer.json
 */
export function correctPatterns(step, config) {
    if (!isObject(step) || !isObject(config))
        return;
    const steps = Reflect.get(step, "tokenizers");
    const configs = Reflect.get(config, "pretokenizers");
    if (Array.isArray(steps) && Array.isArray(configs)) {
        for (const [index, inner] of steps.entries())
            correctPatterns(inner, configs[index]);
    }
    const pattern = PATTERNS.get(String(Reflect.get(config, "type")))?.(config);
    if (pattern !== undefined && Reflect.get(step, "pattern") instanceof RegExp)
        Reflect.set(step, "pattern", pattern);
}
/** The library's pre-tokenizers are functions with fields. */
const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
//# sourceMappingURL=library-patterns.js.map