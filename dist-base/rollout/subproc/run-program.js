var __addDisposableResource = (this && this.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var __disposeResources = (this && this.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});
import { spawn } from "node:child_process";
import { onAbort } from "../../support/async/on-abort.js";
import { untilAborted } from "../../support/async/until-aborted.js";
import { describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { forwardLines } from "../../support/processes/forward-lines.js";
import { OutputTail } from "../../support/processes/output-tail.js";
import { SubprocError } from "./errors.js";
import { RewardLine } from "./reward-line.js";
import { addStandardError, processError } from "./standard-error.js";
import { createBareEnvironment } from "./task-environment.js";
const TAIL_BYTES = 8192;
/**
 * Runs a program to its end and returns its reward (see {@link RewardLine}).
 *
 * Processes that it leaves running in its process group are killed when it ends. The whole group is killed when the
 * signal aborts. Its standard error is forwarded to this process's standard error, and so is the end of its standard
 * output if it fails.
 *
 * @throws SubprocError `program_not_started`, `program_failed`, `invalid_program_output`, or the signal's reason
 */
export async function runProgram(program, signal) {
    signal.throwIfAborted();
    const [file, ...args] = program.command;
    const child = spawn(file, args, {
        detached: true,
        cwd: program.directory,
        env: { ...createBareEnvironment(), ...program.environment },
    });
    const group = new ChildGroup(child);
    forwardLines(child.stderr);
    const errors = new OutputTail(child.stderr, TAIL_BYTES);
    // Standard output carries the reward, so it is shown only if the program fails.
    const output = new OutputTail(child.stdout, TAIL_BYTES);
    const reward = new RewardLine(child.stdout);
    // A program need not read its data: ignore a broken pipe.
    child.stdin.on("error", () => { });
    child.stdin.end(program.input);
    const end = await waitForEnd(group, signal).catch((error) => {
        show(output);
        throw addStandardError(error, errors.text);
    });
    if (end.how === "not_started") {
        const message = `${file} could not be started: ${describeEnd(end)}`;
        throw new SubprocError("program_not_started", message, { cause: end.error });
    }
    if (end.how !== "exit" || end.code !== 0) {
        show(output);
        throw processError("program_failed", `${file} ended with ${describeEnd(end)}.`, errors.text);
    }
    const { value, otherNumbers } = reward.end();
    if (value === undefined) {
        show(output);
        const expected = 'a JSON number or object, or any line {"reward": …}';
        const sentence = `${file} printed no reward: the last line of its standard output must be ${expected}.`;
        throw processError("invalid_program_output", sentence, errors.text);
    }
    if (otherNumbers > 0)
        warn(file);
    return value;
}
function show({ text }) {
    if (text !== "")
        process.stderr.write(`${text}\n`);
}
/** The text is the same for every episode, so that repeated warnings can be counted. */
function warn(file) {
    const advice = 'Print the reward as {"reward": …} to make it unambiguous.';
    process.emitWarning(`${file} printed other numbers before its reward, the last line. ${advice}`, "AgentWarning");
}
/**
 * Resolves when the program has exited and its output was read. If the signal aborts before its exit, kills it and
 * rejects.
 */
async function waitForEnd(group, signal) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const _killing = __addDisposableResource(env_1, onAbort(signal, () => group.kill()), false);
        await untilAborted(group.exited, signal);
        return await group.ended;
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        __disposeResources(env_1);
    }
}
//# sourceMappingURL=run-program.js.map