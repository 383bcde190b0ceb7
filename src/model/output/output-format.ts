import { HARMONY_MARKERS, readHarmony } from "./harmony.js";
import { KIMI_K3_MARKERS, readKimiK3 } from "./kimi-k3.js";
import type { MessageWriter } from "./message/message-writer.js";
import type { OutputParserOptions } from "./output-parser.js";
import type { OutputReader, Step } from "./reader/reader.js";
import { REASONING_FAMILIES } from "./reasoning/families.js";
import { isOpenAt, type ReasoningSyntax, readReasoning } from "./reasoning/reasoning-syntax.js";
import type { ReasoningCount } from "./tokens/reasoning-count.js";
import { TOOL_FAMILIES } from "./tools/families.js";
import type { ToolContext, ToolSyntax } from "./tools/tool-syntax.js";

/** Families whose whole output has a form of its own. */
export type FormatFamily = "gpt_oss" | "kimi_k3";
export type ToolFamily = keyof typeof TOOL_FAMILIES | FormatFamily;
export type ReasoningFamily = keyof typeof REASONING_FAMILIES | FormatFamily;

/** The families whose markers are looked for in a model's outputs; `none` leaves them in the text. */
export interface OutputFamilies {
  readonly tools: ToolFamily | "none";
  readonly reasoning: ReasoningFamily | "none";
}

/** How one output is to be read. */
export interface OutputFormat {
  /** Spellings that mean something; where the vocabulary has tokens of them, those and no other text. */
  readonly markers: readonly string[];
  /** Tokens that are parts of markers: they count as the text that they are spelled with. */
  readonly spelled?: readonly string[];
  readonly read: (reader: OutputReader, out: MessageWriter, count: ReasoningCount) => Step<void>;
}

/** Reasoning first, then text and tool calls: what looks like a call in the reasoning is none. */
export function outputFormat(families: OutputFamilies, options: OutputParserOptions): OutputFormat {
  const contextOf = (reader: OutputReader, out: MessageWriter): ToolContext => ({
    reader,
    out,
    tools: new Map(options.tools.map((tool) => [tool.function.name, tool])),
  });
  const { tools: toolFamily, reasoning: reasoningFamily } = families;
  if (isFormat(toolFamily)) return wholeFormat(toolFamily, families, options, contextOf);
  if (isFormat(reasoningFamily)) return wholeFormat(reasoningFamily, families, options, contextOf);
  const tools = toolFamily === "none" || options.tools.length === 0 ? NO_CALLS : TOOL_FAMILIES[toolFamily];
  const hasReasoning = reasoningFamily !== "none" && options.answerBegun !== true;
  const reasoning = hasReasoning ? REASONING_FAMILIES[reasoningFamily] : undefined;
  const spelled = tools.spelled ?? [];
  if (reasoning === undefined) {
    return {
      markers: tools.markers,
      spelled,
      read: (reader, out, count) => readAnswer(contextOf(reader, out), tools, count),
    };
  }
  return {
    markers: [reasoning.begin, reasoning.end, ...tools.markers],
    spelled,
    read: (reader, out, count) => readBoth({ ...contextOf(reader, out), count }, reasoning, tools, options.promptEnd),
  };
}

const NO_CALLS: ToolSyntax = {
  markers: [],
  *read({ reader, out }) {
    yield* reader.until(reader.markers([]), out.text);
  },
};

function* readAnswer(context: ToolContext, tools: ToolSyntax, count: ReasoningCount): Step<void> {
  count.end(0);
  yield* tools.read(context);
}

function* readBoth(
  context: ToolContext & { readonly count: ReasoningCount },
  syntax: ReasoningSyntax,
  tools: ToolSyntax,
  promptEnd: string,
): Step<void> {
  const { reader, out, count } = context;
  const callMarkers = syntax.endsAtCalls === true ? tools.markers.slice(0, 1) : [];
  yield* readReasoning({ reader, out, count, syntax, isOpen: isOpenAt(promptEnd, syntax), callMarkers });
  yield* tools.read(context);
}

export function isFormat(family: ToolFamily | ReasoningFamily | "none"): family is FormatFamily {
  return family === "gpt_oss" || family === "kimi_k3";
}

function wholeFormat(
  family: FormatFamily,
  families: OutputFamilies,
  { tools, promptEnd }: OutputParserOptions,
  contextOf: (reader: OutputReader, out: MessageWriter) => ToolContext,
): OutputFormat {
  const reasoning = families.reasoning === family;
  const calls = families.tools === family && tools.length > 0;
  const read = family === "gpt_oss" ? readHarmony : readKimiK3;
  return {
    markers: family === "gpt_oss" ? HARMONY_MARKERS : KIMI_K3_MARKERS,
    read: (reader, out, count) => read(contextOf(reader, out), { reasoning, calls, promptEnd, count }),
  };
}
