import type { UpstreamRule } from "../config/index.js";
import type { SamplingOverride } from "../facts/sampling-override.js";
import type { ConnectionLimits } from "../http/create-app.js";
import type { JsonLimits } from "../native/contract.js";
import type { ImagePolicy } from "../protocols/image-policy.js";
import type { ServerToolPolicy } from "../protocols/server-tools.js";
import type { SharedMemoryOptions } from "../session/batch/batch-memory.js";
import type { PageFiles } from "../view/http/page-files.js";
import type { Heap } from "./limits/heap-watch.js";
import type { StoreLimits } from "./limits/memory-budget.js";
import type { ProcessMemory } from "./limits/process-memory.js";
import type { SessionLimits } from "./limits/session-limits.js";
import type { TeacherSettings } from "./teachers/teacher-scores.js";
import type { UpstreamLimits } from "./upstreams/upstream-limits.js";

/** The part of the configuration that model calls follow. */
export interface CallSettings {
  /** Name of the model in lists and in answers. */
  readonly modelName: string;
  /** Limits of the bodies that come with a session key. */
  readonly jsonLimits: JsonLimits;
  /** Limit of the characters in the messages and tools of a model call. */
  readonly maxPromptCharacters: number;
  /** Limit of prompt and output together, in tokens. Undefined: the context length of the engine. */
  readonly engineMaxTokens: number | undefined;
  readonly chatTemplateType: "hf" | "concat";
  /** Sampling parameters that agents may not choose. */
  readonly samplingOverride?: SamplingOverride | undefined;
  /** Alternatives of each sampled token that are recorded; 0 for none. */
  readonly topLogprobs: number;
  /** Refuses or drops tools that only an API's own server can run. */
  readonly serverTools: ServerToolPolicy;
  /** Refuses or replaces images, files and audio. */
  readonly images: ImagePolicy;
  /** Hosts from which images are fetched although their addresses are not public. Undefined: no images are fetched. */
  readonly imageHosts?: readonly string[] | undefined;
  /** Maximum number of answers to one request. */
  readonly maxChoices: number;
  /** Enforces the schemas of tools that a request declares as strict. */
  readonly enforceStrictTools: boolean;
  /** Time without output after which a stream sends a keep-alive. */
  readonly keepAliveSeconds: number;
}

export interface ServerSettings extends CallSettings {
  readonly adminKey: string;
  /** The part of the configuration that decides what is recorded. It is in the metadata of each batch. */
  readonly recordedConfig?: Readonly<Record<string, unknown>> | undefined;
  /** The page of `/ui`. Undefined: the server has none. */
  readonly ui?: PageFiles | undefined;
  readonly maxBodyBytes: number;
  readonly connections: ConnectionLimits;
  /** Size of all bodies that are being received, in bytes. */
  readonly bodyBytesInFlight: number;
  /** Refuses control and export bodies with unknown fields. Default: true. */
  readonly strictControlFields?: boolean;
  /** Memory for the newest requests of sessions, so that their next requests cost only what is new in them. */
  readonly knownRequestBytes: number;
  readonly sessionLimits: SessionLimits;
  readonly store: StoreLimits;
  /** Model names that the policy does not answer. */
  readonly upstreams: readonly UpstreamRule[];
  readonly upstreamLimits: UpstreamLimits;
  /** Models that score recorded tokens. Default: none. */
  readonly teachers?: readonly TeacherSettings[] | undefined;
  /** Default: the heap of this process. */
  readonly heap?: Heap;
  /** Default: the memory of this process. */
  readonly memory?: ProcessMemory;
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
