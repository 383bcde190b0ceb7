import { randomUUID } from "node:crypto";
import type { AskedValues } from "../../native/contract.js";
import {
  type EncodedImage,
  EngineError,
  type GenerateCall,
  type LogprobContent,
  type LoraAdapter,
  type PauseMode,
  type ServerNeeds,
  type ServerWarning,
  type WeightSource,
} from "../engine.js";
import { TokenValues } from "../servers/call/token-values.js";
import type { EngineServer, ReportedWeights, ServerReply, ServerRequest } from "../servers/engine-server.js";
import { LARGEST_VOCABULARY } from "../servers/engine-server-options.js";
import { ServerAdapters } from "../servers/server-adapters.js";
import { ServerVersions } from "../servers/versions/server-versions.js";
import { type EncodedRequest, ServerConnections } from "../servers/wire/connections.js";
import {
  askVersion,
  postControl,
  postUpdate,
  postUpdateIfServed,
  requireHealthy,
} from "../servers/wire/control-requests.js";
import { isUnavailable, NotServedError, notStarted, statusError, UnexplainedError } from "../servers/wire/errors.js";
import { generateOnce, writeBody } from "../servers/wire/generate-once.js";
import { writeImageBody } from "../servers/wire/image-body.js";
import { type AdapterCalls, loadAdapter, unloadAdapter } from "../servers/wire/load-adapter.js";
import { adviseOnFlags, hasMasks, isRefusedWithMasks, refuseGreedy } from "./explain-refusal.js";
import { listVllmWarnings } from "./flag-warnings.js";
import { type Endpoint, type Flags, KnownFlags } from "./known-flags.js";
import { LogprobsProbe, runProbe } from "./logprobs-probe.js";
import {
  COMPLETIONS_PATH,
  COMPLETIONS_PREFIX,
  completionsSuffix,
  GENERATE_PATH,
  GENERATE_PREFIX,
  generateSuffix,
  type VllmRequestFields,
} from "./request-fields.js";
import { contentPartsField, expansionRequest, featuresField, readExpansion, SentImages } from "./request-images.js";
import { askServedModel, type ServedModel } from "./served-model.js";
import type { VllmOptions } from "./vllm-options.js";

/** Time limit of a pause, which returns after the last running generation was cut. */
const PAUSE_MS = 60_000;

const MASKS_ADVICE = {
  generate: "start it with `--return-sampling-mask`",
  completions: `start it with \`--enable-scale-out --return-sampling-mask\`, because only /${GENERATE_PATH} returns them`,
} as const satisfies Record<Endpoint, string>;

const IMAGES_ADVICE = `vLLM takes the images of a prompt of token ids at /${GENERATE_PATH} only. Start it with \`--enable-scale-out\`.`;

const ADAPTERS: AdapterCalls = {
  prefix: "v1/",
  advice: "Start vLLM with `--enable-lora` and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True.",
};

/** Prefixes of the request ids of probes, which make them recognizable in the server's log. */
const PROBE_ID = "rolltape-logprobs-";
const MASKS_ID = "rolltape-masks-";

/** One vLLM server, or a router in front of several. A generation is aborted by closing its connection. */
export class VllmServer implements EngineServer {
  readonly url: string;
  readonly versions = new ServerVersions();
  readonly budgetStart = "reasoning";
  readonly #connections: ServerConnections;
  readonly #modelName: string | undefined;
  /** The endpoints that may be used, best first. */
  readonly #api: readonly Endpoint[];
  /** Those that the server may have. After one has answered, only that one. */
  #endpoints: readonly Endpoint[];
  #model: Promise<ServedModel> | undefined;
  readonly #logprobs = new LogprobsProbe();
  readonly #flags = new KnownFlags();
  readonly #sentImages = new SentImages();
  readonly #values: TokenValues;
  readonly #vocabularySize: number;
  /** Finds out whether the server returns sampling masks. */
  #masksProbe: Promise<boolean> | undefined;
  /** The last load of weights failed, or was not waited for. */
  #mayBeHalfLoaded = false;
  readonly adapters = new ServerAdapters((name) => unloadAdapter(this.#connections, name, ADAPTERS));

  constructor(url: string, options: VllmOptions) {
    const { maxInflight, apiKey, model, api = "auto" } = options;
    this.url = url;
    this.#connections = new ServerConnections(url, maxInflight, { apiKey });
    this.#modelName = model;
    this.#values = new TokenValues(url, options);
    this.#vocabularySize = options.vocabularySize ?? LARGEST_VOCABULARY;
    this.#api = api === "auto" ? ["generate", "completions"] : [api];
    this.#endpoints = this.#api;
  }

  async send(request: ServerRequest): Promise<ServerReply> {
    try {
      return withFinish(await this.#generate(request), request.call);
    } catch (error) {
      this.#forgetIfAway(error);
      throw adviseOnFlags(error);
    }
  }

  /** Tries the endpoints in order, until the server has one of them. */
  async #generate(request: ServerRequest): Promise<ServerReply> {
    const { name } = await this.#prepare().catch((error: unknown) => {
      throw notStarted(error);
    });
    using use = this.adapters.begin();
    if (use) request.versions.fix(use.adapter.version);
    const model = use?.adapter.name ?? name;
    let missing: unknown;
    for (const endpoint of this.#endpoints) {
      try {
        const reply = await this.#sendTo(endpoint, model, request);
        this.#endpoints = [endpoint];
        return reply;
      } catch (error) {
        if (!(error instanceof NotServedError)) throw error;
        missing = error;
      }
    }
    throw missing;
  }

  /** @throws EngineError if the server does not have the model, or its replies cannot be recorded */
  async #prepare(): Promise<ServedModel> {
    this.#logprobs.refuseLogits();
    return await this.#servedModel();
  }

  /** Sends the request, and again without what the server refused because of its flags and the call can do without. */
  async #sendTo(endpoint: Endpoint, model: string, request: ServerRequest): Promise<ServerReply> {
    const { call } = request;
    const { images = [], generation } = call;
    for (;;) {
      const flags = this.#flags.current;
      const sentImages = this.#sentImages.find(images);
      const isExpanded = images.length > 0 && this.#sentImages.hasAll(images);
      const begun = generation.length;
      if (call.sampling.thinkingBudget !== undefined && !flags.takesBudgets) request.ignored("thinkingBudget");
      if (flags.returnsMasks) refuseGreedy(call.sampling);
      const options = { model, flags, stream: this.versions.isStreamed, vocabularySize: this.#vocabularySize };
      const values = this.#values.ask(call, true);
      const asked = images.length > 0 && !isExpanded ? { ...values, promptIds: listPromptIds(call) } : values;
      const encoded = await encodeRequest(endpoint, call, { ...options, asked, sentImages, isExpanded });
      request.signal.throwIfAborted();
      try {
        const reply = await generateOnce(this.#connections, request, encoded);
        this.#values.note(asked, reply, call, MASKS_ADVICE[endpoint]);
        this.#sentImages.add(images);
        return reply;
      } catch (error) {
        const isRefused = generation.length === begun && error instanceof EngineError && !isUnavailable(error);
        // The server may have lost an image, which the error does not say.
        if (isRefused && sentImages.size > 0) {
          this.#sentImages.forget(images);
          continue;
        }
        if (!flags.returnsMasks && (await this.#isMaskRefusal(error, model, call))) continue;
        if (!this.#flags.learn(error, flags, call, endpoint)) throw error;
      }
    }
  }

  /** Returns true if the server failed a call because of `--return-sampling-mask`. Its error does not say so. */
  async #isMaskRefusal(error: unknown, model: string, call: GenerateCall): Promise<boolean> {
    if (!(error instanceof UnexplainedError && isRefusedWithMasks(call.sampling))) return false;
    this.#masksProbe ??= this.#returnsMasks(model, call).finally(() => {
      this.#masksProbe = undefined;
    });
    if (!(await this.#masksProbe)) return false;
    this.#flags.noteMasks();
    return true;
  }

  /** Requests one token that a server that returns sampling masks does not refuse. */
  async #returnsMasks(model: string, { prompt }: GenerateCall): Promise<boolean> {
    const body = {
      model,
      token_ids: Array.from(prompt.tokens().subarray(0, 1)),
      request_id: MASKS_ID + randomUUID().replaceAll("-", ""),
      sampling_params: { max_tokens: 1, temperature: 1, top_k: 1 },
    };
    const answer = await this.#connections
      .control({ method: "POST", path: GENERATE_PATH, body })
      .catch(() => undefined);
    return answer?.status === 200 && hasMasks(answer.body);
  }

  get logprobs(): LogprobContent | undefined {
    return this.#logprobs.content;
  }

  async expandImage(image: EncodedImage, tokenId: number, signal: AbortSignal): Promise<Int32Array> {
    if (!this.#api.includes("generate")) throw new EngineError("engine_error", IMAGES_ADVICE);
    const { name } = await this.#servedModel();
    const { status, body } = await this.#connections.control({
      method: "POST",
      path: GENERATE_PATH,
      body: expansionRequest(name, image, tokenId),
      signal,
      // A busy server begins late with it.
      timeoutMilliseconds: 0,
    });
    if (status !== 200) throw statusError(status, body);
    return readExpansion(body, tokenId);
  }

  findLogprobs(call: GenerateCall): Promise<LogprobContent> {
    return this.#logprobs.find(() =>
      runProbe(call, async (probe) => {
        const { name } = await this.#servedModel();
        const [endpoint = "completions"] = this.#endpoints;
        const encoded = await encodeRequest(endpoint, probe.call, { model: name, idPrefix: PROBE_ID });
        await generateOnce(this.#connections, probe, encoded);
      }),
    );
  }

  /** Forgets what was learned about an unreachable server: it may be restarted in another mode. */
  #forgetIfAway(error: unknown): void {
    if (!isUnavailable(error)) return;
    this.#logprobs.forget();
    this.#flags.forget();
    this.#sentImages.clear();
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

  async contextLength(): Promise<number> {
    const { contextLength } = await this.#servedModel();
    if (contextLength !== undefined) return contextLength;
    throw new EngineError("engine_error", "The engine does not report its context length.");
  }

  async listWarnings(needs: ServerNeeds, signal: AbortSignal): Promise<ServerWarning[]> {
    const model = await this.#servedModel();
    const mayGenerate = this.#api.includes("generate");
    return listVllmWarnings(this.#connections, { needs, model, mayGenerate, signal });
  }

  /** Only servers in development mode have this endpoint. */
  weightUpdate(): Promise<ReportedWeights> {
    return askVersion(this.#connections, "weight_info");
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
  async loadWeights({ path }: WeightSource, signal: AbortSignal): Promise<void> {
    if (this.#mayBeHalfLoaded) await this.#discardHalfLoaded(signal);
    this.#mayBeHalfLoaded = true;
    await this.#reloadWeights({ weights_path: path }, signal);
    this.#mayBeHalfLoaded = false;
  }

  /**
   * After a load that failed, vLLM keeps the tensors that it has read for layers that are not complete, and each next load fails at
   * one of these layers. A load of no tensors ends with discarding them. If it fails, the next load says why.
   */
  #discardHalfLoaded(signal: AbortSignal): Promise<void> {
    return this.#reloadWeights({ weights_iterator: [] }, signal).catch(() => undefined);
  }

  #reloadWeights(kwargs: object, signal: AbortSignal): Promise<void> {
    const body = { method: "reload_weights", kwargs };
    return postUpdate(this.#connections, { path: "collective_rpc", body, signal });
  }

  flushCache(signal: AbortSignal): Promise<void> {
    return postUpdate(this.#connections, { path: "reset_prefix_cache", signal });
  }

  setWeightVersion(version: number, signal: AbortSignal): Promise<boolean> {
    const body = { new_version: String(version) };
    return postUpdateIfServed(this.#connections, { path: "update_weight_version", body, signal });
  }

  /** vLLM does not report `--enable-sleep-mode`. */
  async requireSleep(): Promise<void> {}

  /** Level 1 keeps the weights in the memory of the host. */
  async sleep(signal: AbortSignal): Promise<boolean> {
    await postUpdate(this.#connections, { path: "sleep?level=1", signal });
    return true;
  }

  /** Ends the pause of the scheduler too, so only a proxy that holds its calls may wake a server. */
  wake(signal: AbortSignal): Promise<void> {
    return postUpdate(this.#connections, { path: "wake_up", signal });
  }

  loadAdapter(adapter: LoraAdapter, signal: AbortSignal): Promise<void> {
    return loadAdapter(this.#connections, adapter, ADAPTERS, signal);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

interface RequestOptions {
  readonly model: string;
  /** What the server does; absent for a probe, which needs nothing of it. */
  readonly flags?: Flags;
  /** Streams the reply although the call is not streamed. */
  readonly stream?: boolean;
  readonly vocabularySize?: number;
  readonly idPrefix?: string;
  /** Absent for a probe. */
  readonly asked?: AskedValues;
  /** Digests of the call's images that the server has. Their files are not sent again. */
  readonly sentImages?: ReadonlySet<string>;
  /** The server has all images of the call, with as many tokens as the prompt has. The request then has the ids of the prompt. */
  readonly isExpanded?: boolean;
}

async function encodeRequest(endpoint: Endpoint, call: GenerateCall, options: RequestOptions): Promise<EncodedRequest> {
  const { model, flags, stream = false, vocabularySize = LARGEST_VOCABULARY, idPrefix = "", asked = {} } = options;
  const { generation, images } = call;
  // The server requires a top-k. One of all ids leaves no id out, but the server then returns masks of all ids.
  const isWhole = flags?.returnsMasks === true && call.sampling.topK === 0;
  const sampling = {
    ...call.sampling,
    stop: flags?.findsStops === false ? [] : call.sampling.stop,
    topK: isWhole ? vocabularySize : call.sampling.topK,
  };
  const requestId = call.id ?? idPrefix + randomUUID().replaceAll("-", "");
  const fields: VllmRequestFields = {
    sampling,
    maxTokens: sampling.maxTokens - generation.length,
    minTokens: Math.max(0, sampling.minTokens - generation.length),
    thinkingBudget: flags?.takesBudgets ? sampling.thinkingBudget : undefined,
    model,
    requestId,
    // A mask of all ids takes a megabyte. A stream has one mask in each frame, so they are not in memory together.
    stream: stream || isWhole || isStreamed(endpoint, call),
    oneMore: flags?.listsOneMore ?? false,
    asked,
  };
  const headers = { "x-request-id": requestId };
  const common = { headers, format: "vllm", asked, maxMaskIds: sampling.topK } as const;
  if (endpoint === "completions") {
    if (images) throw new EngineError("engine_error", IMAGES_ADVICE);
    const body = await writeBody(call, COMPLETIONS_PREFIX, completionsSuffix(fields));
    return { ...common, path: COMPLETIONS_PATH, ...body };
  }
  const suffix = generateSuffix(fields);
  const { sentImages = new Set(), isExpanded = false } = options;
  if (images && !isExpanded) {
    const parts = { prefix: GENERATE_PREFIX, images: contentPartsField(images, sentImages), suffix };
    return { ...common, path: GENERATE_PATH, body: writeImageBody(call, parts) };
  }
  const body = await writeBody(call, GENERATE_PREFIX, images ? featuresField(images) + suffix : suffix);
  return { ...common, path: GENERATE_PATH, ...body };
}

/** Returns all ids that a request sends. */
function listPromptIds({ prompt, generation }: GenerateCall): Int32Array {
  const ids = prompt.tokens();
  return generation.length > 0 ? Int32Array.of(...ids, ...generation.ids(0)) : ids;
}

/** Servers with `--tokens-only` do not search for stop strings. A streamed request can be stopped after one. */
function isStreamed(endpoint: Endpoint, { onTokens, sampling, tokenBytes }: GenerateCall): boolean {
  return onTokens !== undefined || (endpoint === "generate" && sampling.stop.length > 0 && tokenBytes !== undefined);
}

/**
 * Adds a missing finish reason: older servers send no frame if a generation ends without a new token. A stop token or the
 * token limit shows in the tokens. Otherwise the generation was cut, unless a stop string may have ended it that this proxy
 * cannot find, because it does not know the texts of the tokens.
 */
function withFinish(reply: ServerReply, { generation, sampling, tokenBytes }: GenerateCall): ServerReply {
  if (reply.finish) return reply;
  const last = generation.length > 0 ? generation.ids(generation.length - 1)[0] : undefined;
  if (last !== undefined && sampling.stopTokenIds.includes(last)) {
    return { ...reply, finish: { type: "stop", matched: last } };
  }
  if (generation.length >= sampling.maxTokens) return { ...reply, finish: { type: "length" } };
  return sampling.stop.length > 0 && !tokenBytes ? reply : { ...reply, finish: { type: "abort" } };
}
