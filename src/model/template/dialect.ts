import type { Message } from "../../conversation/message.js";
import { RenderError } from "../jinja/index.js";
import type { Dialect } from "./message-values.js";

/** Renders a conversation in a dialect. @throws RenderError if the template refuses it */
export type Probe = (messages: readonly Message[], dialect: Dialect) => string;

/**
 * Finds out which shape of input a template expects, by rendering short conversations.
 *
 * @throws RenderError if the template refuses even a single user message
 */
export function detectDialect(source: string, render: Probe): Dialect {
  const base: Dialect = {
    callArguments: "mapping",
    emptyContent: "text",
    noTools: "none",
    hasDeveloper: source.includes("developer"),
    reasoningField: reasoningField(source),
  };
  const noTools = detectNoTools(base, render);
  return withToolCalls({ ...base, noTools }, render);
}

const USER: Message = { role: "user", content: "Hello" };

function detectNoTools(base: Dialect, render: Probe): Dialect["noTools"] {
  try {
    render([USER], base);
    return "none";
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    if (!tryRender([USER], { ...base, noTools: "list" }, render)) throw error;
    return "list";
  }
}

// Words that no template contains.
const CALL = { id: "call00001", name: "probe_function", arguments: '{"probe_key":"probe_value"}' };
const CALLING: Message = { role: "assistant", content: "", toolCalls: [CALL] };
const RESULT: Message = { role: "tool", content: "result", toolCallId: CALL.id, name: CALL.name };

/** Chooses the first shape in which the template shows a call's name and arguments; the common shape if there is none. */
function withToolCalls(base: Dialect, render: Probe): Dialect {
  for (const emptyContent of ["text", "none"] as const) {
    for (const callArguments of ["mapping", "text"] as const) {
      const dialect = { ...base, emptyContent, callArguments };
      const text = tryRender([USER, CALLING, RESULT], dialect, render);
      if (text?.includes(CALL.name) && text.includes("probe_value")) return dialect;
    }
  }
  return base;
}

function tryRender(messages: readonly Message[], dialect: Dialect, render: Probe): string | undefined {
  try {
    return render(messages, dialect);
  } catch (error) {
    if (error instanceof RenderError) return undefined;
    throw error;
  }
}

/** Finds the field that a template reads: mostly `reasoning_content`; `thinking` in gpt-oss and some of Liquid's models. */
function reasoningField(source: string): string {
  const isField = (name: string): boolean => new RegExp(`\\.${name}\\b|['"]${name}['"]`).test(source);
  return ["reasoning_content", "reasoning", "thinking"].find(isField) ?? "reasoning_content";
}
