/** Arguments of the Python interpreter that start a worker. */
export declare const WORKER_ARGUMENTS: readonly ["-c", "import sys; \"\" in sys.path and sys.path.remove(\"\"); import rolltape.worker.__main__ as worker; worker.start()"];
/** Returns the interpreter of the active virtual environment, else `python3`. */
export declare function findPython(environment?: NodeJS.ProcessEnv): string;
/** Returns the environment of a worker: without keys of a proxy, and with the worker's package. */
export declare function createPythonEnvironment(): NodeJS.ProcessEnv;
