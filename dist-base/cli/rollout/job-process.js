import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { appendTail, OutputTail } from "../../support/processes/output-tail.js";
import { readFirstLine } from "../../support/processes/ready-line.js";
import { pauseBeforeRestart } from "../../support/processes/restart-pause.js";
import { RolloutJobError } from "./errors.js";
/** The limit for the processes of a job. A job lasts some hours, so restarts count until its end. */
const JOB_RESTARTS = { times: 3, forgetSeconds: Number.POSITIVE_INFINITY };
const TAIL_BYTES = 8192;
/**
 * A rollout worker makes short-lived objects only: with semi-spaces of 64 MiB instead of 16, fewer of them live long enough
 * to be copied. A proxy counts on Node's own size: see the heap watch of the server.
 */
const NODE_ARGUMENTS = { "rollout worker": ["--max-semi-space-size=64"], "proxy worker": [] };
/** How a command of Rolltape ends if its configuration is invalid. */
const UNUSABLE = "status 2";
/**
 * A command of Rolltape in a separate process, with its logs among those of this process. If it dies, it is restarted a few times.
 * It does not receive the terminal's Ctrl-C, and does not outlive this process.
 */
export class JobProcess {
    #options;
    #stopping = new AbortController();
    #group;
    #over = Promise.resolve();
    /** How it ended after {@link stop}. */
    #stopped;
    constructor(options) {
        this.#options = options;
    }
    /**
     * Resolves when it accepts calls.
     *
     * @throws RolloutJobError `proxy_failed` if it ends before that
     */
    async start() {
        const first = this.#spawn();
        this.#over = first.then((run) => this.#keepRunning(run), () => undefined);
        await first;
    }
    /** Stops the process. Returns how it ended; undefined if it did not run. */
    async stop() {
        this.#stopping.abort();
        this.#group?.child.kill("SIGTERM");
        await this.#over;
        return this.#stopped;
    }
    async #keepRunning(first) {
        const { kind, cost, onDeath, restarts: limit = JOB_RESTARTS, report = writeReport } = this.#options;
        let run = first;
        for (let restarts = 0; run !== undefined; restarts++) {
            const how = await run.ended;
            if (this.#stopping.signal.aborted)
                return;
            if (performance.now() - run.readyAt > limit.forgetSeconds * 1000)
                restarts = 0;
            const restart = restarts < limit.times;
            onDeath?.(how, restart);
            report(`a ${kind} ended with ${how}; ${cost}, and it is ${restart ? "" : "not "}restarted`);
            run = restart ? await this.#restart(restarts) : undefined;
        }
    }
    /** Returns undefined if the job is over. */
    async #restart(restarts) {
        if (!(await pauseBeforeRestart(restarts, this.#stopping.signal)))
            return undefined;
        return this.#spawn().catch((error) => ({
            ended: Promise.resolve(error.message),
            readyAt: Number.POSITIVE_INFINITY,
        }));
    }
    /** Resolves when the process accepts calls. */
    async #spawn() {
        const { kind, args, env, logs, onReady, runArguments } = this.#options;
        const main = fileURLToPath(new URL("../main.js", import.meta.url));
        const nodeArguments = [...NODE_ARGUMENTS[kind], ...(this.#options.nodeArguments ?? [])];
        const child = spawn(process.execPath, [...nodeArguments, main, ...args, ...(runArguments?.() ?? [])], {
            // Its own group, so that Ctrl-C reaches only the job, which stops its proxies after everything is exported.
            detached: true,
            // The ipc channel carries no messages. When it closes, the worker knows that the job has ended.
            stdio: ["ignore", "pipe", "pipe", "ipc"],
            env,
        });
        const group = new ChildGroup(child);
        this.#group = group;
        const ended = group.ended.then((end) => {
            if (this.#stopping.signal.aborted)
                this.#stopped = end;
            return describeEnd(end);
        });
        const { stdout, stderr } = child;
        if (stdout === null || stderr === null)
            throw new Error(`a ${kind} has no output`);
        const tail = new OutputTail(stderr, TAIL_BYTES);
        // Log lines are held until the process is ready. If it does not start, only the error shows them.
        let heldLines = [];
        createInterface(stderr).on("line", (line) => (heldLines ? heldLines.push(line) : logs.write(`${line}\n`)));
        try {
            const line = await readFirstLine(stdout);
            if (line === undefined)
                throw new Error(kind === "proxy worker" ? "it accepted no calls" : "it was not ready");
            for (const line of heldLines)
                logs.write(`${line}\n`);
            heldLines = undefined;
            tail.end();
            onReady?.(line);
            return { ended, readyAt: performance.now() };
        }
        catch (error) {
            child.kill("SIGTERM");
            const how = await ended;
            const why = appendTail(`a ${kind} did not start: ${error.message}; it ended with ${how}.`, tail.text);
            throw new RolloutJobError(how === UNUSABLE ? "invalid_arguments" : "proxy_failed", why);
        }
    }
}
function writeReport(message) {
    process.stderr.write(`rolltape: ${message}\n`);
}
//# sourceMappingURL=job-process.js.map