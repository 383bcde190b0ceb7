import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { toErrorBody } from "../admin-api/error-body.js";
import { TEMPLATE_TYPE } from "../config/index.js";
import type { Engine } from "../engine/engine.js";
import type { App } from "../http/app-type.js";
import { bodyBudget } from "../http/body-budget.js";
import { BodyShares } from "../http/body-shares.js";
import { closedConnections } from "../http/connections/closed-connections.js";
import { createApp } from "../http/create-app.js";
import { earlyAnswer } from "../http/early-answer.js";
import { errorHandler } from "../http/error-handler.js";
import type { ApiError } from "../http/errors.js";
import { jsonBody } from "../http/json-body.js";
import { CONTROL_LIMITS } from "../http/json-limits.js";
import { httpRequests } from "../http/metrics/http-requests.js";
import { countRefusals } from "../http/metrics/refusals.js";
import { failTrace, tracing } from "../http/tracing.js";
import type { ChatModel } from "../model/chat-model.js";
import { SharedMemory } from "../session/batch/batch-memory.js";
import type { BatchOrigin } from "../session/batch/batch-metadata.js";
import { ExportLeases } from "../session/export/export-leases.js";
import { Exporter } from "../session/export/exporter.js";
import { PreparedExports } from "../session/export/prepared-exports.js";
import { SharedExports } from "../session/export/shared-exports.js";
import type { SessionRegistry } from "../session/session-registry.js";
import type { Outbox } from "../storage/archive/outbox.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import { CurrentVersion } from "./current-version.js";
import { EngineHealth } from "./engine-health.js";
import { toServerApiError } from "./errors.js";
import { openImageTokens } from "./image-policy.js";
import { ImageFetcher } from "./image-urls/image-fetcher.js";
import { Admission } from "./limits/admission.js";
import { availableMemory } from "./limits/configured-limits.js";
import { createHeap } from "./limits/heap-watch.js";
import { MemoryBudget } from "./limits/memory-budget.js";
import { createProcessMemory } from "./limits/process-memory.js";
import { BodyImages } from "./memory/body-images.js";
import { ConversationMemory, joinMemories } from "./memory/conversation-memory.js";
import { createKnownBodyReader } from "./memory/known-body-reader.js";
import { restoreSpelling } from "./memory/restore-spelling.js";
import { Metrics } from "./metrics/metrics.js";
import { listModelWarnings } from "./model-warnings.js";
import { type NamedEngineOptions, NamedEngines, openHealth } from "./named-engines.js";
import { openapi } from "./openapi/openapi.js";
import { admissionPlugin } from "./plugins/admission.js";
import { auth, requiredKey } from "./plugins/auth.js";
import { storagePlugin } from "./plugins/storage.js";
import { upstreamsPlugin } from "./plugins/upstreams.js";
import { RerenderedCalls } from "./rerendered-calls.js";
import { chatCompletionRoutes } from "./routes/chat-completions.js";
import { controlRoutes, requireAccepting } from "./routes/control.js";
import { cordonRoutes } from "./routes/cordon.js";
import { engineRoutes } from "./routes/engine.js";
import { exportRoutes } from "./routes/export.js";
import { exportSessionsRoutes } from "./routes/export-sessions.js";
import { generateContentRoutes } from "./routes/generate-content.js";
import { googleModelsRoutes } from "./routes/google-models.js";
import { messagesRoutes } from "./routes/messages.js";
import { modelsRoutes } from "./routes/models.js";
import { preparedExportRoutes } from "./routes/prepared-export.js";
import { responsesRoutes } from "./routes/responses.js";
import { runSessionRoutes } from "./routes/run-sessions.js";
import { serviceRoutes } from "./routes/service.js";
import { sessionRoutes } from "./routes/sessions.js";
import { tokenPromptRoutes } from "./routes/token-prompts.js";
import { transcriptRoutes } from "./routes/transcripts.js";
import { weightRoutes, weightStepRoutes } from "./routes/weights.js";
import type { ServerServices } from "./services.js";
import type { ServerSettings } from "./settings.js";
import { startArchive } from "./storage/open-archive.js";
import { ORIGIN, type ServerStorage } from "./storage/server-storage.js";
import { openVersionLabels } from "./storage/version-labels.js";
import { TeacherScores, type TeacherSettings } from "./teachers/teacher-scores.js";
import { uiRoutes } from "./ui/ui-routes.js";
import { UpstreamRules } from "./upstreams/upstream-rules.js";
import { openWeights } from "./weights/open-weights.js";

export interface ServerOptions {
  readonly registry: SessionRegistry;
  readonly engine: Engine;
  readonly model: ChatModel;
  /** Further models that the server answers. Default: none, so the model answers whatever name a request has. */
  readonly engines?: readonly NamedEngineOptions[] | undefined;
  readonly settings: ServerSettings;
  /** Default: no version is set, and it is not shared with other servers. */
  readonly weightVersion?: CurrentVersion;
  /** Where the sessions of the registry are stored. */
  readonly storage?: ServerStorage | undefined;
  /** Where the sessions of the registry are archived. */
  readonly outbox?: Outbox | undefined;
  /** Default: no traces. */
  readonly telemetry?: Telemetry | undefined;
  readonly logger?: FastifyBaseLogger;
}

type Mutable<T, Key extends keyof T> = Omit<T, Key> & { -readonly [Name in Key]: T[Name] };

/** Share of the JavaScript heap that remembered requests may take, whatever the configuration allows. */
const KNOWN_SHARE = 1 / 8;

/** Returns the entry of a teacher in the configuration that batches record. `listTeachers` reads it. */
function describeTeacher({ name, type, model, topLogprobs }: TeacherSettings): Record<string, unknown> {
  return { name, engine: type, ...(model !== undefined && { model }), top_k: topLogprobs };
}

/** Returns the entry of a further model in the configuration that batches record. */
function describeEngine({ name, frozen, engine, model }: NamedEngineOptions): Record<string, unknown> {
  return { name, engine: engine.type, frozen, model_digest: model.digest };
}

function toBatchOrigin({ settings, engine, model, engines = [] }: ServerOptions): BatchOrigin {
  const { chatTemplateType, recordedConfig = {}, teachers = [] } = settings;
  const config = {
    engine: engine.type,
    chat_template_type: chatTemplateType,
    ...recordedConfig,
    ...(engines.length > 0 && { engines: engines.map(describeEngine) }),
    ...(teachers.length > 0 && { teachers: teachers.map(describeTeacher) }),
  };
  return { model: settings.modelName, modelDigest: model.digest, config, channels: engine.channelMetadata };
}

/** Creates the proxy as a Fastify application that does not listen yet. Closing it does not close the engine. */
export async function createServer({
  logger,
  engines: further = [],
  weightVersion = new CurrentVersion(),
  ...options
}: ServerOptions): Promise<{ app: App; context: ServerServices }> {
  const { registry, settings } = options;
  const described = toBatchOrigin({ ...options, engines: further });
  options.storage?.records.saveValue(ORIGIN, described);
  const { store: limits, heap = createHeap(), sessionLimits } = settings;
  const { memory = createProcessMemory(availableMemory()) } = settings;
  const knownRequestBytes =
    Math.min(settings.knownRequestBytes, KNOWN_SHARE * heap.read().limit) / (1 + further.length);
  const conversations = new ConversationMemory(knownRequestBytes);
  const ofFurther = further.map(() => new ConversationMemory(knownRequestBytes));
  const known = joinMemories([conversations, ...ofFurther]);
  const rules = new UpstreamRules(settings.upstreams, [settings.modelName, ...further.map(({ name }) => name)]);
  const sharedMemory = new SharedMemory(settings.sharedMemory);
  const store = new MemoryBudget({ registry, conversations: known, sharedMemory, limits, heap, memory });
  const app = createApp({
    logger,
    maxBodyBytes: settings.maxBodyBytes,
    strictControlFields: settings.strictControlFields,
    connections: settings.connections,
    accessLog: settings.accessLog,
    needsKey: ({ routeOptions }) => requiredKey(routeOptions) !== "none",
  });
  const versionLabels = openVersionLabels(options.storage, app.log);
  const origin: BatchOrigin = {
    ...described,
    get versionLabels() {
      return versionLabels.known.versions;
    },
  };
  const archive = options.outbox && startArchive(options.outbox, { registry, origin }, app.log);
  const metrics = new Metrics({ ...options, engines: further, conversations: known, store, archive });
  const teacherScores = new TeacherScores({
    teachers: settings.teachers ?? [],
    registry,
    metrics: metrics.teachers,
    logger: app.log,
  });
  const context: Mutable<ServerServices, "engines" | "engineHealth"> = {
    ...options,
    modelWarnings: listModelWarnings(options.model, options.engine, settings.chatTemplateType),
    imageTokens: openImageTokens(options, (message) => app.log.warn({ key: "rollout.agent.images" }, message)),
    rerendered: new RerenderedCalls((message) => app.log.warn({ key: TEMPLATE_TYPE }, message)),
    connections: app.connections,
    exporter: new Exporter(registry, (sessions, signal) => teacherScores.score(sessions, signal)),
    engineHealth: new EngineHealth(options.engine),
    metrics,
    archive,
    sharedMemory,
    sharedExports: new SharedExports(),
    preparedExports: new PreparedExports(),
    exportLeases: new ExportLeases(registry, options.storage?.records),
    conversations,
    knownRequests: known,
    store,
    origin,
    weightVersion,
    versionLabels,
    weights: await openWeights({ ...options, weightVersion, metrics: metrics.weights, logger: app.log }),
    imageFetcher: settings.imageHosts && new ImageFetcher({ hosts: settings.imageHosts }),
    draining: false,
    cordoned: false,
    sessionTraces: options.telemetry && new WeakMap(),
    shutdown: new AbortController(),
  };
  if (further.length > 0) {
    const needs = { storage: options.storage, metrics: metrics.weights, logger: app.log, conversations: ofFurther };
    context.engines = await NamedEngines.open(context, further, needs);
    context.engineHealth = openHealth(context.engines);
  }
  app.addHook("onClose", async () => {
    await teacherScores.close();
    await context.imageFetcher?.close();
    context.metrics.close();
    context.preparedExports.close();
    context.sharedExports.close();
    context.sharedMemory.close();
  });

  await app.register(httpRequests, { register: context.metrics.registry, name: "rolltape_http_requests_total" });
  await app.register(closedConnections, {
    sendTimeoutMilliseconds: settings.connections.sendTimeoutMilliseconds,
    register: context.metrics.registry,
    metric: "rolltape_closed_connections_total",
  });
  await app.register(earlyAnswer);
  const count = countRefusals("rolltape_refused_total", context.metrics.registry);
  const onAnswer = (error: ApiError, request?: FastifyRequest) => {
    count(error);
    failTrace(error, request);
  };
  await app.register(errorHandler, { toApiError: toServerApiError, toBody: toErrorBody, onAnswer });
  app.decorateRequest("takenImages", undefined);
  await app.register(jsonBody, {
    limits: ({ session }) => (session ? settings.jsonLimits : CONTROL_LIMITS),
    readLarge: createKnownBodyReader(context.conversations.bodies, {
      isKept: (value) => rules.findForBody(value) === undefined,
      images: context.imageTokens && new BodyImages(),
    }),
    keepsBytes: ({ routeOptions }) => settings.upstreams.length > 0 && routeOptions.config.upstream !== undefined,
    revive: restoreSpelling,
  });
  await app.register(auth, { registry, adminKey: settings.adminKey, requireRoom: () => requireAccepting(context) });
  // After `auth`: requests without a key get no span.
  await app.register(tracing, {
    telemetry: options.telemetry,
    isTraced: ({ routeOptions }) => requiredKey(routeOptions) !== "none",
    findParent: ({ session }) => (session ? context.sessionTraces?.get(session) : undefined),
  });
  if (options.storage) await app.register(storagePlugin, { registry, server: options.storage });
  await app.register(bodyBudget, {
    budget: new BodyShares(settings.bodyBytesInFlight),
    findSender: ({ session }) => session,
    register: context.metrics.registry,
    metric: "rolltape_body_bytes_in_flight",
  });
  // After `bodyBudget`: otherwise a session could fill the store with bodies that it only declares.
  await app.register(admissionPlugin, {
    admission: new Admission(store, sessionLimits),
    isDraining: () => context.draining,
  });
  if (settings.upstreams.length > 0) await app.register(upstreamsPlugin, { context, rules });
  await app.register(openapi);
  app.after(() => {
    controlRoutes(app, context);
    cordonRoutes(app, context);
    sessionRoutes(app, context);
    runSessionRoutes(app, context);
    transcriptRoutes(app, context);
    engineRoutes(app, context);
    weightRoutes(app, context);
    weightStepRoutes(app, context);
    chatCompletionRoutes(app, context);
    tokenPromptRoutes(app, context);
    responsesRoutes(app, context);
    messagesRoutes(app, context);
    generateContentRoutes(app, context);
    modelsRoutes(app, context, rules);
    googleModelsRoutes(app, context);
    exportRoutes(app, context);
    preparedExportRoutes(app, context);
    exportSessionsRoutes(app, context);
    serviceRoutes(app, context);
  });
  await uiRoutes(app, context);
  await app.ready();
  return { app, context };
}
