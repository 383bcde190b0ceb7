import { isFormat, type OutputFamilies, type ReasoningFamily, type ToolFamily } from "./output-format.js";

/** What of a model folder tells how its model writes. */
export interface ModelSigns {
  /** The chat templates' text. */
  readonly template: string;
  /** Whether the vocabulary has an added token of this spelling. */
  readonly isAdded: (spelling: string) => boolean;
  /** config.json's `model_type`. */
  readonly modelType: string | undefined;
}

/** The families as configured: by name, `none`, or `auto` for what the model folder says. */
export interface FamilyChoice {
  readonly toolCallParser?: ToolFamily | "auto" | "none";
  readonly reasoningParser?: ReasoningFamily | "auto" | "none";
}

/** Whether the template or the vocabulary has a marker. */
export function hasMarker({ template, isAdded }: ModelSigns, marker: string): boolean {
  return isAdded(marker) || template.includes(marker);
}

export function chooseFamilies(choice: FamilyChoice, signs: ModelSigns): OutputFamilies {
  const { toolCallParser = "auto", reasoningParser = "auto" } = choice;
  const tools = toolCallParser === "auto" ? toolFamily(signs) : toolCallParser;
  const reasoning = reasoningParser === "auto" ? reasoningFamily(signs, tools) : reasoningParser;
  return { tools, reasoning };
}

interface TemplateSign {
  readonly family: ToolFamily;
  /** Texts that the template must hold, all of them, and those that it must not. */
  readonly has: readonly string[];
  readonly hasNot?: readonly string[];
}

/** What of a template tells a family, the most telling first. */
const TEMPLATE_SIGNS: readonly TemplateSign[] = [
  { family: "gpt_oss", has: ["<|channel|>", "<|message|>"] },
  { family: "kimi_k3", has: ["<|open|>", "<|close|>", "<|sep|>"] },
  { family: "kimi_k2", has: ["<|tool_calls_section_begin|>"] },
  { family: "deepseek_v32", has: ["｜DSML｜", "function_calls>"] },
  { family: "deepseek_v4", has: ["｜DSML｜", "tool_calls>"] },
  { family: "deepseek_v3", has: ["<｜tool▁call▁begin｜>", "```json"] },
  { family: "deepseek_v31", has: ["<｜tool▁call▁begin｜>"] },
  { family: "seed_oss", has: ["<seed:tool_call>"] },
  { family: "minimax_m2", has: ["<minimax:tool_call>"] },
  { family: "glm45", has: ["<arg_key>"] },
  { family: "qwen3_coder", has: ["<function=", "<parameter="] },
  { family: "mistral", has: ["[TOOL_CALLS]"] },
  { family: "pythonic", has: ["func_name1(params_name1="] },
  { family: "hermes", has: ["<tool_call>", '"arguments'], hasNot: ["<tool_calls>"] },
  { family: "llama3_json", has: ['{"name": function name, "parameters":'] },
];

const MODEL_TYPES: ReadonlyMap<string, ToolFamily> = new Map([
  ["gpt_oss", "gpt_oss"],
  ["kimi_k2", "kimi_k2"],
  ["glm4_moe", "glm45"],
  ["minimax_m2", "minimax_m2"],
  ["seed_oss", "seed_oss"],
]);

/** The template's spelling of calls; where it has none, the kind of model. */
function toolFamily({ template, modelType }: ModelSigns): ToolFamily | "none" {
  const sign = TEMPLATE_SIGNS.find(
    ({ has, hasNot = [] }) =>
      has.every((text) => template.includes(text)) && !hasNot.some((text) => template.includes(text)),
  );
  return sign?.family ?? MODEL_TYPES.get(modelType ?? "") ?? "none";
}

const REASONING_OF_TOOLS: Partial<Record<ToolFamily, ReasoningFamily>> = {
  hermes: "qwen3",
  qwen3_coder: "qwen3",
  kimi_k2: "kimi_k2",
  glm45: "glm45",
};

/** The markers that the template or the vocabulary has; how they are read hangs on the family of the calls, too. */
function reasoningFamily(signs: ModelSigns, tools: ToolFamily | "none"): ReasoningFamily | "none" {
  const has = (marker: string): boolean => hasMarker(signs, marker);
  if (isFormat(tools)) return tools;
  if (has("<seed:think>")) return "seed_oss";
  if (has("◁think▷")) return "kimi";
  if (has("[THINK]")) return "mistral";
  if (!has("</think>")) return "none";
  return (tools === "none" ? undefined : REASONING_OF_TOOLS[tools]) ?? "deepseek_v3";
}
