import type { WholeOutputFamily } from "./family.js";
import { findCallSyntax, findReasoningBlock, findWholeOutput, type OutputFamilies } from "./family-lookup.js";
import type { MessageWriter } from "./message/message-writer.js";
import type { OutputParserOptions } from "./output-parser.js";
import type { OutputCursor, Step } from "./reader/output-cursor.js";
import { isOpenAt, openAnswer, type ReasoningBlock, readReasoning } from "./reasoning/reasoning-block.js";
import type { CallContext, CallSyntax } from "./syntax/call-syntax.js";
import type { ReasoningCount } from "./tokens/reasoning-count.js";

/** How one output is read. */
export interface OutputFormat {
  /** Spellings of markers. If the vocabulary has a token with this spelling, only the token is the marker, never ordinary text. */
  readonly markers: readonly string[];
  /** Tokens that are parts of markers. They are read as text with their spelling. */
  readonly markerParts?: readonly string[];
  readonly read: (reader: OutputCursor, out: MessageWriter, count: ReasoningCount) => Step<void>;
}

/** Composes the format of an output: reasoning first, then text and tool calls. Calls in the reasoning do not count. */
export function createOutputFormat(families: OutputFamilies, options: OutputParserOptions): OutputFormat {
  const whole = findWholeOutput(families.tools) ?? findWholeOutput(families.reasoning);
  if (whole) return wholeFormat(whole, families, options);
  const syntax = findCallSyntax(families.tools);
  const calls: CallSyntax = (options.tools.length === 0 ? syntax?.textOnly : syntax) ?? NO_CALLS;
  const callMarkers = calls === syntax ? calls.markers.slice(0, 1) : [];
  const block = findReasoningBlock(families.reasoning);
  const reasoning = options.answerBegun === true ? undefined : block;
  const answer = block?.answer;
  return {
    markers: [
      ...(reasoning ? [reasoning.begin, reasoning.end] : []),
      ...(answer ? [answer.begin, answer.end] : []),
      ...calls.markers,
    ],
    markerParts: calls.markerParts ?? [],
    read: (reader, out, count) => {
      const context = makeContext(reader, out, options);
      return readParts({ context, count, reasoning, callMarkers, answer, calls, options });
    },
  };
}

/** Arguments of the generator of a format. */
interface FormatParts {
  readonly context: CallContext;
  readonly count: ReasoningCount;
  readonly reasoning: ReasoningBlock | undefined;
  readonly callMarkers: readonly string[];
  readonly answer: ReasoningBlock["answer"];
  readonly calls: CallSyntax;
  readonly options: OutputParserOptions;
}

/** Not a function in the format, which is made for every output: V8 would make hidden classes for the generators of each. */
function* readParts({ context, count, reasoning, callMarkers, answer, calls, options }: FormatParts): Step<void> {
  if (reasoning) yield* readBlock({ ...context, count }, reasoning, callMarkers, options.promptEnd);
  else count.end(0);
  if (answer) yield* openAnswer(context, answer);
  yield* calls.read(context);
}

const NO_CALLS: CallSyntax = {
  markers: [],
  *read({ reader, out }) {
    yield* reader.until(reader.markers([]), out.text);
  },
};

function* readBlock(
  { reader, out, count }: CallContext & { readonly count: ReasoningCount },
  block: ReasoningBlock,
  callMarkers: readonly string[],
  promptEnd: string,
): Step<void> {
  const ends = block.endsAtCalls ? callMarkers : [];
  yield* readReasoning({ reader, out, count, block, isOpen: isOpenAt(promptEnd, block), callMarkers: ends });
}

function wholeFormat(
  { name, output }: WholeOutputFamily,
  families: OutputFamilies,
  options: OutputParserOptions,
): OutputFormat {
  const reasoning = families.reasoning === name;
  const calls = families.tools === name && options.tools.length > 0;
  const { promptEnd } = options;
  return {
    markers: output.markers,
    read: (reader, out, count) =>
      output.read(makeContext(reader, out, options), { reasoning, calls, promptEnd, count }),
  };
}

function makeContext(reader: OutputCursor, out: MessageWriter, { tools }: OutputParserOptions): CallContext {
  return { reader, out, tools: new Map(tools.map((tool) => [tool.function.name, tool])) };
}
