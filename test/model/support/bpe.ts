/** A token added to a vocabulary, with Hugging Face's flags. */
export interface AddedTokenSpec {
  readonly content: string;
  readonly special?: boolean;
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
  readonly normalized?: boolean;
}

const CORPUS = `the quick brown fox jumps over the lazy dog and the weather in Paris is sunny today, said the assistant to
the user; {"name": "get_weather", "arguments": {"city": "Paris"}} function call result error value return import
one two three four hundred 1234567890 tokens of text that the tokenizer trains on again and again and again`;

const PATTERN =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/** GPT-2's spelling of bytes as printable characters. */
function byteCharacters(): string[] {
  const printable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++));
}

/** Learns merges in the simplest way: it repeatedly merges the most frequent pair of neighbours. */
function learnMerges(words: string[][], count: number): [string, string][] {
  const merges: [string, string][] = [];
  while (merges.length < count) {
    const pairs = new Map<string, number>();
    for (const word of words) {
      for (let i = 0; i + 1 < word.length; i++) {
        const pair = `${word[i]}\u0000${word[i + 1]}`;
        pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
      }
    }
    const best = [...pairs].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0];
    if (best === undefined || best[1] < 2) break;
    const [left = "", right = ""] = best[0].split("\u0000");
    merges.push([left, right]);
    for (const word of words) {
      for (let i = 0; i + 1 < word.length; i++) {
        if (word[i] === left && word[i + 1] === right) word.splice(i, 2, left + right);
      }
    }
  }
  return merges;
}

function addedTokens(specs: readonly AddedTokenSpec[], firstId: number) {
  return specs.map((spec, index) => ({
    id: firstId + index,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
    ...spec,
  }));
}

/** Returns the tokenizer.json of a small byte-level BPE, as in GPT-2's successors. */
export function byteLevelTokenizer(added: readonly AddedTokenSpec[], normalizer: object | null = { type: "NFC" }) {
  const bytes = byteCharacters();
  const spell = (text: string): string[] => [...Buffer.from(text)].map((byte) => bytes[byte] ?? "");
  const merges = learnMerges((CORPUS.match(/ ?\S+/g) ?? []).map(spell), 200);
  const tokens = [...new Set([...bytes, ...merges.map((pair) => pair.join(""))])];
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: addedTokens(added, tokens.length),
    normalizer,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: PATTERN }, behavior: "Isolated", invert: false },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: "",
      end_of_word_suffix: "",
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: merges.map((pair) => pair.join(" ")),
    },
  };
}

/** Returns the tokenizer.json of a small SentencePiece-like BPE, which adds a space only before the first section of a text. */
export function metaspaceTokenizer(added: readonly AddedTokenSpec[]) {
  const letters = [...new Set('▁abcdefghijklmnopqrstuvwxyz0123456789.,{}":')];
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
  const merges = learnMerges(
    (CORPUS.toLowerCase().match(/\S+/g) ?? []).map((word) => Array.from(`▁${word}`)),
    80,
  );
  const tokens = [
    "<unk>",
    ...bytes,
    ...new Set([...letters, ...merges.flat(), ...merges.map((pair) => pair.join(""))]),
  ];
  const base = byteLevelTokenizer([]);
  return {
    ...base,
    added_tokens: addedTokens(added, tokens.length),
    normalizer: null,
    pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "first", split: false },
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: "▁" }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
      ],
    },
    model: {
      ...base.model,
      unk_token: "<unk>",
      byte_fallback: true,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: merges.map((pair) => pair.join(" ")),
    },
  };
}
