import { RequestError } from "./request-error.js";
/** Error messages show at most this many characters of an unknown tool's name. */
const MAX_SHOWN_NAME = 128;
/** The field of OpenAI's and Anthropic's requests that has the choice. */
const TOOL_CHOICE = "tool_choice";
/**
 * Selects the tools that the prompt shows: none for "none", only the named tool, only the allowed tools, or else all.
 *
 * @param param the request field that has the choice
 * @throws RequestError if the choice requires a call but there are no tools, or if it names an unknown tool
 */
export function selectTools(tools, choice = "auto", param = TOOL_CHOICE) {
    if (choice === "none")
        return [];
    if (requiresCall(choice) && tools.length === 0) {
        throw new RequestError(param, `${param} requires a call, but tools is empty.`);
    }
    if (typeof choice === "string")
        return tools;
    // Sets, because an agent can name as many tools as a body holds.
    const names = new Set(choice.type === "function" ? [choice.function.name] : choice.names);
    const declared = new Set(tools.map((tool) => tool.function.name));
    const unknown = [...names].find((name) => !declared.has(name));
    if (unknown !== undefined) {
        const shown = unknown.slice(0, MAX_SHOWN_NAME);
        throw new RequestError(param, `${param} names the tool "${shown}", which is not in tools.`);
    }
    return tools.filter((tool) => names.has(tool.function.name));
}
/** Returns true if the answer must be a call. */
export function requiresCall(choice = "auto") {
    if (typeof choice === "string")
        return choice === "required";
    return choice.type === "function" || choice.mode === "required";
}
/** Returns the choice in the form that chat templates expect. */
export function toTemplateChoice(choice) {
    return typeof choice === "object" && choice.type === "allowed_tools" ? choice.mode : choice;
}
export function toCallRules({ tools, choice, choiceParam = TOOL_CHOICE, single, strict }) {
    const shown = new Set(tools.map((tool) => tool.function.name));
    return {
        mustCall: shown.size > 0 && requiresCall(choice) ? choiceParam : undefined,
        single: shown.size > 0 ? single : undefined,
        strict: new Set(strict.map(({ name }) => name).filter((name) => shown.has(name))),
    };
}
//# sourceMappingURL=tool-choice.js.map