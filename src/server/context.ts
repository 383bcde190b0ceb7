import type { Engine } from "../engine/engine.js";
import type { ChatModel } from "../model/chat-model.js";
import type { SharedMemory, SharedMemoryOptions } from "../session/batch/batch-memory.js";
import type { BatchOrigin } from "../session/batch/batch-metadata.js";
import type { Exporter } from "../session/exporter.js";
import type { PreparedExports } from "../session/prepared-exports.js";
import type { SessionRegistry } from "../session/session-registry.js";
import type { SharedExports } from "../session/shared-exports.js";
import type { SamplingOverride } from "./call/sampling-override.js";
import type { CurrentVersion } from "./current-version.js";
import type { KnownRequests } from "./known/known-requests.js";
import type { Metrics } from "./metrics/metrics.js";

/** What the routes work with. */
export interface ServerContext {
  readonly registry: SessionRegistry;
  readonly exporter: Exporter;
  readonly engine: Engine;
  readonly model: ChatModel;
  readonly metrics: Metrics;
  readonly settings: ServerSettings;
  readonly sharedMemory: SharedMemory;
  readonly sharedExports: SharedExports;
  readonly preparedExports: PreparedExports;
  readonly known: KnownRequests;
  /** What each batch says of the server that recorded it. */
  readonly origin: BatchOrigin;
  /** The weight version of engines that report none. */
  readonly weightVersion: CurrentVersion;
  /** The server is going down: no new sessions and model calls. */
  draining: boolean;
  /** Aborts when the server waits for nothing any more. */
  readonly shutdown: AbortController;
}

export interface ServerSettings {
  readonly adminKey: string;
  /** The configuration that decides what is recorded, as batches show it. */
  readonly recordedConfig?: Readonly<Record<string, unknown>> | undefined;
  /** Name under which the model is listed and answered. */
  readonly modelName: string;
  readonly maxBodyBytes: number;
  /** Whether control and export bodies with unknown fields are refused. Default true. */
  readonly strictControlFields?: boolean;
  /** What running conversations may take so that only what is new in their requests is worked on. */
  readonly knownRequestBytes: number;
  /** Prompt and output together, in tokens; undefined: what the engine can hold. */
  readonly engineMaxTokens: number | undefined;
  readonly chatTemplateType: "hf" | "concat";
  /** Sampling parameters that agents may not choose. */
  readonly samplingOverride?: SamplingOverride;
  /** Whether tools that a request calls strict are called with arguments of their schema only. */
  readonly enforceStrictTools: boolean;
  /** Pause after which a stream without output is told that it lives. */
  readonly keepAliveSeconds: number;
  /** How long an export waits for calls in flight. */
  readonly drainSeconds: number;
  readonly sharedMemory?: SharedMemoryOptions;
  /** How long a server that goes down waits for calls in flight and for ended sessions to be exported. */
  readonly shutdownSeconds: number;
}
