import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as XGrammar from "@mlc-ai/web-xgrammar";

const require = createRequire(import.meta.url);

/** Loads xgrammar from a copy with another file name, because the package declares a wrong module type for its file. */
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

const { Grammar, Testings } = load();

/** Returns true if xgrammar, the grammar engine of SGLang and vLLM, accepts a text under a structural tag. */
export async function accepts(structuralTag: string, text: string): Promise<boolean> {
  const grammar = await Grammar.fromStructuralTag(structuralTag);
  try {
    return await Testings.isGrammarAcceptString(grammar, text);
  } finally {
    grammar.dispose();
  }
}
