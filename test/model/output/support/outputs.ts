import { Vocabulary } from "../../../../src/model/output/detokenizer/vocabulary.js";
import type { OutputFamilies } from "../../../../src/model/output/family-lookup.js";
import type {
  OutputEnd,
  OutputEvent,
  OutputParserOptions,
  ParsedOutput,
} from "../../../../src/model/output/output-parser.js";
import { TokenOutputParser } from "../../../../src/model/output/token-output-parser.js";
import { addedTokenSchema } from "../../../../src/model/tokenizer/added-token.js";
import { LibraryTokenizer } from "../../../../src/model/tokenizer/library-tokenizer.js";
import { Tokenizer } from "../../../../src/model/tokenizer/tokenizer.js";
import { type AddedTokenSpec, byteLevelTokenizer, type metaspaceTokenizer } from "../../support/bpe.js";

/** A tokenizer with its vocabulary. */
export interface TestText {
  readonly vocabulary: Vocabulary;
  readonly tokenizer: Tokenizer;
  readonly encode: (text: string) => number[];
  /** Number of ids. */
  readonly size: number;
}

type TokenizerJson = ReturnType<typeof byteLevelTokenizer | typeof metaspaceTokenizer>;

export function testText(json: TokenizerJson, decoder: unknown = json.decoder): TestText {
  const added_tokens = json.added_tokens.map((token) => addedTokenSchema.parse(token));
  const file = { ...json, added_tokens, decoder };
  const tokenizer = new Tokenizer({ tokenizer: file, config: {} }, 1 << 20);
  const size = Object.keys(json.model.vocab).length + added_tokens.length;
  const library = new LibraryTokenizer(file, {});
  const encode = (text: string): number[] =>
    library.encode(text, { add_special_tokens: false }).ids.filter((id) => id !== undefined);
  return { vocabulary: new Vocabulary(file, tokenizer), tokenizer, encode, size };
}

export const byteLevelText = (added: readonly AddedTokenSpec[]): TestText => testText(byteLevelTokenizer(added));

export const encodeText = ({ encode }: TestText, text: string): number[] => encode(text);

/** Returns a generator of reproducible numbers below `n`. */
export function numbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** Splits ids into pushes of 1 to `longest`. */
export function chunks(ids: readonly number[], next: (n: number) => number, longest = 4): Int32Array[] {
  const out: Int32Array[] = [];
  for (let at = 0; at < ids.length; ) {
    const size = 1 + next(longest);
    out.push(Int32Array.from(ids.slice(at, at + size)));
    at += size;
  }
  return out;
}

export const one = (ids: readonly number[]): Int32Array[] => ids.map((id) => Int32Array.of(id));

export const PLAIN: OutputFamilies = { tools: "none", reasoning: "none" };

export interface Reading extends ParsedOutput {
  /** The events of each push, and of the end. */
  readonly told: readonly (readonly OutputEvent[])[];
  readonly stopped: boolean;
}

/** Reads an output in these pushes. */
export function read(
  text: Pick<TestText, "vocabulary">,
  families: OutputFamilies,
  pushes: readonly Int32Array[],
  options: Partial<OutputParserOptions> = {},
  end: OutputEnd = "stop",
): Reading {
  const all = { tools: [], stop: [], stopTokenIds: [], promptEnd: "", ...options };
  const parser = new TokenOutputParser(text.vocabulary, families, all);
  const told = pushes.map((ids) => parser.push(ids));
  const { events, output } = parser.finish(end);
  return { ...output, told: [...told, events], stopped: parser.stopped };
}

/** Collects events into a message. */
export function collectMessage(events: readonly OutputEvent[]) {
  const message = { content: "", reasoning: "", calls: [] as { id: string; name: string; arguments: string }[] };
  for (const event of events) {
    if (event.type === "text") message.content += event.text;
    else if (event.type === "reasoning") message.reasoning += event.text;
    else if (event.type === "tool_call") {
      if (message.calls.length !== event.index) throw new Error("calls are not numbered in order");
      message.calls.push({ id: event.id, name: event.name, arguments: "" });
    } else {
      const call = message.calls[event.index];
      if (call === undefined || event.index !== message.calls.length - 1) throw new Error("arguments of no open call");
      call.arguments += event.text;
    }
  }
  return message;
}
