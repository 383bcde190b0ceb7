import { randomUUID } from "node:crypto";
import { EngineError } from "../engine.js";
import { ServerConnections } from "../servers/wire/connections.js";
import { postControl, postUpdate, postUpdateIfServed, requireHealthy } from "../servers/wire/control-requests.js";
import { isUnavailable, NotServedError, notStarted } from "../servers/wire/errors.js";
import { generateOnce } from "../servers/wire/generate-once.js";
import { jsonObject, versionNumber } from "../servers/wire/json.js";
import { requestBody } from "../servers/wire/request-body.js";
import { LogprobsProbe, runProbe } from "./logprobs-probe.js";
import { COMPLETIONS_PREFIX, completionsSuffix, GENERATE_PREFIX, generateSuffix, } from "./request-fields.js";
import { askServedModel } from "./served-model.js";
/** Time limit of a pause, which returns after the last running generation was cut. */
const PAUSE_MS = 60_000;
/** Time limit of a request for the state of a weight update. It is short, because a call waits for it. */
const UPDATE_MS = 2_000;
const GENERATE_PATH = "inference/v1/generate";
const COMPLETIONS_PATH = "v1/completions";
/** Prefix of the request ids of probes, which makes them recognizable in the server's log. */
const PROBE_ID = "rolltape-logprobs-";
/** One vLLM server, or a router in front of several. A generation is aborted by closing its connection. */
export class VllmServer {
    url;
    #connections;
    #modelName;
    /** Endpoints that the server may have. After one has answered, only that one. */
    #endpoints;
    #model;
    #logprobs = new LogprobsProbe();
    /** False after the server refused to list one additional alternative, because of its `--max-logprobs`. */
    #listsOneMore = true;
    /** False after the server refused a budget for the reasoning, because it was started without `--reasoning-parser`. */
    #takesBudgets = true;
    constructor(url, { maxInflight, model, api = "auto", ...keys }) {
        this.url = url;
        this.#connections = new ServerConnections(url, maxInflight, { apiKey: keys.apiKey });
        this.#modelName = model;
        this.#endpoints = api === "auto" ? ["generate", "completions"] : [api];
    }
    async request(call, signal) {
        try {
            return withFinish(await this.#generate(call, signal), call);
        }
        catch (error) {
            this.#forgetIfAway(error);
            throw error;
        }
    }
    /** Tries the endpoints in order. Status 404 or 405 means that the server does not have the endpoint. */
    async #generate(call, signal) {
        const { name: model } = await this.#servedModel().catch((error) => {
            throw notStarted(error);
        });
        let missing;
        for (const endpoint of this.#endpoints) {
            try {
                const reply = await this.#send(endpoint, model, call, signal);
                this.#endpoints = [endpoint];
                return reply;
            }
            catch (error) {
                if (!(error instanceof NotServedError))
                    throw error;
                missing = error;
            }
        }
        throw missing;
    }
    /**
     * Sends the request, and again without what the server refused and the call can do without: the additional alternative, or the
     * budget for the reasoning.
     */
    async #send(endpoint, model, call, signal) {
        for (;;) {
            const options = { model, oneMore: this.#listsOneMore, withBudget: this.#takesBudgets };
            if (call.sampling.thinkingBudget !== undefined && !options.withBudget)
                call.onBudgetIgnored?.();
            const request = await encodeRequest(endpoint, call, options);
            signal.throwIfAborted();
            try {
                return await generateOnce(this.#connections, call, request, signal);
            }
            catch (error) {
                // Another call may have learned of the same refusal meanwhile.
                const refusedOneMore = options.oneMore && this.#refusedOneMore(error, endpoint, call);
                if (!refusedOneMore && !(options.withBudget && this.#refusedBudget(error, call)))
                    throw error;
            }
        }
    }
    /** Returns true if the request can be sent again with one alternative less. Later requests then also have one less. */
    #refusedOneMore(error, endpoint, { sampling }) {
        if (endpoint !== "generate" || sampling.topLogprobs === 0)
            return false;
        if (!(error instanceof EngineError) || error.code !== "engine_rejected_request")
            return false;
        if (!/logprobs/i.test(error.message))
            return false;
        this.#listsOneMore = false;
        return true;
    }
    /** Returns true if the request can be sent again without a budget. Later requests then have none. */
    #refusedBudget(error, { sampling }) {
        if (sampling.thinkingBudget === undefined)
            return false;
        if (!(error instanceof EngineError) || !/thinking_token_budget/.test(error.message))
            return false;
        this.#takesBudgets = false;
        return true;
    }
    get logprobs() {
        return this.#logprobs.content;
    }
    findLogprobs(call) {
        return this.#logprobs.find(() => runProbe(call, async (probe, signal) => {
            const { name } = await this.#servedModel();
            const [endpoint = "completions"] = this.#endpoints;
            const request = await encodeRequest(endpoint, probe, { model: name, idPrefix: PROBE_ID });
            await generateOnce(this.#connections, probe, request, signal);
        }));
    }
    /** Forgets what was learned about an unreachable server: it may be restarted in another mode. */
    #forgetIfAway(error) {
        if (!isUnavailable(error))
            return;
        this.#logprobs.forget();
        this.#listsOneMore = true;
        this.#takesBudgets = true;
    }
    #servedModel() {
        this.#model ??= askServedModel(this.#connections, this.#modelName).catch((error) => {
            this.#model = undefined;
            throw error;
        });
        return this.#model;
    }
    async requireModel() {
        await this.#servedModel();
    }
    async contextLength() {
        const { contextLength } = await this.#servedModel();
        if (contextLength !== undefined)
            return contextLength;
        throw new EngineError("engine_error", "The engine does not report its context length.");
    }
    /** Both endpoints exist only in vLLM's development mode, like `/pause`. */
    async weightUpdate() {
        const ask = async (path) => {
            const answer = await this.#connections.get(path, AbortSignal.timeout(UPDATE_MS)).catch(() => undefined);
            return answer?.status === 200 ? jsonObject(answer.body) : {};
        };
        const [pause, weights] = await Promise.all([ask("is_paused"), ask("weight_info")]);
        return { paused: pause["is_paused"] === true, version: versionNumber(weights["weight_version"]) };
    }
    /** vLLM's `/health` generates nothing; it fails if the engine's process has died. */
    async health(signal) {
        try {
            await requireHealthy(this.#connections, ["health"], signal);
        }
        catch (error) {
            this.#forgetIfAway(error);
            throw error;
        }
    }
    pause(mode) {
        return postControl(this.#connections, {
            path: `pause?mode=${mode}&clear_cache=true`,
            timeoutMilliseconds: PAUSE_MS,
        });
    }
    resume() {
        return postControl(this.#connections, { path: "resume" });
    }
    /** Every worker of the server reads the folder itself. Only servers in development mode have these endpoints. */
    loadWeights({ path }, signal) {
        const body = { method: "reload_weights", kwargs: { weights_path: path } };
        return postUpdate(this.#connections, { path: "collective_rpc", body, signal });
    }
    flushCache(signal) {
        return postUpdate(this.#connections, { path: "reset_prefix_cache", signal });
    }
    setWeightVersion(version, signal) {
        const body = { new_version: String(version) };
        return postUpdateIfServed(this.#connections, { path: "update_weight_version", body, signal });
    }
    close() {
        return this.#connections.close();
    }
}
async function encodeRequest(endpoint, call, { model, oneMore = false, withBudget = false, idPrefix = "" }) {
    const { generation, sampling } = call;
    const requestId = idPrefix + randomUUID().replaceAll("-", "");
    const fields = {
        sampling,
        maxTokens: sampling.maxTokens - generation.length,
        minTokens: Math.max(0, sampling.minTokens - generation.length),
        thinkingBudget: withBudget ? sampling.thinkingBudget : undefined,
        model,
        requestId,
        stream: isStreamed(endpoint, call),
        oneMore,
    };
    const common = { headers: { "x-request-id": requestId }, format: "vllm" };
    return endpoint === "generate"
        ? { ...common, path: GENERATE_PATH, ...(await requestBody(call, GENERATE_PREFIX, generateSuffix(fields))) }
        : {
            ...common,
            path: COMPLETIONS_PATH,
            ...(await requestBody(call, COMPLETIONS_PREFIX, completionsSuffix(fields))),
        };
}
/** Servers with `--tokens-only` do not search for stop strings. A streamed request can be stopped after one. */
function isStreamed(endpoint, { onTokens, sampling, tokenBytes }) {
    return onTokens !== undefined || (endpoint === "generate" && sampling.stop.length > 0 && tokenBytes !== undefined);
}
/**
 * Adds a missing finish reason: older servers send no frame if a generation ends without a new token. A stop token or the
 * token limit shows in the tokens. Otherwise the generation was cut, unless a stop string may have ended it that this proxy
 * cannot find, because it does not know the texts of the tokens.
 */
function withFinish(reply, { generation, sampling, tokenBytes }) {
    if (reply.finish)
        return reply;
    const last = generation.length > 0 ? generation.ids(generation.length - 1)[0] : undefined;
    if (last !== undefined && sampling.stopTokenIds.includes(last)) {
        return { ...reply, finish: { type: "stop", matched: last } };
    }
    if (generation.length >= sampling.maxTokens)
        return { ...reply, finish: { type: "length" } };
    return sampling.stop.length > 0 && !tokenBytes ? reply : { ...reply, finish: { type: "abort" } };
}
//# sourceMappingURL=vllm-server.js.map