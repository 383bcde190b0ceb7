import { Worker } from "node:worker_threads";
/**
 * Starts a module of this package as a thread, compiled or from the sources.
 *
 * @param module the module without its ending, relative to the caller: "./commit-worker"
 * @param caller `import.meta.url` of the caller
 */
export function startThread(module, caller, options) {
    if (!caller.endsWith(".ts"))
        return new Worker(new URL(`${module}.js`, caller), options);
    // From the sources. Node 20 ignores `--import tsx` for the file of a thread, so the thread registers tsx itself.
    const source = `import("tsx/esm/api").then(({ register }) => {
    register();
    return import(${JSON.stringify(new URL(`${module}.ts`, caller).href)});
  })`;
    return new Worker(source, { ...options, eval: true });
}
//# sourceMappingURL=start-thread.js.map