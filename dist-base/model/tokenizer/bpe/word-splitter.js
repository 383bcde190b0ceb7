import { z } from "zod";
import { LibraryTokenizer } from "../library-tokenizer.js";
const splitSchema = z.object({
    type: z.literal("Split"),
    pattern: z.object({ Regex: z.string() }),
    behavior: z.literal("Isolated"),
    invert: z.literal(false).optional(),
});
const byteLevelSchema = z.object({
    type: z.literal("ByteLevel"),
    add_prefix_space: z.literal(false),
    use_regex: z.literal(false),
});
const preTokenizerSchema = z.object({
    type: z.literal("Sequence"),
    pretokenizers: z.tuple([splitSchema], z.union([splitSchema, byteLevelSchema])),
});
/**
 * Creates a splitter for a pre-tokenizer that splits by regular expressions and then spells bytes, like GPT-2 and its
 * successors.
 *
 * @returns undefined for other pre-tokenizers
 */
export function createWordSplitter(preTokenizer) {
    const parsed = preTokenizerSchema.safeParse(preTokenizer);
    if (!parsed.success)
        return undefined;
    const steps = parsed.data.pretokenizers;
    const isBytesLast = steps.findIndex((step) => step.type === "ByteLevel") === steps.length - 1;
    const patterns = isBytesLast ? readPatterns(preTokenizer).slice(0, -1) : [];
    const [first, ...rest] = patterns.filter((pattern) => pattern !== undefined);
    if (first === undefined || rest.length + 2 !== steps.length)
        return undefined;
    return {
        words: (text) => rest.reduce((words, pattern) => words.flatMap((word) => split(word, pattern)), split(text, first)),
        endsBeforeSpaces: steps.every((step) => step.type === "ByteLevel" || KNOWN_PATTERNS.has(step.pattern.Regex)),
    };
}
const CASED = "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+SUFFIX|" +
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*SUFFIX";
const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const SPACES = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const UNCASED = (digits) => `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${SPACES}`;
// Patterns for which `endsBeforeSpaces` is known to hold: those of Qwen, Llama 3 and GLM, gpt-oss, Mistral, DeepSeek V3.
const KNOWN_PATTERNS = new Set([
    UNCASED("\\p{N}"),
    UNCASED("\\p{N}{1,3}"),
    `${CASED.replaceAll("SUFFIX", `${CONTRACTIONS}?`)}|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${SPACES}`,
    `${CASED.replaceAll("SUFFIX", "")}|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${SPACES}`,
    "\\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|" +
        "\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
]);
/**
 * Returns the JavaScript regular expressions of a pre-tokenizer, which are written for Oniguruma in tokenizer.json. The
 * library translates them: a tokenizer with an empty vocabulary is created for this.
 */
function readPatterns(preTokenizer) {
    const model = { type: "BPE", vocab: {}, merges: [] };
    const empty = { added_tokens: [], normalizer: null, pre_tokenizer: preTokenizer, model };
    const library = new LibraryTokenizer({ ...empty, post_processor: null, decoder: null }, {});
    return library.pre_tokenizer?.tokenizers?.map((step) => step.pattern) ?? [];
}
/** Returns the matches and the texts between them, in order, without empty ones. */
function split(text, pattern) {
    const matches = text.match(pattern) ?? [];
    if (matches.reduce((length, match) => length + match.length, 0) === text.length) {
        return matches.filter((match) => match !== "");
    }
    const words = [];
    let end = 0;
    for (const { 0: match, index } of text.matchAll(pattern)) {
        if (end < index)
            words.push(text.slice(end, index));
        if (match !== "")
            words.push(match);
        end = index + match.length;
    }
    if (end < text.length)
        words.push(text.slice(end));
    return words;
}
//# sourceMappingURL=word-splitter.js.map