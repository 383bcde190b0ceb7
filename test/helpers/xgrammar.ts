import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as XGrammar from "@mlc-ai/web-xgrammar";

const require = createRequire(import.meta.url);

/**
 * The package declares the wrong module kind for its file, so the file is loaded from a copy with another extension.
 */
function load(): typeof XGrammar {
  const folder = mkdtempSync(join(tmpdir(), "xgrammar-"));
  try {
    const file = join(folder, "index.cjs");
    copyFileSync(require.resolve("@mlc-ai/web-xgrammar"), file);
    return require(file) as typeof XGrammar;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const { Grammar, GrammarCompiler, GrammarMatcher, Testings, TokenizerInfo } = load();

/** Returns true if xgrammar, the grammar engine of SGLang and vLLM, accepts this text under a structural tag. */
export async function accepts(structuralTag: string, text: string): Promise<boolean> {
  const grammar = await Grammar.fromStructuralTag(structuralTag);
  try {
    return await Testings.isGrammarAcceptString(grammar, text);
  } finally {
    grammar.dispose();
  }
}

/** ASCII, control characters included, and some characters of several bytes, which markers have too. Ids are positions. */
const CHARACTERS = [...Array.from({ length: 127 }, (_, i) => String.fromCharCode(i + 1)), "é", "日", "｜", "▁"];
const STOP = CHARACTERS.length;
const VOCABULARY = [...CHARACTERS, "<|end|>"];

/** Most characters of a sample. */
const MAX_LENGTH = 2_000;

/**
 * Samples a text of a structural tag as a model without any preference does, character by character.
 *
 * @param random returns numbers in [0, 1)
 * @returns undefined if the text did not end
 */
export async function sample(structuralTag: string, random: () => number): Promise<string | undefined> {
  const tokenizer = await TokenizerInfo.createTokenizerInfo(VOCABULARY, "raw", false, VOCABULARY.length, [STOP]);
  const compiler = await GrammarCompiler.createGrammarCompiler(tokenizer, false);
  const compiled = await compiler.compileStructuralTag(structuralTag);
  const matcher = await GrammarMatcher.createGrammarMatcher(compiled);
  try {
    let text = "";
    while (text.length < MAX_LENGTH) {
      const mask = await matcher.getNextTokenBitmask();
      const allowed = VOCABULARY.flatMap((_, id) => (((mask[id >> 5] ?? 0) >> (id & 31)) & 1 ? [id] : []));
      // Free text would hardly ever end.
      const ends = allowed.filter((id) => id === STOP || '"}]<'.includes(CHARACTERS[id] ?? ""));
      const choices = ends.length > 0 && random() < 0.2 ? ends : allowed;
      const id = choices[Math.floor(random() * choices.length)];
      if (id === undefined || !matcher.acceptToken(id)) throw new Error(`The grammar has no continuation of ${text}`);
      if (id === STOP) return text;
      text += CHARACTERS[id];
    }
    return undefined;
  } finally {
    for (const object of [matcher, compiled, compiler, tokenizer]) object.dispose();
  }
}
