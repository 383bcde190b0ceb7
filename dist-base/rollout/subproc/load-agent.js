import { describe } from "../describe.js";
import { importString } from "../import-string.js";
import { WorkflowError } from "../workflow-error.js";
/** Creates the agent, a new one with every call. Its module is imported once. */
export async function loadAgent(source) {
    return source.kind === "import" ? loadImported(source, []) : loadInstance(source);
}
async function loadImported(source, earlier) {
    const { specifier, directory, keywordArguments } = source;
    const path = [...earlier, specifier];
    if (earlier.includes(specifier))
        throw new WorkflowError("invalid_import", `The import string must not lead back to itself: ${path.join(" → ")}.`);
    const found = await importString(specifier, directory);
    if (typeof found === "string")
        return loadImported({ ...source, specifier: found }, path);
    if (hasRun(found))
        return found;
    if (typeof found === "function" && hasRun(found.prototype)) {
        return new found(keywordArguments);
    }
    const origin = path.map((text) => JSON.stringify(text)).join(" → ");
    const expected = "an agent (with run) or a class of agents, because workflows run in the rollout worker's own process";
    throw new WorkflowError("invalid_workflow", `Expected ${expected}; received ${describe(found)} from ${origin}.`);
}
/** Creates the instance with the state that was sent, without running its constructor again. */
async function loadInstance({ module, className, state }) {
    const type = await importString(`${module}#${className}`, process.cwd());
    if (typeof type !== "function" || !hasRun(type.prototype)) {
        const message = `${module} must export ${className} as a class of agents; received ${describe(type)}.`;
        throw new WorkflowError("invalid_workflow", message);
    }
    return Object.assign(Object.create(type.prototype), state);
}
function hasRun(value) {
    return value !== null && value !== undefined && typeof value.run === "function";
}
//# sourceMappingURL=load-agent.js.map