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

/** Cuts a text into the words that BPE works on. */
export interface WordSplitter {
  words(text: string): readonly string[];
  /** Whether a word always ends between an ASCII letter and a space with another behind it, whatever else there is. */
  readonly endsBeforeSpaces: boolean;
}

/**
 * The words of a pre-tokenizer that splits by regular expressions and then spells bytes, as those of GPT-2's
 * descendants do.
 *
 * @returns undefined for a pre-tokenizer of another kind
 */
export function wordSplitterFor(preTokenizer: unknown): WordSplitter | undefined {
  const parsed = preTokenizerSchema.safeParse(preTokenizer);
  if (!parsed.success) return undefined;
  const steps = parsed.data.pretokenizers;
  const isBytesLast = steps.findIndex((step) => step.type === "ByteLevel") === steps.length - 1;
  const patterns = isBytesLast ? patternsOf(preTokenizer).slice(0, -1) : [];
  const [first, ...rest] = patterns.filter((pattern) => pattern !== undefined);
  if (first === undefined || rest.length + 2 !== steps.length) return undefined;
  return {
    words: (text) => rest.reduce((words, pattern) => words.flatMap((word) => split(word, pattern)), split(text, first)),
    endsBeforeSpaces: steps.every((step) => step.type === "ByteLevel" || KNOWN_PATTERNS.has(step.pattern.Regex)),
  };
}

const CASED =
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+SUFFIX|" +
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*SUFFIX";
const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const SPACES = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const UNCASED = (digits: string): string =>
  `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${SPACES}`;

// The patterns of published models, for which that is known: Qwen, Llama 3 and GLM, gpt-oss, Mistral, DeepSeek V3.
const KNOWN_PATTERNS: ReadonlySet<string> = new Set([
  UNCASED("\\p{N}"),
  UNCASED("\\p{N}{1,3}"),
  `${CASED.replaceAll("SUFFIX", `${CONTRACTIONS}?`)}|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${SPACES}`,
  `${CASED.replaceAll("SUFFIX", "")}|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${SPACES}`,
  "\\p{N}{1,3}",
  "[一-龥぀-ゟ゠-ヿ]+",
  "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|" +
    "\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
]);

/** The library knows how to write Oniguruma's regular expressions in JavaScript; an empty vocabulary costs nothing. */
function patternsOf(preTokenizer: unknown): readonly (RegExp | undefined)[] {
  const model = { type: "BPE", vocab: {}, merges: [] };
  const empty = { added_tokens: [], normalizer: null, pre_tokenizer: preTokenizer, model };
  const library = new LibraryTokenizer({ ...empty, post_processor: null, decoder: null }, {});
  return library.pre_tokenizer?.tokenizers?.map((step) => step.pattern) ?? [];
}

/** What matches and what lies between, in order; nothing is empty. */
function split(text: string, pattern: RegExp): string[] {
  const matches = text.match(pattern) ?? [];
  if (matches.reduce((length, match) => length + match.length, 0) === text.length) {
    return matches.filter((match) => match !== "");
  }
  const words: string[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (end < index) words.push(text.slice(end, index));
    if (match !== "") words.push(match);
    end = index + match.length;
  }
  if (end < text.length) words.push(text.slice(end));
  return words;
}
