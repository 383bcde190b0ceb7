import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createBareEnvironment } from "../subproc/task-environment.js";
/** Folder of the Python package `rolltape`, which contains the worker. */
const PACKAGE_FOLDER = fileURLToPath(new URL("../../../python/src", import.meta.url));
/**
 * Starts the worker. `-m` would put the working directory before Python's own modules, so that a file there named
 * `types.py` could stop the worker.
 */
const START = 'import sys; "" in sys.path and sys.path.remove(""); import rolltape.worker.__main__ as worker; worker.start()';
/** Arguments of the Python interpreter that start a worker. */
export const WORKER_ARGUMENTS = ["-c", START];
/** Returns the interpreter of the active virtual environment, else `python3`. */
export function findPython(environment = process.env) {
    const folder = environment["VIRTUAL_ENV"];
    const python = folder === undefined || folder === "" ? undefined : join(folder, "bin", "python");
    return python !== undefined && existsSync(python) ? python : "python3";
}
/** Returns the environment of a worker: without keys of a proxy, and with the worker's package. */
export function createPythonEnvironment() {
    const environment = createBareEnvironment();
    const path = environment["PYTHONPATH"];
    return { ...environment, PYTHONPATH: path ? `${PACKAGE_FOLDER}:${path}` : PACKAGE_FOLDER };
}
//# sourceMappingURL=find-python.js.map