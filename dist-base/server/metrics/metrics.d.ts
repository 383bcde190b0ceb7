import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { WeightMetrics } from "../../control/weights/weight-metrics.js";
import type { Engine, GenerateResult } from "../../engine/engine.js";
import type { ChatModel } from "../../model/chat-model.js";
import type { ParsedOutput } from "../../model/output/output-parser.js";
import type { ExportSummary } from "../../session/batch/batch-metadata.js";
import type { Interaction } from "../../session/interaction.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import type { Store } from "../limits/store.js";
import { type ObservedStorage } from "./storage-metrics.js";
import { UpstreamMetrics } from "./upstream-metrics.js";
/** The parts of a recorded call that the metrics count. */
export interface RecordedCall {
    readonly interaction: Interaction;
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
    readonly engine: Pick<Engine, "type" | "servers" | "load">;
    readonly known: {
        readonly bytes: number;
    };
    readonly store: Pick<Store, "bytes" | "limit" | "heapBytes" | "heapLimit">;
    /** Undefined if sessions are not stored. */
    readonly storage?: {
        readonly storage: ObservedStorage;
    } | undefined;
}
/** The Prometheus metrics of one server. Each instance has its own registry. */
export declare class Metrics {
    #private;
    readonly registry: Registry<"text/plain; version=0.0.4; charset=utf-8">;
    readonly calls: Counter<"api" | "outcome">;
    readonly upstreams: UpstreamMetrics;
    readonly weights: WeightMetrics;
    readonly tokens: Counter<"direction">;
    readonly resumes: Counter<never>;
    readonly openStreams: Gauge<string>;
    readonly firstOutputSeconds: Histogram<string>;
    readonly fallbacks: Counter<"cause">;
    readonly brokenPrefixes: Counter<"cause">;
    readonly toolCalls: Counter<"status">;
    readonly parents: Counter<"link">;
    readonly engineSeconds: Histogram<string>;
    readonly exportSeconds: Histogram<string>;
    readonly exportBytes: Counter<never>;
    constructor({ registry: sessions, model, engine, known, store, storage }: Observed);
    /** Counts a recorded call: tokens, its link to its parent, its tool calls. */
    countRecorded({ interaction, fallback, result, promptTokens, completionTokens, toolCalls }: RecordedCall): void;
    /** Counts what an export leaves out, and rows and trees with missing rewards. A repeated export counts again. */
    countExport({ unrewardedRoots, uncountedRewardRows, leftOut }: ExportSummary): void;
    /** Measures the time of one export, even if it fails. */
    timeExport<T>(pack: () => Promise<T>): Promise<T>;
    /** Returns these metrics and those of the process in Prometheus' text format. */
    scrape(): Promise<string>;
    close(): void;
}
