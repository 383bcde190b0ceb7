import { resolve } from "node:path";
import { WorkflowError } from "../workflow-error.js";
const PYTHON_FILE = /^(.*\.py)(?:([:#])(.*))?$/s;
/** Returns true for `agent.py` and `agent.py:solve`. */
export function isPythonAgent(text) {
    return typeof text === "string" && PYTHON_FILE.test(text);
}
/**
 * Reads `agent.py:solve` or `agent.py`.
 *
 * @param directory folder that a relative path begins in
 * @throws WorkflowError `invalid_import`
 */
export function parseAgentFile(text, directory) {
    const [, file = "", separator, name] = PYTHON_FILE.exec(text) ?? [];
    if (file === "" || separator === "#" || name === "") {
        const advice = separator === "#" ? ` Write a colon before the name: ${file}:${name}` : "";
        const expected = 'A Python agent must be "file.py:name" or "file.py"';
        throw new WorkflowError("invalid_import", `${expected}; received ${JSON.stringify(text)}.${advice}`);
    }
    return { file: resolve(directory, file), name };
}
//# sourceMappingURL=agent-file.js.map