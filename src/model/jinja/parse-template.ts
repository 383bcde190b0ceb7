import * as library from "@huggingface/jinja";
import type { Program } from "./ast.js";

/** The functions of the package that are used here. Its own types do not resolve under Node's module resolution. */
interface Library {
  readonly tokenize: (source: string, options: { lstrip_blocks: boolean; trim_blocks: boolean }) => unknown;
  readonly parse: (tokens: unknown) => Program;
}

const { parse, tokenize }: Library = library;

/**
 * Parses a template with the options of `transformers`: `trim_blocks` and `lstrip_blocks`. All line ends become newlines.
 *
 * @throws Error on invalid syntax, and on syntax that the package does not support: `{% raw %}`, `{% include %}`, tests
 *   with arguments
 */
export function parseTemplate(source: string): Program {
  return parse(tokenize(source.replace(/\r\n?/g, "\n"), { lstrip_blocks: true, trim_blocks: true }));
}
