// Compares Rolltape's tokenizer with Python's `tokenizers` (0.23.2 is needed) on the texts of test/model/tokenizer/corpus.ts.
//
//   npm run test:tokens               prints the ids of each text whose ids or decoded texts are not Python's; exit status 1
//   npm run test:tokens -- NAME…      the same for some tokenizers only
//   npm run test:tokens -- --update   writes what Python says to test/fixtures/tokenizers
//
// PYTHON names the interpreter; python3 by default.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Tokenizer } from "../src/model/tokenizer/tokenizer.js";
import {
  digestTokens,
  PUBLISHED_TOKENIZERS,
  type PublishedTokenizer,
  publishedTokenizerFiles,
  type Tokenized,
  tokenizerPath,
  tokensPath,
} from "../test/model/support/published-tokenizers.js";
import { CORPUS, SAMPLES } from "../test/model/tokenizer/corpus.js";
import { tokenizeAll } from "../test/model/tokenizer/tokenize-all.js";
import { runPython } from "./run-python.js";

const PROGRAM = fileURLToPath(new URL("../test/fixtures/tokenizers/encode.py", import.meta.url));

const print = (line: string) => void process.stdout.write(`${line}\n`);
const chosen = process.argv.slice(2);
const names = PUBLISHED_TOKENIZERS.filter((name) => !chosen.some((a) => !a.startsWith("--")) || chosen.includes(name));
for (const name of names) {
  const theirs = tokenizeWithPython(name);
  if (chosen.includes("--update")) update(name, theirs);
  else compare(name, await tokenizeAll(new Tokenizer(publishedTokenizerFiles(name), 1 << 24), CORPUS), theirs);
}

function tokenizeWithPython(name: PublishedTokenizer): Tokenized[] {
  const needed = { module: "tokenizers", install: "install it (pip install tokenizers==0.23.2)" };
  return runPython<Tokenized[]>(needed, [PROGRAM], { file: tokenizerPath(name), texts: CORPUS });
}

function update(name: PublishedTokenizer, theirs: readonly Tokenized[]): void {
  const samples = theirs.slice(0, SAMPLES.length).map(([ids]) => JSON.stringify(ids));
  const digests = theirs.map(digestTokens).join("");
  writeFileSync(tokensPath(name), `{"samples": [\n${samples.join(",\n")}\n],\n"digests": "${digests}"}\n`);
  print(`${name}: ids of ${samples.length} texts and digests of ${theirs.length} are written`);
}

function compare(name: PublishedTokenizer, ours: readonly Tokenized[], theirs: readonly Tokenized[]): void {
  let different = 0;
  for (const [i, text] of CORPUS.entries()) {
    const [our, their] = [JSON.stringify(ours[i]), JSON.stringify(theirs[i])];
    if (our === their) continue;
    different++;
    print(`${name}: ${JSON.stringify(text)}\n  Python   ${their}\n  Rolltape ${our}`);
  }
  print(`${name}: ${CORPUS.length - different} texts are identical, ${different} differ`);
  if (different > 0) process.exitCode = 1;
}
