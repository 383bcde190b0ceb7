import { Worker, type WorkerOptions } from "node:worker_threads";
/**
 * Starts a module of this package as a thread, compiled or from the sources.
 *
 * @param module the module without its ending, relative to the caller: "./commit-worker"
 * @param caller `import.meta.url` of the caller
 */
export declare function startThread(module: string, caller: string, options: WorkerOptions): Worker;
