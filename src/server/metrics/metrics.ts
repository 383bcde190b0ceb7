import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { ExportMetrics } from "../../admin-api/export-metrics.js";
import { WeightMetrics } from "../../admin-api/weights/weight-metrics.js";
import type { GenerateResult } from "../../engine/engine.js";
import { addGauge } from "../../http/metrics/add-gauge.js";
import { addBuildInfo } from "../../http/metrics/build-info.js";
import { scrapeProcessMetrics } from "../../http/metrics/process.js";
import type { ChatModel } from "../../model/chat-model.js";
import type { ParsedOutput } from "../../model/output/output-parser.js";
import type { RecordedInteraction } from "../../session/recorded-interaction.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import type { MemoryBudget } from "../limits/memory-budget.js";
import { TeacherMetrics } from "../teachers/teacher-metrics.js";
import { type ObservedArchive, observeArchive } from "./archive-metrics.js";
import { type ObservedEngine, observeEngines } from "./engine-server-metrics.js";
import { observeEventLoopDelay } from "./event-loop-delay.js";
import { observeSessions } from "./session-metrics.js";
import { type ObservedServerStorage, observeStorage } from "./storage-metrics.js";
import { observeStore } from "./store-metrics.js";
import { UpstreamMetrics } from "./upstream-metrics.js";

const ENGINE_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800];

/** The parts of a recorded call that the metrics count. */
export interface CountedCall {
  /** The model that answered, if the server answers several. */
  readonly model: string | undefined;
  readonly interaction: RecordedInteraction;
  /** In `concat`: why its prompt was rendered again instead of continuing its parent's tokens. */
  readonly fallback: string | undefined;
  readonly result: GenerateResult;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly toolCalls: ParsedOutput["toolCalls"];
}

/** Objects with counts of their own, which are read at each scrape. */
export interface Observed {
  readonly registry: SessionRegistry;
  readonly model: Pick<ChatModel, "cacheStats">;
  readonly engine: ObservedEngine["engine"];
  /** The engines of the further models. Default: none. */
  readonly engines?: readonly (Pick<ObservedEngine, "engine"> & { readonly name: string })[] | undefined;
  readonly settings: { readonly modelName: string };
  readonly conversations: { readonly bytes: number };
  readonly store: Pick<MemoryBudget, "bytes" | "limit" | "heapBytes" | "heapLimit">;
  /** Undefined if sessions are not stored. */
  readonly storage?: ObservedServerStorage | undefined;
  /** Undefined if sessions are not archived. */
  readonly archive?: ObservedArchive | undefined;
}

/** The Prometheus metrics of one server. Each instance has its own registry. */
export class Metrics {
  readonly registry = new Registry();
  readonly #stopObserving: (() => void)[];

  readonly calls = this.#counter("rolltape_calls_total", "Model calls by API and outcome.", ["api", "outcome"]);
  readonly upstreams = new UpstreamMetrics(this.registry);
  readonly teachers = new TeacherMetrics(this.registry);
  readonly weights = new WeightMetrics(this.registry, "rolltape");
  readonly exports = new ExportMetrics(this.registry);
  readonly tokens = this.#counter(
    "rolltape_tokens_total",
    "Tokens of recorded interactions: prompts, and completions that the engine sampled.",
    ["direction", "model"],
  );
  readonly #cachedTokens = this.#counter(
    "rolltape_cached_prompt_tokens_total",
    "Prompt tokens that the engine reused from an earlier request. They are part of the prompt tokens.",
    [],
  );
  readonly resumes = this.#counter(
    "rolltape_engine_resumes_total",
    "Resumed generations, after a pause, a weight update or an abort by the engine.",
    [],
  );
  readonly openStreams = this.#openGauge("rolltape_open_streams", "Answers that are being streamed.");
  readonly firstOutputSeconds = this.#histogram(
    "rolltape_first_output_seconds",
    "Time from the start of a streamed call to its first output.",
    ENGINE_BUCKETS,
  );
  readonly fallbacks = this.#counter(
    "rolltape_continuation_fallbacks_total",
    "Prompts that were rendered again instead of continuing their parent's tokens, by cause.",
    ["cause"],
  );
  readonly brokenPrefixes = this.#counter(
    "rolltape_broken_prefixes_total",
    "Interactions whose prompt does not begin with their parent's tokens, by cause.",
    ["cause"],
  );
  readonly otherImageTokens = this.#counter(
    "rolltape_other_image_tokens_total",
    "Calls generated again because the engine's image tokens differ from those computed from the model's files.",
    [],
  );
  readonly toolCalls = this.#counter(
    "rolltape_outputs_with_tool_calls_total",
    "Outputs with tool calls by status: well formed, or malformed and left as text.",
    ["status"],
  );
  readonly parents = this.#counter("rolltape_interactions_total", "Recorded interactions by their link to a parent.", [
    "link",
  ]);
  readonly engineSeconds = this.#histogram(
    "rolltape_engine_seconds",
    "Time in the engine per model call.",
    ENGINE_BUCKETS,
  );
  constructor({ registry: sessions, model, engine, engines = [], settings, ...observed }: Observed) {
    const { conversations, store, storage, archive } = observed;
    addBuildInfo(this.registry, "rolltape_build_info");
    observeEngines(
      [
        { engine, model: engines.length > 0 ? settings.modelName : undefined },
        ...engines.map(({ name, engine }) => ({ engine, model: name })),
      ],
      this.registry,
    );
    this.#observeCache(model);
    const knownHelp = "Memory of the remembered newest requests of sessions, in bytes.";
    addGauge(this.registry, "rolltape_known_request_bytes", knownHelp, () => conversations.bytes);
    observeStore(store, this.registry);
    this.#stopObserving = [observeSessions(sessions, this.registry), observeEventLoopDelay(this.registry)];
    if (archive) observeArchive(archive, this.registry);
    if (storage) this.#stopObserving.push(observeStorage(storage, this.registry));
  }

  /** Counts a recorded call: tokens, its link to its parent, its tool calls. */
  countRecorded({
    model,
    interaction,
    fallback,
    result,
    promptTokens,
    completionTokens,
    toolCalls,
  }: CountedCall): void {
    const of = (direction: "prompt" | "completion") => (model === undefined ? { direction } : { direction, model });
    this.tokens.inc(of("prompt"), promptTokens);
    this.tokens.inc(of("completion"), completionTokens);
    this.#cachedTokens.inc(result.cachedTokens ?? 0);
    this.resumes.inc(result.resumes);
    const { parent, tokenExact } = interaction;
    this.parents.inc({ link: parent < 0 ? "root" : tokenExact ? "token_exact" : "not_exact" });
    if (fallback !== undefined) this.fallbacks.inc({ cause: fallback });
    if (parent >= 0 && !tokenExact) this.brokenPrefixes.inc({ cause: interaction.fallback ?? "rerendered" });
    if (toolCalls !== "none") this.toolCalls.inc({ status: toolCalls === "calls" ? "well_formed" : "malformed" });
  }

  /** Adds the metrics of the token cache, which has its own counts. */
  #observeCache(model: Pick<ChatModel, "cacheStats">): void {
    const lookups = this.#counter(
      "rolltape_token_cache_lookups_total",
      "Lookups of the token ids of prompt pieces by result.",
      ["result"],
      () => {
        const { hits, misses } = model.cacheStats;
        lookups.reset();
        lookups.inc({ result: "hit" }, hits);
        lookups.inc({ result: "miss" }, misses);
      },
    );
    const { registry } = this;
    addGauge(registry, "rolltape_token_cache_bytes", "Memory of cached token ids, in bytes.", () => {
      return model.cacheStats.bytes;
    });
    const limitHelp = "Memory that cached token ids may take at most, in bytes.";
    addGauge(registry, "rolltape_token_cache_limit_bytes", limitHelp, () => model.cacheStats.maxBytes);
  }

  /** Returns these metrics and those of the process in Prometheus' text format. */
  async scrape(): Promise<string> {
    return `${await this.registry.metrics()}\n${await scrapeProcessMetrics()}`;
  }

  close(): void {
    for (const stop of this.#stopObserving) stop();
    this.registry.clear();
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[], collect?: () => void): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry], ...(collect ? { collect } : {}) });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.registry] });
  }

  /** Adds a gauge that the server sets itself. */
  #openGauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] });
  }
}
