import type { UpstreamRule } from "../config/index.js";
import type { Engine } from "../engine/engine.js";
import type { VersionLabels } from "../engine/version-labels.js";
import type { Connections } from "../http/connections/connections.js";
import type { ConnectionLimits } from "../http/create-app.js";
import type { ChatModel } from "../model/chat-model.js";
import type { JsonLimits } from "../native/contract.js";
import type { ImagePolicy } from "../protocols/image-policy.js";
import type { ServerToolPolicy } from "../protocols/server-tools.js";
import type { SharedMemory, SharedMemoryOptions } from "../session/batch/batch-memory.js";
import type { BatchOrigin } from "../session/batch/batch-metadata.js";
import type { ExportLeases } from "../session/export/export-leases.js";
import type { Exporter } from "../session/export/exporter.js";
import type { PreparedExports } from "../session/export/prepared-exports.js";
import type { SharedExports } from "../session/export/shared-exports.js";
import type { SessionRegistry } from "../session/session-registry.js";
import type { PageFiles } from "../view/http/page-files.js";
import type { SamplingOverride } from "./call/sampling-override.js";
import type { CurrentVersion } from "./current-version.js";
import type { EngineHealth } from "./engine-health.js";
import type { Heap } from "./limits/heap-watch.js";
import type { MemoryBudget, StoreLimits } from "./limits/memory-budget.js";
import type { ProcessMemory } from "./limits/process-memory.js";
import type { SessionLimits } from "./limits/session-limits.js";
import type { KnownRequests } from "./memory/known-requests.js";
import type { Metrics } from "./metrics/metrics.js";
import type { ModelWarning } from "./model-warnings.js";
import type { RerenderedCalls } from "./rerendered-calls.js";
import type { ServerStorage } from "./storage/server-storage.js";
import type { UpstreamLimits } from "./upstreams/upstream-limits.js";
import type { ServerWeights } from "./weights/open-weights.js";

/** The objects that the routes use. */
export interface ServerContext {
  readonly registry: SessionRegistry;
  readonly exporter: Exporter;
  readonly engine: Engine;
  readonly engineHealth: EngineHealth;
  readonly model: ChatModel;
  /** Limits of the server with this model. */
  readonly modelWarnings: readonly ModelWarning[];
  readonly rerendered: RerenderedCalls;
  readonly metrics: Metrics;
  readonly settings: ServerSettings;
  readonly connections: Connections;
  readonly sharedMemory: SharedMemory;
  readonly sharedExports: SharedExports;
  readonly preparedExports: PreparedExports;
  readonly exportLeases: ExportLeases;
  readonly known: KnownRequests;
  readonly store: MemoryBudget;
  /** Undefined if sessions are not stored. */
  readonly storage?: ServerStorage | undefined;
  /** Describes the server in the metadata of each batch. */
  readonly origin: BatchOrigin;
  /** The weight version of engines that report none. */
  readonly weightVersion: CurrentVersion;
  /** The weight versions that engines name by a text. */
  readonly versionLabels: VersionLabels;
  /** Undefined if the engine cannot load weights. */
  readonly weights: ServerWeights | undefined;
  /** The server is shutting down and accepts no new sessions and model calls. */
  draining: boolean;
  /** Aborts when the shutdown stops waiting. */
  readonly shutdown: AbortController;
}

export interface ServerSettings {
  readonly adminKey: string;
  /** The part of the configuration that decides what is recorded. It is in the metadata of each batch. */
  readonly recordedConfig?: Readonly<Record<string, unknown>> | undefined;
  /** Name of the model in lists and in answers. */
  readonly modelName: string;
  /** The page of `/ui`. Undefined: the server has none. */
  readonly ui?: PageFiles | undefined;
  readonly maxBodyBytes: number;
  readonly connections: ConnectionLimits;
  /** Size of all bodies that are being received, in bytes. */
  readonly bodyBytesInFlight: number;
  /** Limits of the bodies that come with a session key. */
  readonly jsonLimits: JsonLimits;
  /** Limit of the characters in the messages and tools of a model call. */
  readonly maxPromptCharacters: number;
  /** Refuses control and export bodies with unknown fields. Default: true. */
  readonly strictControlFields?: boolean;
  /** Memory for the newest requests of sessions, so that their next requests cost only what is new in them. */
  readonly knownRequestBytes: number;
  readonly sessionLimits: SessionLimits;
  readonly store: StoreLimits;
  /** Model names that the policy does not answer. */
  readonly upstreams: readonly UpstreamRule[];
  readonly upstreamLimits: UpstreamLimits;
  /** Default: the heap of this process. */
  readonly heap?: Heap;
  /** Default: the memory of this process. */
  readonly memory?: ProcessMemory;
  /** Limit of prompt and output together, in tokens. Undefined: the context length of the engine. */
  readonly engineMaxTokens: number | undefined;
  readonly chatTemplateType: "hf" | "concat";
  /** Sampling parameters that agents may not choose. */
  readonly samplingOverride?: SamplingOverride | undefined;
  /** Refuses or drops tools that only an API's own server can run. */
  readonly serverTools: ServerToolPolicy;
  /** Refuses or replaces images, files and audio. */
  readonly images: ImagePolicy;
  /** Maximum number of answers to one request. */
  readonly maxChoices: number;
  /** Enforces the schemas of tools that a request declares as strict. */
  readonly enforceStrictTools: boolean;
  /** Time without output after which a stream sends a keep-alive. */
  readonly keepAliveSeconds: number;
  /** How long an export waits for calls in flight. */
  readonly drainSeconds: number;
  readonly sharedMemory?: SharedMemoryOptions;
  /** Logs a line per request. Default: false. */
  readonly accessLog?: boolean;
  /** Answers `/metrics` and `/openapi.json` without a key. */
  readonly publicMetrics: boolean;
  /** Seconds that a shutdown waits for calls in flight, for exports of ended sessions and for answers that are being sent. */
  readonly shutdownSeconds: number;
}
