import { describe } from "../describe.js";
import { WorkflowError } from "../workflow-error.js";
import { assertSerializable } from "./serializable.js";
/**
 * Returns the source of an agent, from which worker processes can create it.
 *
 * @param agent an import string, or an instance whose class names its module with `static readonly module =
 * import.meta.url`. The instance's own properties are copied as they are now.
 * @throws SubprocError `not_serializable`, naming the property
 * @throws WorkflowError `invalid_workflow` if `agent` is neither
 */
export function createAgentSource(agent, options = {}) {
    const { directory = process.cwd(), keywordArguments = {} } = options;
    if (typeof agent === "string") {
        assertSerializable(keywordArguments, "keywordArguments");
        return { kind: "import", specifier: agent, directory, keywordArguments };
    }
    const { constructor: type } = (agent ?? {});
    if (typeof type?.module !== "string" || typeof type.name !== "string" || type.name === "")
        throw unnamed(agent);
    const state = { ...agent };
    assertSerializable(state, "agent");
    return { kind: "instance", module: type.module, className: type.name, state };
}
function unnamed(agent) {
    return new WorkflowError("invalid_workflow", 'An agent in a subprocess must be an import string "module#export", or an instance of a class that names its module: ' +
        `static readonly module = import.meta.url; received ${describe(agent)}.`);
}
//# sourceMappingURL=agent-source.js.map