import { byteLevelTokenizer } from "../support/bpe.js";

const GPT2 = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
const digits = (individual: boolean) => ({ type: "Digits", individual_digits: individual });

/** Pre-tokenizers with built-in patterns, by models that have them. */
export const TOKENIZERS: Readonly<Record<string, object>> = {
  "GPT-NeoX": GPT2,
  "SmolLM2 and StarCoder2": { type: "Sequence", pretokenizers: [digits(true), GPT2] },
  "groups of digits": { type: "Sequence", pretokenizers: [digits(false), GPT2] },
  Falcon: {
    type: "Sequence",
    pretokenizers: [
      { type: "Punctuation", behavior: "Contiguous" },
      GPT2,
      digits(false),
      { type: "Split", pattern: { Regex: "[0-9][0-9][0-9]" }, behavior: "Isolated", invert: false },
    ],
  },
  "a space before the text": { ...GPT2, add_prefix_space: true },
};

/** Texts whose ids depend on what is white space and what is a digit. */
export const TEXTS: readonly string[] = [
  "!\ufeff? a\ufeffb \ufeff the",
  "!\u0085? a\u0085\u0085the \u0085 the",
  "the\u00a0\u2003weather\u3000\u2028 in",
  "!\u001c?!\u180e?!\u200b?",
  "x\u00b2\u00b3 \u00bd\u0663\u0664 12\u2167 1234567",
  "it's, we'll \t\n  the  weather\r\n\r\n",
  "\u00e9\u00f2\u00b9 caf\u00e9",
];

/** A byte-level BPE with this pre-tokenizer, and with merges between the bytes that the patterns divide or keep together. */
export function tokenizerWith(preTokenizer: object) {
  const base = byteLevelTokenizer([], null);
  // "!" and "?" with the bytes of U+FEFF (ï»¿), U+0085 (Âħ), U+001C (Ļ), U+180E (áłİ) and U+200B (âĢĭ); ² and ³ (Â², Â³).
  const merges = [
    "! ï",
    "¿ ?",
    "! Â",
    "ħ ?",
    "! Ļ",
    "! á",
    "! â",
    "² Â",
    "£ Ù",
    "Ã ²",
    "¹ Ġ",
    "Ġ ï",
    "Ġ Â",
    "¿ b",
    "Ġ Ġ",
  ];
  const { vocab } = base.model;
  const added = Object.fromEntries(
    merges.map((pair, index) => [pair.replace(" ", ""), Object.keys(vocab).length + index]),
  );
  const model = { ...base.model, vocab: { ...vocab, ...added }, merges: [...base.model.merges, ...merges] };
  return { ...base, pre_tokenizer: preTokenizer, model };
}
