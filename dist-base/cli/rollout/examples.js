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
import { makeInert } from "../../support/inert-text.js";
import { Transcript } from "../../transcript/read-index.js";
const ANSWER_CHARACTERS = 60;
/** Reads examples from the transcript of a job; undefined if none was written. */
export async function readExamples(written) {
    const path = written?.path;
    if (path === undefined)
        return undefined;
    try {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const transcript = __addDisposableResource(env_1, await Transcript.open(path), true);
            const rewarded = transcript.lines.filter((line) => line.type === "episode" && line.accepted && line.reward !== null);
            const examples = [];
            for (const [name, episode] of choose(rewarded)) {
                examples.push(describe(name, episode, await transcript.readEpisode(episode)));
            }
            return { path, examples };
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            const result_1 = __disposeResources(env_1);
            if (result_1)
                await result_1;
        }
    }
    catch {
        // The batches are written, so a transcript that cannot be read is no error of the job.
        return { path, examples: [] };
    }
}
/** Returns the episodes with the highest, the middle and the lowest reward, each once. */
function choose(episodes) {
    const sorted = episodes.toSorted((a, b) => b.reward - a.reward);
    const places = { best: 0, worst: sorted.length - 1, median: sorted.length >> 1 };
    const chosen = new Map();
    for (const name of ["best", "worst", "median"]) {
        const episode = sorted[places[name]];
        if (episode && !chosen.has(places[name]))
            chosen.set(places[name], [name, episode]);
    }
    return new Map([...chosen].toSorted(([a], [b]) => a - b).map(([, named]) => named));
}
function describe(name, { reward, turns, session_id = "" }, line) {
    const { content = "", toolCalls } = line.interactions.at(-1)?.answer ?? {};
    const called = toolCalls?.map((call) => `${call.name}(${call.arguments.slice(0, ANSWER_CHARACTERS)})`).join(" ") ?? "";
    const text = makeInert(`${content.slice(0, 4 * ANSWER_CHARACTERS)} ${called}`)
        .replace(/\s+/g, " ")
        .trim();
    const characters = Array.from(text);
    const answer = characters.length > ANSWER_CHARACTERS ? `${characters.slice(0, ANSWER_CHARACTERS).join("")}…` : text;
    return { name, reward, turns, sessionId: makeInert(session_id), answer };
}
/** Returns lines of the summary, as names and texts. */
export function describeExamples({ path, examples }) {
    const rewards = examples.map(({ reward }) => String(Number(reward.toPrecision(4))));
    const width = Math.max(0, ...rewards.map(({ length }) => length));
    return [
        ...examples.map(({ name, turns, sessionId, answer }, i) => {
            const count = turns === 1 ? "1 turn" : `${turns} turns`;
            return [name, `${(rewards[i] ?? "").padEnd(width)}  ${count}, ${sessionId}: ${answer}`];
        }),
        ["view", `rolltape view ${quote(path)}`],
    ];
}
/** Returns a path as a shell takes it. */
function quote(path) {
    return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${makeInert(path).replaceAll("'", `'\\''`)}'`;
}
//# sourceMappingURL=examples.js.map