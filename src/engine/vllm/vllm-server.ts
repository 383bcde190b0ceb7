import { randomUUID } from "node:crypto";
import type { EngineReply } from "../../native/contract.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import {
  type CallContent,
  EngineError,
  type LogprobContent,
  type PauseMode,
  type ServerAdvice,
  type ServerNeeds,
  type WeightSource,
} from "../engine.js";
import type { EngineServer, ServerCall, WeightUpdate } from "../servers/engine-server.js";
import { ServerConnections } from "../servers/wire/connections.js";
import { postControl, postUpdate, postUpdateIfServed, requireHealthy } from "../servers/wire/control-requests.js";
import { isUnavailable, NotServedError, notStarted } from "../servers/wire/errors.js";
import { type GenerationRequest, generateOnce } from "../servers/wire/generate-once.js";
import { jsonObject, versionNumber } from "../servers/wire/json.js";
import { requestBody } from "../servers/wire/request-body.js";
import { LogprobsProbe, runProbe } from "./logprobs-probe.js";
import {
  COMPLETIONS_PREFIX,
  completionsSuffix,
  GENERATE_PREFIX,
  generateSuffix,
  type RequestFields,
} from "./request-fields.js";
import { askServedModel, type ServedModel } from "./served-model.js";
import { adviseOnVllmFlags } from "./server-flags.js";
import type { VllmApi, VllmOptions } from "./vllm-options.js";

/** Time limit of a pause, which returns after the last running generation was cut. */
const PAUSE_MS = 60_000;

/** Time limit of a request for the state of a weight update. It is short, because a call waits for it. */
const UPDATE_MS = 2_000;

const GENERATE_PATH = "inference/v1/generate";
const COMPLETIONS_PATH = "v1/completions";

/** Prefix of the request ids of probes, which makes them recognizable in the server's log. */
const PROBE_ID = "rolltape-logprobs-";

type Endpoint = Exclude<VllmApi, "auto">;

/** One vLLM server, or a router in front of several. A generation is aborted by closing its connection. */
export class VllmServer implements EngineServer {
  readonly url: string;
  readonly #connections: ServerConnections;
  readonly #modelName: string | undefined;
  /** Endpoints that the server may have. After one has answered, only that one. */
  #endpoints: readonly Endpoint[];
  #model: Promise<ServedModel> | undefined;
  readonly #logprobs = new LogprobsProbe();
  /** False after the server refused to list one additional alternative, because of its `--max-logprobs`. */
  #listsOneMore = true;
  /** False after the server refused a budget for the reasoning, because it was started without `--reasoning-parser`. */
  #takesBudgets = true;

  constructor(url: string, { maxInflight, model, api = "auto", ...keys }: VllmOptions) {
    this.url = url;
    this.#connections = new ServerConnections(url, maxInflight, { apiKey: keys.apiKey });
    this.#modelName = model;
    this.#endpoints = api === "auto" ? ["generate", "completions"] : [api];
  }

  async request(call: ServerCall, signal: AbortSource): Promise<EngineReply> {
    try {
      return withFinish(await this.#generate(call, signal), call);
    } catch (error) {
      this.#forgetIfAway(error);
      throw error;
    }
  }

  /** Tries the endpoints in order. Status 404 or 405 means that the server does not have the endpoint. */
  async #generate(call: ServerCall, signal: AbortSource): Promise<EngineReply> {
    const { name: model } = await this.#servedModel().catch((error: unknown) => {
      throw notStarted(error);
    });
    let missing: unknown;
    for (const endpoint of this.#endpoints) {
      try {
        const reply = await this.#send(endpoint, model, call, signal);
        this.#endpoints = [endpoint];
        return reply;
      } catch (error) {
        if (!(error instanceof NotServedError)) throw error;
        missing = error;
      }
    }
    throw missing;
  }

  /**
   * Sends the request, and again without what the server refused and the call can do without: the additional alternative, or the
   * budget for the reasoning.
   */
  async #send(endpoint: Endpoint, model: string, call: ServerCall, signal: AbortSource): Promise<EngineReply> {
    for (;;) {
      const options = { model, oneMore: this.#listsOneMore, withBudget: this.#takesBudgets };
      if (call.sampling.thinkingBudget !== undefined && !options.withBudget) call.onBudgetIgnored?.();
      const request = await encodeRequest(endpoint, call, options);
      signal.throwIfAborted();
      try {
        return await generateOnce(this.#connections, call, request, signal);
      } catch (error) {
        // Another call may have learned of the same refusal meanwhile.
        const refusedOneMore = options.oneMore && this.#refusedOneMore(error, endpoint, call);
        if (!refusedOneMore && !(options.withBudget && this.#refusedBudget(error, call))) throw error;
      }
    }
  }

  /** Returns true if the request can be sent again with one alternative less. Later requests then also have one less. */
  #refusedOneMore(error: unknown, endpoint: Endpoint, { sampling }: CallContent): boolean {
    if (endpoint !== "generate" || sampling.topLogprobs === 0) return false;
    if (!(error instanceof EngineError) || error.code !== "engine_rejected_request") return false;
    if (!/logprobs/i.test(error.message)) return false;
    this.#listsOneMore = false;
    return true;
  }

  /** Returns true if the request can be sent again without a budget. Later requests then have none. */
  #refusedBudget(error: unknown, { sampling }: CallContent): boolean {
    if (sampling.thinkingBudget === undefined) return false;
    if (!(error instanceof EngineError) || !/thinking_token_budget/.test(error.message)) return false;
    this.#takesBudgets = false;
    return true;
  }

  get logprobs(): LogprobContent | undefined {
    return this.#logprobs.content;
  }

  findLogprobs(call: CallContent): Promise<LogprobContent> {
    return this.#logprobs.find(() =>
      runProbe(call, async (probe, signal) => {
        const { name } = await this.#servedModel();
        const [endpoint = "completions"] = this.#endpoints;
        const request = await encodeRequest(endpoint, probe, { model: name, idPrefix: PROBE_ID });
        await generateOnce(this.#connections, probe, request, signal);
      }),
    );
  }

  /** Forgets what was learned about an unreachable server: it may be restarted in another mode. */
  #forgetIfAway(error: unknown): void {
    if (!isUnavailable(error)) return;
    this.#logprobs.forget();
    this.#listsOneMore = true;
    this.#takesBudgets = true;
  }

  #servedModel(): Promise<ServedModel> {
    this.#model ??= askServedModel(this.#connections, this.#modelName).catch((error: unknown) => {
      this.#model = undefined;
      throw error;
    });
    return this.#model;
  }

  async requireModel(): Promise<void> {
    await this.#servedModel();
  }

  async adviseOnFlags(needs: ServerNeeds, signal: AbortSignal): Promise<readonly ServerAdvice[]> {
    const model = await this.#servedModel();
    const mayGenerate = this.#endpoints.includes("generate");
    return adviseOnVllmFlags(this.#connections, { needs, model, mayGenerate, idPrefix: PROBE_ID, signal });
  }

  async contextLength(): Promise<number> {
    const { contextLength } = await this.#servedModel();
    if (contextLength !== undefined) return contextLength;
    throw new EngineError("engine_error", "The engine does not report its context length.");
  }

  /** Both endpoints exist only in vLLM's development mode, like `/pause`. */
  async weightUpdate(): Promise<WeightUpdate> {
    const ask = async (path: string) => {
      const answer = await this.#connections.get(path, AbortSignal.timeout(UPDATE_MS)).catch(() => undefined);
      return answer?.status === 200 ? jsonObject(answer.body) : {};
    };
    const [pause, weights] = await Promise.all([ask("is_paused"), ask("weight_info")]);
    return { paused: pause["is_paused"] === true, version: versionNumber(weights["weight_version"]) };
  }

  /** vLLM's `/health` generates nothing; it fails if the engine's process has died. */
  async health(signal?: AbortSignal): Promise<void> {
    try {
      await requireHealthy(this.#connections, ["health"], signal);
    } catch (error) {
      this.#forgetIfAway(error);
      throw error;
    }
  }

  pause(mode: PauseMode): Promise<void> {
    return postControl(this.#connections, {
      path: `pause?mode=${mode}&clear_cache=true`,
      timeoutMilliseconds: PAUSE_MS,
    });
  }

  resume(): Promise<void> {
    return postControl(this.#connections, { path: "resume" });
  }

  /** Every worker of the server reads the folder itself. Only servers in development mode have these endpoints. */
  loadWeights({ path }: WeightSource, signal: AbortSignal): Promise<void> {
    const body = { method: "reload_weights", kwargs: { weights_path: path } };
    return postUpdate(this.#connections, { path: "collective_rpc", body, signal });
  }

  flushCache(signal: AbortSignal): Promise<void> {
    return postUpdate(this.#connections, { path: "reset_prefix_cache", signal });
  }

  setWeightVersion(version: number, signal: AbortSignal): Promise<void> {
    const body = { new_version: String(version) };
    return postUpdateIfServed(this.#connections, { path: "update_weight_version", body, signal });
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

interface RequestOptions {
  readonly model: string;
  /** Request one alternative more than the call needs, because the sampled token may take the place of one. */
  readonly oneMore?: boolean;
  /** Send the budget for the reasoning, if the call has one. */
  readonly withBudget?: boolean;
  readonly idPrefix?: string;
}

async function encodeRequest(
  endpoint: Endpoint,
  call: CallContent,
  { model, oneMore = false, withBudget = false, idPrefix = "" }: RequestOptions,
): Promise<GenerationRequest> {
  const { generation, sampling } = call;
  const requestId = idPrefix + randomUUID().replaceAll("-", "");
  const fields: RequestFields = {
    sampling,
    maxTokens: sampling.maxTokens - generation.length,
    minTokens: Math.max(0, sampling.minTokens - generation.length),
    thinkingBudget: withBudget ? sampling.thinkingBudget : undefined,
    model,
    requestId,
    stream: isStreamed(endpoint, call),
    oneMore,
  };
  const common = { headers: { "x-request-id": requestId }, format: "vllm" } as const;
  return endpoint === "generate"
    ? { ...common, path: GENERATE_PATH, ...(await requestBody(call, GENERATE_PREFIX, generateSuffix(fields))) }
    : {
        ...common,
        path: COMPLETIONS_PATH,
        ...(await requestBody(call, COMPLETIONS_PREFIX, completionsSuffix(fields))),
      };
}

/** Servers with `--tokens-only` do not search for stop strings. A streamed request can be stopped after one. */
function isStreamed(endpoint: Endpoint, { onTokens, sampling, tokenBytes }: CallContent): boolean {
  return onTokens !== undefined || (endpoint === "generate" && sampling.stop.length > 0 && tokenBytes !== undefined);
}

/**
 * Adds a missing finish reason: older servers send no frame if a generation ends without a new token. A stop token or the
 * token limit shows in the tokens. Otherwise the generation was cut, unless a stop string may have ended it that this proxy
 * cannot find, because it does not know the texts of the tokens.
 */
function withFinish(reply: EngineReply, { generation, sampling, tokenBytes }: CallContent): EngineReply {
  if (reply.finish) return reply;
  const last = generation.length > 0 ? generation.ids(generation.length - 1)[0] : undefined;
  if (last !== undefined && sampling.stopTokenIds.includes(last)) {
    return { ...reply, finish: { type: "stop", matched: last } };
  }
  if (generation.length >= sampling.maxTokens) return { ...reply, finish: { type: "length" } };
  return sampling.stop.length > 0 && !tokenBytes ? reply : { ...reply, finish: { type: "abort" } };
}
