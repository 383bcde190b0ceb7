import type { Message } from "../../conversation/message.js";
import { RenderError } from "../jinja/index.js";
import type { Dialect } from "./message-values.js";

/** Renders a conversation in a dialect; throws {@link RenderError} where the template refuses it. */
export type Probe = (messages: readonly Message[], dialect: Dialect) => string;

/**
 * Finds out in what shape a template wants its input, by rendering short conversations.
 *
 * @throws RenderError where the template renders not even one message of a user
 */
export function detectDialect(source: string, render: Probe): Dialect {
  const base: Dialect = {
    callArguments: "mapping",
    emptyContent: "text",
    noTools: "none",
    hasDeveloper: source.includes("developer"),
    reasoningField: reasoningField(source),
  };
  const noTools = noToolsOf(base, render);
  return withToolCalls({ ...base, noTools }, render);
}

const USER: Message = { role: "user", content: "Hello" };

function noToolsOf(base: Dialect, render: Probe): Dialect["noTools"] {
  try {
    render([USER], base);
    return "none";
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    if (!renders([USER], { ...base, noTools: "list" }, render)) throw error;
    return "list";
  }
}

// Names that no template writes of its own accord.
const CALL = { id: "call00001", name: "probe_function", arguments: '{"probe_key":"probe_value"}' };
const CALLING: Message = { role: "assistant", content: "", toolCalls: [CALL] };
const RESULT: Message = { role: "tool", content: "result", toolCallId: CALL.id, name: CALL.name };

/** The first shape in which a tool call is shown with its name and its arguments; the common one if it never is. */
function withToolCalls(base: Dialect, render: Probe): Dialect {
  for (const emptyContent of ["text", "none"] as const) {
    for (const callArguments of ["mapping", "text"] as const) {
      const dialect = { ...base, emptyContent, callArguments };
      const text = renders([USER, CALLING, RESULT], dialect, render);
      if (text?.includes(CALL.name) && text.includes("probe_value")) return dialect;
    }
  }
  return base;
}

function renders(messages: readonly Message[], dialect: Dialect, render: Probe): string | undefined {
  try {
    return render(messages, dialect);
  } catch (error) {
    if (error instanceof RenderError) return undefined;
    throw error;
  }
}

/** Most templates read `reasoning_content`; gpt-oss and some of Liquid's read `thinking`. */
function reasoningField(source: string): string {
  const isField = (name: string): boolean => new RegExp(`\\.${name}\\b|['"]${name}['"]`).test(source);
  return ["reasoning_content", "reasoning", "thinking"].find(isField) ?? "reasoning_content";
}
