import { link, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A copy of the tiny model that reasons between `<think>` and `</think>`. */
export interface ThinkingModel extends AsyncDisposable {
  readonly folder: string;
  readonly begin: readonly number[];
  readonly end: readonly number[];
}

interface TokenizerFile {
  readonly added_tokens: readonly object[];
  readonly model: { readonly vocab: Record<string, number>; merges: readonly (string | readonly [string, string])[] };
}

/** The last ordinary tokens, which the markers replace. */
const MARKERS = { "<think>": 507, "</think>": 508 } as const;

/**
 * Writes the copy. The chat template begins the reasoning if `enable_thinking` is set.
 *
 * @param options `one`: each marker is one token, as in most models. Otherwise each has several tokens
 */
export async function makeThinkingModel(model: string, options: { readonly one: boolean }): Promise<ThinkingModel> {
  const folder = await mkdtemp(join(tmpdir(), "rolltape-thinking-"));
  for (const name of ["config.json", "generation_config.json", "model.safetensors"]) {
    await link(join(model, name), join(folder, name)).catch(async () =>
      writeFile(join(folder, name), await readFile(join(model, name))),
    );
  }
  const config = await readFile(join(model, "tokenizer_config.json"), "utf8");
  const opened = JSON.parse(config) as { chat_template: string };
  opened.chat_template = `${opened.chat_template}{%- if enable_thinking and add_generation_prompt %}{{ '<think>' }}{%- endif %}`;
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(opened));
  const tokenizer = JSON.parse(await readFile(join(model, "tokenizer.json"), "utf8")) as TokenizerFile;
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(options.one ? withMarkers(tokenizer) : tokenizer));
  const ids = options.one
    ? { begin: [MARKERS["<think>"]], end: [MARKERS["</think>"]] }
    : { begin: idsOf(tokenizer, ["<think", ">"]), end: idsOf(tokenizer, ["</", "think", ">"]) };
  return { folder, ...ids, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

function withMarkers({ added_tokens, model, ...rest }: TokenizerFile): object {
  const replaced = new Set<number>(Object.values(MARKERS));
  const isGone = (text: string) => replaced.has(model.vocab[text] ?? -1);
  const vocab = Object.fromEntries(Object.entries(model.vocab).filter(([, id]) => !replaced.has(id)));
  const merges = model.merges.filter((merge) => {
    const [left = "", right = ""] = typeof merge === "string" ? merge.split(" ") : merge;
    return ![left, right, left + right].some(isGone);
  });
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: false };
  const markers = Object.entries(MARKERS).map(([content, id]) => ({ id, content, ...flags }));
  return { ...rest, added_tokens: [...markers, ...added_tokens], model: { ...model, vocab, merges } };
}

const idsOf = ({ model }: TokenizerFile, tokens: readonly string[]): number[] =>
  tokens.map((token) => model.vocab[token] ?? Number.NaN);
