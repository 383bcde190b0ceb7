import { Tokenizer } from "@huggingface/tokenizers";

/**
 * The part of @huggingface/tokenizers 0.2.0 that is used here. Its own types do not resolve under Node's module resolution.
 */
interface Library {
  encode(text: string, options: { add_special_tokens: boolean }): { readonly ids: readonly (number | undefined)[] };
  /** Throws if there are no ids. */
  decode(
    ids: readonly number[],
    options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean },
  ): string;
  token_to_id(token: string): number | undefined;
  id_to_token(id: number): string | undefined;
  /** A `Sequence` has `tokenizers`. Those of type `Split` have their pattern as a JavaScript regular expression. */
  readonly pre_tokenizer: { readonly tokenizers?: readonly { readonly pattern?: RegExp }[] } | null;
}

const LibraryBase = Tokenizer as unknown as new (tokenizer: object, config: object) => Library;

/** The library's tokenizer, which splits text like Python's `tokenizers`. */
export class LibraryTokenizer extends LibraryBase {
  /**
   * @param tokenizer tokenizer.json
   * @param config tokenizer_config.json
   */
  constructor(tokenizer: object, config: object) {
    super(tokenizer, config);
    correctPatterns(this.pre_tokenizer, Reflect.get(tokenizer, "pre_tokenizer"));
  }
}

/**
 * The library's pre-tokenizers with built-in patterns use JavaScript's `\s` and `\d`. Python's `tokenizers` uses Unicode's:
 * U+0085 is white space there, U+FEFF is none, and digits of all scripts are digits.
 */
const PATTERNS: ReadonlyMap<string, (config: object) => RegExp> = new Map([
  ["ByteLevel", () => GPT2],
  // Splits at all numeric characters, not only decimal digits.
  [
    "Digits",
    (config: object) => (Reflect.get(config, "individual_digits") === true ? /\P{N}+|\p{N}/gu : /\P{N}+|\p{N}+/gu),
  ],
]);

const GPT2 =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

/**
 * Gives the pre-tokenizers of a library's tokenizer the patterns of Python's `tokenizers`. The library keeps its patterns in a
 * field of each pre-tokenizer; there is no other way to set one.
 *
 * @param step a pre-tokenizer of the library
 * @param config the same pre-tokenizer in tokenizer.json
 */
function correctPatterns(step: unknown, config: unknown): void {
  if (!isObject(step) || !isObject(config)) return;
  const steps: unknown = Reflect.get(step, "tokenizers");
  const configs: unknown = Reflect.get(config, "pretokenizers");
  if (Array.isArray(steps) && Array.isArray(configs)) {
    for (const [index, inner] of steps.entries()) correctPatterns(inner, configs[index]);
  }
  const pattern = PATTERNS.get(String(Reflect.get(config, "type")))?.(config);
  if (pattern !== undefined && Reflect.get(step, "pattern") instanceof RegExp) Reflect.set(step, "pattern", pattern);
}

/** The library's pre-tokenizers are functions with fields. */
const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";
