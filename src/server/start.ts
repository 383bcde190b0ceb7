import { hostname } from "node:os";
import type { FastifyBaseLogger } from "fastify";
import { pino } from "pino";
import { registerWorker } from "../admin-api/worker-registration.js";
import {
  type Config,
  compileMessageFilters,
  listUnsafeFilters,
  readConnectionLimits,
  readProbeSettings,
  readUpstreams,
  readWorkerTag,
  refuseUnusedStorage,
  type Starter,
  TEMPLATE_TYPE,
} from "../config/index.js";
import { toSamplingOverride } from "../facts/sampling-override.js";
import { listen } from "../http/listen.js";
import { fitToOpenFiles } from "../http/open-files.js";
import { ProbePort } from "../http/probes/probe-port.js";
import type { OutputFamilies } from "../model/output/family-lookup.js";
import type { JsonLimits } from "../native/contract.js";
import { SessionRegistry } from "../session/session-registry.js";
import { newWorkerTag } from "../session/worker-tag.js";
import type { Outbox } from "../storage/archive/outbox.js";
import { openTelemetry } from "../telemetry/open-telemetry.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import { type PageFiles, readPageFiles } from "../view/http/page-files.js";
import { createServer } from "./app.js";
import { addLostChanges, drain, type StopReport } from "./drain.js";
import { type EngineReadiness, engineReadiness, joinReadiness, namedReadiness } from "./engine-readiness.js";
import { withImagePolicy } from "./image-policy.js";
import { toSessionLimits, toStoreLimits, toUpstreamLimits } from "./limits/configured-limits.js";
import type { ModelWarning } from "./model-warnings.js";
import { openEngine } from "./open-engine.js";
import { openNamedEngines, requireOtherNames } from "./open-named-engines.js";
import { removeOrphans } from "./orphans.js";
import { readReadiness } from "./readiness.js";
import { findServerNeeds } from "./server-needs.js";
import type { ServerSettings } from "./settings.js";
import { closeStorage } from "./storage/lost-changes.js";
import { openOutbox } from "./storage/open-archive.js";
import { openServerStorage, type ServerStorage } from "./storage/server-storage.js";
import { openWeightVersion } from "./storage/weight-version.js";
import { startSweeps } from "./sweeps.js";
import type { TeacherSettings } from "./teachers/teacher-scores.js";
import { chooseTemplateType, describeTemplateType, type TemplateType, withTemplateType } from "./template-type.js";
import { VersionFile } from "./version-file.js";

export interface StartOptions {
  readonly adminKey: string;
  /** Default: no log. */
  readonly logger?: FastifyBaseLogger;
  /**
   * The program that starts the server for a user who configured no `rollout.agent.chat_template_type`. It is then `concat`, if the
   * model's chat template allows it. Default: the value of the configuration.
   */
  readonly startedBy?: Starter | undefined;
}

export interface RunningServer {
  readonly url: string;
  /** Address of `server.probe_port`. Undefined if it is not set. */
  readonly probeUrl: string | undefined;
  /** Name of this server in session keys and ids, if it has one. */
  readonly workerTag: string | undefined;
  /** Name of the served model. */
  readonly model: string;
  /** Absolute path of the model's folder. */
  readonly modelPath: string;
  /** The families by whose format the model's outputs are read. */
  readonly families: OutputFamilies;
  /** How it makes prompts. */
  readonly templateType: TemplateType;
  /** How it treats images: see `rollout.agent.images`. */
  readonly images: ServerSettings["images"];
  /** Limits of the server with this model, which the log has too. */
  readonly warnings: readonly ModelWarning[];
  /** Asks the engine servers whether they can serve calls. Takes some seconds if one does not answer. */
  readiness(): Promise<EngineReadiness>;
  /** Drains and then stops the server: see {@link drain}. Idempotent. */
  close(): Promise<StopReport>;
}

const MAX_MESSAGES = 4096;

/** Limits of bodies that are sent with a session key. `messages`, `input` and `contents` are the conversation in the APIs' requests. */
export const JSON_LIMITS: JsonLimits = {
  depth: 64,
  values: 50_000,
  keys: 4096,
  lists: { messages: MAX_MESSAGES, input: MAX_MESSAGES, contents: MAX_MESSAGES, tools: 512 },
};

/** Maximum number of answers that one call may ask for. Their ids must fit a header. */
const MAX_CHOICES = 64;
/** Time without output after which a stream sends a comment or a ping. */
const KEEP_ALIVE_SECONDS = 15;
/** Time that requests which arrive after the drain may take. */
const CLOSE_GRACE_MS = 2_000;

const createSilentLogger = () => pino({ level: "silent" });

const ANY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** Starts the engine and the proxy of a configuration. Resolves when calls are accepted. */
export async function startServer(
  config: Config,
  { adminKey, logger = createSilentLogger(), startedBy }: StartOptions,
): Promise<RunningServer> {
  refuseUnusedStorage(config);
  // Fails if a key is missing, so this comes before the engine starts, which may take minutes.
  readUpstreams(config, process.env);
  // Before the engine, too: an orchestrator asks meanwhile.
  const probes = await ProbePort.open({ ...readProbeSettings(config), logger });
  let telemetry: Telemetry | undefined;
  try {
    telemetry = await openTelemetry(config.telemetry, { service: "rolltape-proxy", log: logger });
    return await startProxy(config, { adminKey, logger, startedBy, probes, telemetry });
  } catch (error) {
    await telemetry?.close();
    await probes?.close();
    throw error;
  }
}

interface ProxyNeeds extends Required<StartOptions> {
  readonly probes: ProbePort | undefined;
  readonly telemetry: Telemetry | undefined;
}

async function startProxy(
  given: Config,
  { adminKey, logger, startedBy, probes, telemetry }: ProxyNeeds,
): Promise<RunningServer> {
  const ui: PageFiles | undefined = given.server.ui ? await readPageFiles() : undefined;
  const { engine, model } = await openEngine(given, (message) => logger.warn({ engine: given.engine.type }, message));
  const further = await openNamedEngines(given, model, {
    onWarning: (name, message) => logger.warn({ model: name }, message),
  }).catch(async (error: unknown) => {
    await Promise.all([engine.close(), model.close()]);
    throw error;
  });
  const templateType = chooseTemplateType(given, model, startedBy);
  let storage: ServerStorage | undefined;
  let outbox: Outbox | undefined;
  const release = () =>
    Promise.all([engine.close(), further.close(), model.close(), storage?.storage.close(), outbox?.close()]);
  try {
    const config = withImagePolicy(withTemplateType(given, templateType), { model, engine });
    warnOfUnsafeFilters(config, logger);
    const configured = toServerSettings(config, adminKey, config.model.name ?? model.name);
    requireOtherNames(config, configured.modelName);
    const needs = { modelDigest: model.digest, storeBytes: configured.store.bytes, logger };
    storage = await openServerStorage(config, needs);
    const registry = createRegistry(config, adminKey, storage);
    registry.restore();
    if (storage) {
      const { active, ended, exported } = registry.countByState();
      logger.info({ directory: storage.storage.directory, active, ended, exported }, "sessions read from storage");
    }
    const connections = fitToOpenFiles(configured.connections, countEngineConnections(config), logger);
    const settings = { ...configured, connections, ui };
    const weightVersion = openWeightVersion(storage, createVersionFile(config, logger));
    outbox = await openOutbox(config, logger);
    const { app, context } = await createServer({
      registry,
      engine,
      model,
      engines: further.engines,
      settings,
      weightVersion,
      storage,
      outbox,
      telemetry,
      logger,
    });
    const choice = describeTemplateType(templateType);
    if (choice !== undefined) logger.info({ key: TEMPLATE_TYPE }, choice);
    for (const { key, message } of context.modelWarnings) logger.warn({ key }, message);
    await weightVersion.readFile();
    const url = await listen(app, config.server);
    const deregister = register(config, registry, url);
    // After `register`, which replaces the registration of a dead server with the same tag.
    removeOrphans(context, config, logger);
    // Read the file again: a gateway sets versions only on registered servers, and this server was not registered before.
    await weightVersion.readFile();
    const stopSweeps = startSweeps(context, config);
    await probes?.start(() => readReadiness(context));

    let closing: Promise<StopReport> | undefined;
    const stop = async () => {
      const stopped = Date.now();
      const drained = drain(context, logger);
      await probes?.refresh();
      const report = await drained;
      deregister();
      stopSweeps();
      const closeTimer = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS);
      await app.close();
      clearTimeout(closeTimer);
      // The application does not wait for connections of the Unix socket.
      app.server.closeAllConnections();
      removeOrphans(context, config, logger);
      await context.archive?.close(config.server.shutdown_seconds * 1000 - (Date.now() - stopped));
      const lost = storage && (await closeStorage(storage, registry, logger));
      await release();
      await telemetry?.close();
      await probes?.close();
      return lost ? addLostChanges(report, lost) : report;
    };
    const readiness = async () => {
      const needs = await findServerNeeds(model, config);
      return joinReadiness([
        await engineReadiness(engine, config, needs),
        ...(await Promise.all(further.engines.map((each, i) => namedReadiness(each, i, config)))),
      ]);
    };
    const { modelWarnings: warnings } = context;
    const { families, folder: modelPath } = model;
    return {
      url,
      probeUrl: probes?.url,
      workerTag: registry.workerTag,
      model: settings.modelName,
      modelPath,
      families,
      templateType,
      images: settings.images,
      warnings,
      readiness,
      close: () => (closing ??= stop()),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Returns how many connections the engine's servers may need. Each generation has its own. */
function countEngineConnections({ engine, engines }: Config): number {
  const served = engine.type === "embedded" ? engines : [engine, ...engines];
  return served.reduce((sum, { urls, max_inflight }) => sum + urls.length * max_inflight, 0);
}

function warnOfUnsafeFilters(config: Config, logger: FastifyBaseLogger): void {
  for (const pattern of listUnsafeFilters(config)) {
    const advice = "An agent can choose a text that it takes exponential time on. Write it without `unsafe`.";
    logger.warn({ pattern }, `A filter of rollout.agent.message_filters is unsafe. ${advice}`);
  }
}

/** Returns an empty registry with the limits of the configuration. */
export function createRegistry(config: Config, adminKey: string, storage?: ServerStorage): SessionRegistry {
  const { agent } = config.rollout;
  const workerTag = readWorkerTag(config);
  return new SessionRegistry({
    adminKey,
    timeoutMilliseconds: agent.session_timeout_seconds * 1000,
    retention: { milliseconds: agent.export_retention_seconds * 1000, bytes: agent.export_retention_bytes },
    workerTag: workerTag === "auto" ? (storage?.workerTag ?? newWorkerTag()) : (workerTag ?? undefined),
    taggedKeysOnly: isBehindGateway(config),
    messageFilters: compileMessageFilters(config),
    records: storage?.records,
    digestKey: storage?.digestKey,
  });
}

/** Returns true if a gateway finds this server: in the shared folder, or by a tag that the user chose. */
function isBehindGateway({ server }: Config): boolean {
  return server.workers_folder !== null || (server.worker_tag !== null && server.worker_tag !== "auto");
}

function createVersionFile({ server }: Config, logger: FastifyBaseLogger): VersionFile | undefined {
  if (server.workers_folder === null) return undefined;
  return new VersionFile(server.workers_folder, (problem) => logger.error(problem));
}

/** Registers the server in the shared folder, if one is configured. Returns a function that removes the registration. */
function register({ server }: Config, { workerTag }: SessionRegistry, url: string): () => void {
  if (server.workers_folder === null || workerTag === undefined) return () => undefined;
  const reachable = new URL(url);
  if (server.advertised_host !== null) reachable.hostname = server.advertised_host;
  else if (ANY_ADDRESS.has(server.host)) reachable.hostname = hostname();
  return registerWorker(server.workers_folder, { url: reachable.origin, tag: workerTag });
}

/** Returns the settings of a server with this configuration. */
export function toServerSettings(
  config: Config,
  adminKey: string,
  modelName: string,
  env: NodeJS.ProcessEnv = process.env,
): ServerSettings {
  const { agent } = config.rollout;
  return {
    adminKey,
    recordedConfig: selectRecordedConfig(config),
    modelName,
    maxBodyBytes: config.server.max_body_bytes,
    connections: readConnectionLimits(config),
    bodyBytesInFlight: config.server.body_bytes_in_flight,
    jsonLimits: JSON_LIMITS,
    maxPromptCharacters: config.server.max_prompt_characters,
    accessLog: config.server.access_log,
    publicMetrics: config.server.public_metrics,
    strictControlFields: config.server.strict_control_fields,
    knownRequestBytes: config.server.known_request_bytes,
    sessionLimits: toSessionLimits(config),
    store: toStoreLimits(config),
    upstreams: readUpstreams(config, env),
    upstreamLimits: toUpstreamLimits(config),
    engineMaxTokens: agent.engine_max_tokens ?? undefined,
    chatTemplateType: agent.chat_template_type,
    samplingOverride: toSamplingOverride(agent.sampling_override),
    topLogprobs: config.engine.top_logprobs,
    serverTools: agent.server_tools,
    // `withImagePolicy` has replaced `auto`.
    images: agent.images === "auto" ? "refuse" : agent.images,
    imageHosts: agent.image_urls === "fetch" ? agent.image_hosts : undefined,
    maxChoices: MAX_CHOICES,
    enforceStrictTools: agent.enforce_strict_tools,
    keepAliveSeconds: KEEP_ALIVE_SECONDS,
    drainSeconds: agent.drain_seconds,
    sharedMemory: { directory: config.server.shared_memory_directory, maxBytes: config.server.shared_memory_bytes },
    shutdownSeconds: config.server.shutdown_seconds,
    teachers: config.teachers.map(toTeacherSettings),
  };
}

function toTeacherSettings(teacher: Config["teachers"][number]): TeacherSettings {
  const { name, engine: type, urls, model, api_key: apiKey } = teacher;
  return {
    name,
    type,
    urls,
    model: model ?? undefined,
    apiKey: apiKey ?? undefined,
    topLogprobs: teacher.top_k,
    maxInflight: teacher.max_inflight,
    timeoutSeconds: teacher.timeout_seconds,
    atEnd: teacher.when === "end",
  };
}

/** Returns the configuration keys that decide how conversations become tokens and how parents are found. */
function selectRecordedConfig({ engine, rollout: { agent } }: Config): Readonly<Record<string, unknown>> {
  return {
    engine: engine.type,
    chat_template_type: agent.chat_template_type,
    chat_template_kwargs: agent.chat_template_kwargs,
    tool_call_parser: agent.tool_call_parser,
    reasoning_parser: agent.reasoning_parser,
    engine_max_tokens: agent.engine_max_tokens,
    message_filters: agent.message_filters,
    server_tools: agent.server_tools,
    images: agent.images,
  };
}
