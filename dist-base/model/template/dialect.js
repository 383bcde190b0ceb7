import { RenderError } from "../jinja/index.js";
import { CALLS_AS_THEY_ARE } from "./call-messages.js";
import { AS_THEY_ARE } from "./system-messages.js";
/**
 * Finds out which shape of input a template expects, by rendering short conversations.
 *
 * @throws RenderError if the template refuses even a single user message
 */
export function detectDialect(source, render) {
    const base = {
        callArguments: "mapping",
        emptyContent: "text",
        noTools: "none",
        hasDeveloper: source.includes("developer"),
        reasoningField: reasoningField(source),
        systemRules: AS_THEY_ARE,
        callRules: CALLS_AS_THEY_ARE,
    };
    const noTools = detectNoTools(base, render);
    const shaped = withToolCalls({ ...base, noTools }, render);
    const dialect = { ...shaped, callRules: detectCallRules(shaped, render) };
    return { ...dialect, systemRules: detectSystemRules(dialect, render) };
}
const USER = { role: "user", content: "Hello" };
function detectNoTools(base, render) {
    try {
        render([USER], base);
        return "none";
    }
    catch (error) {
        if (!(error instanceof RenderError))
            throw error;
        if (!tryRender([USER], { ...base, noTools: "list" }, render))
            throw error;
        return "list";
    }
}
// Words that no template contains.
const CALL = { id: "call00001", name: "probe_function", arguments: '{"probe_key":"probe_value"}' };
const CALLING = { role: "assistant", content: "", toolCalls: [CALL] };
const RESULT = { role: "tool", content: "result", toolCallId: CALL.id, name: CALL.name };
/** Chooses the first shape in which the template shows a call's name and arguments; the common shape if there is none. */
function withToolCalls(base, render) {
    for (const emptyContent of ["text", "none"]) {
        for (const callArguments of ["mapping", "text"]) {
            const dialect = { ...base, emptyContent, callArguments };
            const text = tryRender([USER, CALLING, RESULT], dialect, render);
            if (text?.includes(CALL.name) && text.includes("probe_value"))
                return dialect;
        }
    }
    return base;
}
const OTHER_CALL = { id: "call00002", name: "probe_other", arguments: '{"probe_key":"probe_second"}' };
const OTHER_RESULT = {
    role: "tool",
    content: "other result",
    toolCallId: OTHER_CALL.id,
    name: OTHER_CALL.name,
};
const TWO_CALLS = [USER, { ...CALLING, toolCalls: [CALL, OTHER_CALL] }, RESULT, OTHER_RESULT];
/** Finds out whether the template shows several calls of a message, and accepts text beside reasoning and a call. */
function detectCallRules(dialect, render) {
    const tryRules = (messages, callRules) => tryRender(messages, { ...dialect, callRules }, render);
    const showsTwo = (callRules) => {
        const text = tryRules(TWO_CALLS, callRules);
        return ["probe_value", "probe_second", OTHER_CALL.name].every((word) => text?.includes(word));
    };
    const oneByOne = { ...CALLS_AS_THEY_ARE, calls: "one_by_one" };
    const { calls } = !showsTwo(CALLS_AS_THEY_ARE) && showsTwo(oneByOne) ? oneByOne : CALLS_AS_THEY_ARE;
    const spoken = [USER, { ...CALLING, content: "Hello", reasoning: "probeReasoning" }, RESULT];
    const inReasoning = { calls, text: "reasoning" };
    const isRefused = tryRules(spoken, { calls, text: "content" }) === undefined;
    return isRefused && tryRules(spoken, inReasoning) !== undefined ? inReasoning : { calls, text: "content" };
}
const ANSWER = { role: "assistant", content: "Hello" };
const FIRST = { role: "system", content: "probeFirst" };
const SECOND = { role: "system", content: "probeSecond" };
/** Finds out whether the template shows every system message, wherever it stands. */
function detectSystemRules(dialect, render) {
    const shows = (messages, systemRules = AS_THEY_ARE) => {
        const text = tryRender(messages, { ...dialect, systemRules }, render);
        return text !== undefined && messages.every(({ content }) => text.includes(content));
    };
    // Without a place for system messages, the template decides what happens to them.
    if (!shows([FIRST, USER]))
        return AS_THEY_ARE;
    const roles = dialect.hasDeveloper ? ["system", "developer"] : ["system"];
    const pairs = roles.flatMap((role) => roles.map((other) => [
        { ...FIRST, role },
        { ...SECOND, role: other },
    ]));
    const leading = pairs.every((pair) => shows([...pair, USER])) ? "separate" : "joined";
    const showsLater = pairs.every(([first, second]) => shows([first, USER, second]) && shows([first, USER, ANSWER, second, USER]));
    if (showsLater)
        return { leading, later: "system" };
    const asUser = { leading, later: "user" };
    const showsAsUser = shows([FIRST, USER, SECOND], asUser) && shows([FIRST, USER, ANSWER, SECOND, USER], asUser);
    return showsAsUser ? asUser : { leading, later: "part_of_user" };
}
function tryRender(messages, dialect, render) {
    try {
        return render(messages, dialect);
    }
    catch (error) {
        if (error instanceof RenderError)
            return undefined;
        throw error;
    }
}
/** Finds the field that a template reads: mostly `reasoning_content`; `thinking` in gpt-oss and some of Liquid's models. */
function reasoningField(source) {
    const isField = (name) => new RegExp(`\\.${name}\\b|['"]${name}['"]`).test(source);
    return ["reasoning_content", "reasoning", "thinking"].find(isField) ?? "reasoning_content";
}
//# sourceMappingURL=dialect.js.map