import type { WithoutChannels } from "../../facts/channels.js";
import type { ExpertModel } from "../../native/contract.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import { startCallDeadline } from "../call-deadline.js";
import {
  type EncodedImage,
  type Engine,
  EngineError,
  type EngineSupport,
  type ExpandImage,
  type ExpandImageOptions,
  type GenerateCall,
  type GenerateResult,
  type SamplingParams,
  type SamplingRefusal,
  type ServerControl,
} from "../engine.js";
import { VersionLabels } from "../version-labels.js";
import { generateOnServers } from "./call/generate-on-servers.js";
import { expertBytes, maskBytes, VALUE_BYTES } from "./call/token-values.js";
import type { EngineServer } from "./engine-server.js";
import { checkServerOptions, type EngineServerOptions } from "./engine-server-options.js";
import { PauseControl } from "./pause/pause-control.js";
import { createServerUpdate } from "./pause/server-update.js";
import { ServerPool } from "./pool/server-pool.js";
import { isUnavailable } from "./wire/errors.js";

const DEFAULT_HEALTH_SECONDS = 10;

/** Properties that all servers of a type share. */
export interface ServedEngineType {
  readonly type: string;
  readonly supports: EngineSupport;
  readonly effectiveTemperature: (temperature: number, topK: number) => number;
  readonly refuseSampling?: Engine["refuseSampling"] | undefined;
}

/** An engine that consists of servers of one type. */
export class ServedEngine implements Engine {
  readonly type: string;
  readonly supports: EngineSupport;
  readonly servers: ServerControl;
  readonly recordedExperts: ExpertModel | undefined;
  readonly channelMetadata?: Readonly<Record<string, unknown>>;
  readonly recordsMasks: boolean;
  readonly effectiveTemperature: (temperature: number, topK: number) => number;
  readonly expandImage: ExpandImage | undefined;
  readonly #refuseSampling: ServedEngineType["refuseSampling"];
  readonly #options: EngineServerOptions;
  readonly #pool: ServerPool;
  readonly #pause: PauseControl;
  readonly #labels = new VersionLabels();
  #contextLength: Promise<number> | undefined;

  /** @throws RangeError if an option is out of range, TypeError if an address is not a URL. */
  constructor(
    { type, supports, effectiveTemperature, refuseSampling }: ServedEngineType,
    options: EngineServerOptions,
    makeServer: (url: string) => EngineServer,
  ) {
    checkServerOptions(options);
    const { urls, maxInflight, routedExperts, healthSeconds = DEFAULT_HEALTH_SECONDS } = options;
    this.type = type;
    this.supports = supports;
    this.recordedExperts = routedExperts;
    if (routedExperts?.moeLayers) this.channelMetadata = { moe_layers: routedExperts.moeLayers };
    this.recordsMasks = options.maxKeptTokens !== undefined;
    this.effectiveTemperature = effectiveTemperature;
    this.#refuseSampling = refuseSampling;
    this.#options = options;
    this.#pool = new ServerPool(urls.map(makeServer), { maxInflight, healthMilliseconds: healthSeconds * 1000 });
    const tells = this.#pool.servers.some((server) => "expandImage" in server);
    this.expandImage = tells ? (image, options) => this.#expandImage(image, options) : undefined;
    const pause = new PauseControl(this.#pool);
    this.#pause = pause;
    this.servers = {
      readiness: (signal, needs) => this.#pool.readiness((server) => this.#requireModel(server), signal, needs),
      list: () => this.#pool.list(),
      get paused() {
        return pause.hold.mode;
      },
      pause: (mode, urls) => pause.pause(mode, urls),
      resume: (options) => pause.resume(options),
      drain: (url, signal) => this.#pool.drain(url, signal),
      restore: (url) => this.#pool.restore(url),
      nameVersion: (version) => pause.nameVersion(version),
      update: createServerUpdate(this.#pool, pause, options),
    };
  }

  refuseSampling(sampling: SamplingParams, without?: WithoutChannels): SamplingRefusal | undefined {
    return this.#refuseSampling?.(sampling, without);
  }

  sequenceChannelBytes(without: WithoutChannels = []): number {
    const experts = this.recordedExperts;
    return experts && !without.includes("routed_experts") ? expertBytes(experts) : 0;
  }

  outputChannelBytes(sampling: SamplingParams, without: WithoutChannels = []): number {
    const { maxKeptTokens, tokenIdsLogprob = [] } = this.#options;
    const hasMask = maxKeptTokens !== undefined && !without.includes("kept_ids");
    const fixed = without.includes("token_ids_logprobs") ? 0 : tokenIdsLogprob.length;
    return (hasMask ? maskBytes(sampling, maxKeptTokens) : 0) + VALUE_BYTES * fixed;
  }

  /** Returns the shortest context length of all servers. They are asked once, and again if one did not answer. */
  contextLength(): Promise<number> {
    this.#contextLength ??= this.#askContextLength();
    return this.#contextLength;
  }

  async #askContextLength(): Promise<number> {
    if (this.#options.contextLength !== undefined) return this.#options.contextLength;
    const answers = await this.#pool.ask((server) => server.contextLength());
    const lengths = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    const refused = answers.find((answer) => answer.status === "rejected");
    if (refused) this.#contextLength = undefined;
    if (refused && lengths.length === 0) throw refused.reason;
    return Math.min(...lengths);
  }

  async #requireModel(server: EngineServer): Promise<void> {
    await server.requireModel?.();
    if (this.#options.contextLength === undefined) await server.contextLength();
  }

  async generate(call: GenerateCall, abort?: AbortSource): Promise<GenerateResult> {
    using deadline = startCallDeadline(abort, this.#options.timeoutSeconds, () => this.#pause.hold.mode !== undefined);
    const { versionLabels: labels = this.#labels } = call;
    return await generateOnServers({ pool: this.#pool, hold: this.#pause.hold, labels }, call, deadline);
  }

  /** Asks the servers one after the other, until one answers. */
  async #expandImage(image: EncodedImage, { tokenId, affinityKey, abort }: ExpandImageOptions): Promise<Int32Array> {
    const { hold } = this.#pause;
    using deadline = startCallDeadline(abort, this.#options.timeoutSeconds, () => hold.mode !== undefined);
    if (hold.mode !== undefined) await hold.pass(deadline);
    let failure: unknown;
    for (const server of this.#pool.serversFor(affinityKey)) {
      try {
        const ids = await server.expandImage?.(image, tokenId, deadline.signal);
        if (ids) return ids;
      } catch (error) {
        deadline.throwIfAborted();
        if (!isUnavailable(error)) throw error;
        failure = error;
      }
    }
    throw failure ?? new EngineError("engine_unavailable", "Every engine server is being drained.");
  }

  health(signal?: AbortSignal): Promise<void> {
    return this.#pool.health(signal);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
