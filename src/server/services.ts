import type { Engine } from "../engine/engine.js";
import type { VersionLabels } from "../engine/version-labels.js";
import type { Connections } from "../http/connections/connections.js";
import type { ChatModel } from "../model/chat-model.js";
import type { ImageTokens } from "../model/images/image-tokens.js";
import type { SharedMemory } from "../session/batch/batch-memory.js";
import type { BatchOrigin } from "../session/batch/batch-metadata.js";
import type { ExportLeases } from "../session/export/export-leases.js";
import type { Exporter } from "../session/export/exporter.js";
import type { PreparedExports } from "../session/export/prepared-exports.js";
import type { SharedExports } from "../session/export/shared-exports.js";
import type { Session } from "../session/session.js";
import type { SessionRegistry } from "../session/session-registry.js";
import type { TraceHeaders } from "../telemetry/trace-headers.js";
import type { CurrentVersion } from "./current-version.js";
import type { EngineHealth } from "./engine-health.js";
import type { ImageFetcher } from "./image-urls/image-fetcher.js";
import type { MemoryBudget } from "./limits/memory-budget.js";
import type { ConversationMemory } from "./memory/conversation-memory.js";
import type { Metrics } from "./metrics/metrics.js";
import type { ModelWarning } from "./model-warnings.js";
import type { RerenderedCalls } from "./rerendered-calls.js";
import type { CallSettings, ServerSettings } from "./settings.js";
import type { ServerArchive } from "./storage/open-archive.js";
import type { ServerStorage } from "./storage/server-storage.js";
import type { ServerWeights } from "./weights/open-weights.js";

/** Services of model calls, exports and control calls. */
interface SharedServices {
  readonly registry: SessionRegistry;
  readonly engine: Engine;
  readonly metrics: Metrics;
  /** Undefined if sessions are not stored. */
  readonly storage?: ServerStorage | undefined;
  /** Undefined if sessions are not archived. */
  readonly archive?: ServerArchive | undefined;
  /** The weight version of engines that report none. */
  readonly weightVersion: CurrentVersion;
  /** The weight versions that engines name by a text. */
  readonly versionLabels: VersionLabels;
  /** The server is shutting down and accepts no new sessions and model calls. */
  readonly draining: boolean;
  /** The server accepts no new sessions; model calls of its sessions go on. */
  readonly cordoned: boolean;
}

/** The model that answers a call, if the server answers several. */
export interface AnsweringModel {
  readonly name: string;
  readonly frozen: boolean;
}

/** The services of one model for control calls. */
export interface ModelServices extends SharedServices {
  /** Undefined if the engine cannot load weights, or if the model is frozen. */
  readonly weights: ServerWeights | undefined;
}

/** One of several models, with the services of its calls. */
export interface NamedEngine extends AnsweringModel {
  readonly services: CallServices & ModelServices;
}

/** All models of a server that answers several. */
export interface AnsweringModels {
  /** The first is the main one. */
  readonly all: readonly NamedEngine[];
  /** Those that are not frozen. */
  readonly trained: readonly NamedEngine[];
  /** Returns the model with this name, the main one for undefined; undefined if there is none. */
  lookUp(name: string | undefined): NamedEngine | undefined;
  /** Like `lookUp`. @throws ApiError `model_not_found` */
  find(name: string | undefined): NamedEngine;
  /**
   * Returns the model that a control call is for.
   *
   * @param name undefined: the only model that is not frozen
   * @throws ApiError `model_not_found`, or `invalid_value` if the model is frozen or one of several must be named
   */
  findTrained(name: string | undefined): NamedEngine;
}

/** Services of a model call. */
export interface CallServices extends SharedServices {
  readonly model: ChatModel;
  readonly settings: CallSettings;
  /** The model that answers, if there are several. Absent: the server has one, which answers whatever the name. */
  readonly answering?: AnsweringModel | undefined;
  /** All models that the server answers. Absent: it has one. */
  readonly engines?: AnsweringModels | undefined;
  readonly conversations: ConversationMemory;
  readonly rerendered: RerenderedCalls;
  /** Undefined if prompts have no images. */
  readonly imageTokens: ImageTokens | undefined;
  /** Undefined if images must be sent as data. */
  readonly imageFetcher: ImageFetcher | undefined;
}

/** Services of the routes of sessions, exports and weights. */
export interface ExportServices extends SharedServices {
  readonly settings: Pick<ServerSettings, "drainSeconds">;
  readonly exporter: Exporter;
  readonly sharedMemory: SharedMemory;
  readonly sharedExports: SharedExports;
  readonly preparedExports: PreparedExports;
  readonly exportLeases: ExportLeases;
  /** Limits the memory of sessions. */
  readonly store: MemoryBudget;
  /** Describes the server in the metadata of each batch. */
  readonly origin: BatchOrigin;
  /** Undefined if the engine cannot load weights. */
  readonly weights: ServerWeights | undefined;
  /** Traces of the episodes that started sessions. Calls without a trace of their own belong to them. Undefined without telemetry. */
  readonly sessionTraces: WeakMap<Session, TraceHeaders> | undefined;
  /** All models that the server answers. Absent: it has one. */
  readonly engines?: AnsweringModels | undefined;
  /** Aborts when the shutdown stops waiting. */
  readonly shutdown: AbortController;
}

/** All services of a server, for what starts, describes and stops it. */
export interface ServerServices extends CallServices, ExportServices {
  readonly settings: ServerSettings;
  /** The remembered requests of all models. */
  readonly knownRequests: Pick<ConversationMemory, "sweep">;
  readonly engineHealth: Pick<EngineHealth, "check">;
  /** Limits of the server with this model. */
  readonly modelWarnings: readonly ModelWarning[];
  readonly connections: Connections;
  draining: boolean;
  cordoned: boolean;
}
