import { StepError, } from "../../control/weights/weight-targets.js";
import { EngineError, NotLoadedError } from "../../engine/engine.js";
/** The servers of an engine, as the targets of weight updates. */
export class ServerTargets {
    #control;
    #current;
    #known;
    /** Servers that were drained because an update excluded them. */
    #drained = new Set();
    constructor(control, current, known) {
        this.#control = control;
        this.#current = current;
        this.#known = known;
    }
    get version() {
        return this.#current.version;
    }
    async servers() {
        return this.#control.list().map(({ url, state }) => ({ ...this.#known.find(url), draining: state === "draining" }));
    }
    spell(exclude) {
        const urls = this.#control.list().map(({ url }) => url);
        return exclude.map((url) => urls.find((each) => sameAddress(each, url)) ?? url);
    }
    async isPaused() {
        return this.#control.paused !== undefined;
    }
    begin(target) {
        return this.#known.begin(target, this.#control.list().map(({ url }) => url));
    }
    async pause(urls, excluded) {
        const [failures] = await Promise.all([this.#control.update.pause(urls), this.drain(excluded)]);
        return toFailures(failures);
    }
    async load(url, { version, path }, signal) {
        if (path === null)
            throw new Error("an external update loads nothing");
        await this.#control.update.load(url, { version, path }, signal).catch(throwStepError);
    }
    async finish(url, version, signal) {
        await this.#control.update.finish(url, version, signal).catch(throwStepError);
    }
    async commit(version) {
        await this.#current.set(version);
        await this.#known.stored();
    }
    async resume(urls) {
        return toFailures(await this.#control.update.resume(urls));
    }
    async drain(urls) {
        for (const { url, state } of this.#control.list()) {
            if (!urls.includes(url) || state === "draining")
                continue;
            this.#drained.add(url);
            // An aborted signal starts the draining without waiting for its end.
            await this.#control.drain(url, AbortSignal.abort()).catch(() => undefined);
        }
    }
    async release(servers, hold) {
        for (const { url, version } of servers) {
            if (version !== this.version || !this.#drained.delete(url))
                continue;
            this.#control.restore(url);
        }
        this.#known.end(servers);
        if (!hold)
            await this.#control.update.release();
    }
    note(server) {
        this.#known.note(server);
    }
}
function sameAddress(one, other) {
    const normalize = (url) => (URL.canParse(url) ? new URL(url).href.replace(/\/$/, "") : url);
    return normalize(one) === normalize(other);
}
function toFailures(failures) {
    return new Map([...failures].map(([url, error]) => [url, toFailure(error)]));
}
function toFailure(error) {
    const { message, code } = error;
    return { message, unchanged: error instanceof NotLoadedError, unreachable: code === "engine_unavailable" };
}
function throwStepError(error) {
    throw error instanceof EngineError ? new StepError(toFailure(error)) : error;
}
//# sourceMappingURL=server-targets.js.map