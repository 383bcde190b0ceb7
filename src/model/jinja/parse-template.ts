import * as library from "@huggingface/jinja";
import type { Program } from "./ast.js";

/** The functions used of the package. Its own types do not resolve under Node's module resolution. */
interface Library {
  readonly tokenize: (source: string, options: { lstrip_blocks: boolean; trim_blocks: boolean }) => unknown;
  readonly parse: (tokens: unknown) => Program;
}

const { parse, tokenize }: Library = library;

/**
 * Parses a template as `transformers` configures Jinja2: `trim_blocks` and `lstrip_blocks`, every line end a newline.
 *
 * @throws Error on bad syntax, and on what the package does not know: `{% raw %}`, `{% include %}`, tests with arguments
 */
export function parseTemplate(source: string): Program {
  return parse(tokenize(source.replace(/\r\n?/g, "\n"), { lstrip_blocks: true, trim_blocks: true }));
}
