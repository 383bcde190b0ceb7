import { stringifySpelled } from "../../support/json/spelled.js";
import { RequestError } from "../request-error.js";
import { toTool } from "./tools.js";
/**
 * Deferred tools: tools that the prompt does not list before the conversation refers to them. As in Anthropic's API, a
 * reference is replaced by the tool's definition, so the prompt's beginning stays the same. The form is the one that Claude
 * Code describes to the model.
 */
export class ToolLoading {
    #declared;
    #loaded = new Map();
    constructor(declared) {
        this.#declared = new Map(declared.map((tool) => [tool.name, tool]));
    }
    /** The tools whose definition the messages contain. */
    get loaded() {
        return [...this.#loaded.values()];
    }
    /** Declares a tool that a message defines. */
    define(tool) {
        this.#declared.set(tool.name, tool);
        this.#loaded.delete(tool.name);
    }
    /**
     * Returns the definitions of tools as text. A definition is written once: a request with many references to a long one
     * would otherwise need far more memory than its body.
     *
     * @throws RequestError if the request does not declare one of them
     */
    describe(names) {
        const lines = names.map((name) => `<function>${this.#load(name)}</function>`);
        return ["<functions>", ...lines, "</functions>"].join("\n");
    }
    #load(name) {
        if (this.#loaded.has(name))
            return stringifySpelled({ name });
        const declared = this.#declared.get(name);
        if (!declared) {
            const message = `messages: a tool_reference names the tool "${name}", which is not in tools.`;
            throw new RequestError("messages", message);
        }
        const tool = toTool(declared);
        this.#loaded.set(name, tool);
        const { description, parameters } = tool.function;
        return stringifySpelled({ ...(description === undefined ? {} : { description }), name, parameters });
    }
}
//# sourceMappingURL=tool-loading.js.map