import { showAsText } from "../../conversation/media.js";
import type { Message } from "../../conversation/message.js";
import { RenderError } from "../jinja/index.js";
import { CALLS_AS_THEY_ARE, type CallStyle } from "./call-messages.js";
import type { Dialect } from "./message-values.js";
import { AS_THEY_ARE, type SystemRules } from "./system-messages.js";

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
    systemRules: AS_THEY_ARE,
    callStyle: CALLS_AS_THEY_ARE,
  };
  const noTools = detectNoTools(base, render);
  const shaped = withToolCalls({ ...base, noTools }, render);
  const dialect = { ...shaped, callStyle: detectCallStyle(shaped, render) };
  return { ...dialect, systemRules: detectSystemRules(dialect, render) };
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

const OTHER_CALL = { id: "call00002", name: "probe_other", arguments: '{"probe_key":"probe_second"}' };
const OTHER_RESULT: Message = {
  role: "tool",
  content: "other result",
  toolCallId: OTHER_CALL.id,
  name: OTHER_CALL.name,
};
const TWO_CALLS: readonly Message[] = [USER, { ...CALLING, toolCalls: [CALL, OTHER_CALL] }, RESULT, OTHER_RESULT];

/** Finds out whether the template shows several calls of a message, and accepts text beside reasoning and a call. */
function detectCallStyle(dialect: Dialect, render: Probe): CallStyle {
  const tryStyle = (messages: readonly Message[], callStyle: CallStyle) =>
    tryRender(messages, { ...dialect, callStyle }, render);
  const showsTwo = (callStyle: CallStyle): boolean => {
    const text = tryStyle(TWO_CALLS, callStyle);
    return ["probe_value", "probe_second", OTHER_CALL.name].every((word) => text?.includes(word));
  };
  const oneByOne: CallStyle = { ...CALLS_AS_THEY_ARE, calls: "one_by_one" };
  const { calls } = !showsTwo(CALLS_AS_THEY_ARE) && showsTwo(oneByOne) ? oneByOne : CALLS_AS_THEY_ARE;
  const spoken = [USER, { ...CALLING, content: "Hello", reasoning: "probeReasoning" }, RESULT];
  const inReasoning: CallStyle = { calls, text: "reasoning" };
  const isRefused = tryStyle(spoken, { calls, text: "content" }) === undefined;
  return isRefused && tryStyle(spoken, inReasoning) !== undefined ? inReasoning : { calls, text: "content" };
}

const ANSWER: Message = { role: "assistant", content: "Hello" };
const FIRST: Message = { role: "system", content: "probeFirst" };
const SECOND: Message = { role: "system", content: "probeSecond" };

/** Finds out whether the template shows every system message, wherever it stands. */
function detectSystemRules(dialect: Dialect, render: Probe): SystemRules {
  const shows = (messages: readonly Message[], systemRules = AS_THEY_ARE): boolean => {
    const text = tryRender(messages, { ...dialect, systemRules }, render);
    return text !== undefined && messages.every(({ content }) => text.includes(showAsText(content)));
  };
  // Without a place for system messages, the template decides what happens to them.
  if (!shows([FIRST, USER])) return AS_THEY_ARE;
  const roles = dialect.hasDeveloper ? (["system", "developer"] as const) : (["system"] as const);
  const pairs = roles.flatMap((role) =>
    roles.map(
      (other) =>
        [
          { ...FIRST, role },
          { ...SECOND, role: other },
        ] as const,
    ),
  );
  const leading = pairs.every((pair) => shows([...pair, USER])) ? "separate" : "joined";
  const showsLater = pairs.every(
    ([first, second]) => shows([first, USER, second]) && shows([first, USER, ANSWER, second, USER]),
  );
  if (showsLater) return { leading, later: "system" };
  const asUser: SystemRules = { leading, later: "user" };
  const showsAsUser = shows([FIRST, USER, SECOND], asUser) && shows([FIRST, USER, ANSWER, SECOND, USER], asUser);
  return showsAsUser ? asUser : { leading, later: "part_of_user" };
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
