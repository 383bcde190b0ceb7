import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { z } from "zod";
import { grantBody, startBody, startRunBody } from "../../admin-api/session-schemas.js";
import { versionBody } from "../../admin-api/weight-version.js";
import { dropUnfixed } from "../../facts/sampling-override.js";
import type { App } from "../../http/app-type.js";
import { controlBody } from "../../http/control-body.js";
import { ApiError } from "../../http/errors.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import { listControlled } from "../named-engines.js";
import { requireSession } from "../plugins/auth.js";
import { CORDONED } from "../readiness.js";
import type { ExportServices, ModelServices } from "../services.js";

const rewardBody = controlBody({
  reward: z.number({ error: "must be a finite number" }),
  interaction_id: z.string().optional(),
  scope: z
    .enum(["interaction", "session"])
    .default("interaction")
    .describe("`session` rewards the session as a whole, in addition to rewards of its interactions."),
});

/**
 * How long a reward waits while its session is being packed for an export. An export through a gateway takes as long as the
 * slowest worker; the client then gets `session_exporting` and tries again.
 */
const EXPORT_WAIT_MS = 2_000;

/** Capacity, start and end of sessions, rewards, weight version. */
export function controlRoutes(app: App, services: ExportServices): void {
  grantCapacity(app, services);
  startSession(app, services);
  startRun(app, services);
  currentSession(app);
  setReward(app);
  endSession(app);
  setVersion(app, services);
}

function grantCapacity(app: App, { registry }: ExportServices): void {
  app.post(
    "/grant_capacity",
    {
      config: { key: "admin" },
      schema: {
        summary: "Add free slots; each start_session takes one",
        body: grantBody,
        response: { 200: z.object({ capacity: z.int() }) },
      },
    },
    async ({ body: { slots } }) => {
      const capacity = registry.grant(slots);
      await storeOrUndo(registry, () => registry.grant(-slots));
      return { capacity };
    },
  );
}

function startSession(app: App, services: ExportServices): void {
  app.post(
    "/rl/start_session",
    {
      config: { key: "admin" },
      schema: {
        summary: "Create a session and its key",
        body: startBody,
        response: { 200: z.object({ session_id: z.string(), session_api_key: z.string(), api_key: z.string() }) },
      },
    },
    async ({ body, clientTrace }) => {
      requireAccepting(services);
      if (body.weight_version) services.weightVersion.takeOver(body.weight_version);
      const { session, key } = services.registry.start({
        taskId: body.task_id,
        groupId: body.group_id,
        samplingOverride: dropUnfixed(body.sampling_override),
        withoutChannels: body.without_channels,
        split: body.split,
        leaseId: body.lease_id,
        apiKey: body.api_key,
      });
      await storeOrUndo(services.registry, () => services.registry.cancelStart(session));
      if (clientTrace) services.sessionTraces?.set(session, clientTrace);
      return { session_id: session.id, session_api_key: key, api_key: key };
    },
  );
}

/** @throws if the server accepts no new session at the moment */
export function requireAccepting({
  draining,
  cordoned,
  store,
}: Pick<ExportServices, "draining" | "cordoned" | "store">): void {
  if (draining) throw new ApiError("server_draining", "The server is shutting down.");
  // A gateway then starts the session on another server.
  if (cordoned) throw new ApiError("no_capacity", CORDONED);
  store.requireRoomForSession();
}

function startRun(app: App, { registry }: ExportServices): void {
  app.post(
    "/rl/start_run",
    {
      config: { key: "admin" },
      schema: {
        summary: "Create a key for many sessions, each of which is started by its first call",
        body: startRunBody,
        response: { 200: z.object({ run_id: z.string(), run_api_key: z.string() }) },
      },
    },
    async ({ body }) => {
      const { run, key } = registry.runKeys.start({
        taskId: body.task_id ?? "task",
        groupId: body.group_id,
        samplingOverride: dropUnfixed(body.sampling_override),
        withoutChannels: body.without_channels,
        split: body.split,
      });
      return { run_id: run.runId, run_api_key: key };
    },
  );
}

/** The session of the key, for gateways and for clients that need its id. With a run key, POST starts it if it does not exist. */
function currentSession(app: App): void {
  const answer = z.object({
    session_id: z.string(),
    run_id: z.string().nullable(),
    x_session_id: z.string().nullable(),
  });
  const read = (request: FastifyRequest) => {
    const { id, runId = null, xSessionId = null } = requireSession(request);
    return { session_id: id, run_id: runId, x_session_id: xSessionId };
  };
  app.get(
    "/rl/current_session",
    { config: { key: "session" }, schema: { summary: "The session of the key", response: { 200: answer } } },
    async (request) => read(request),
  );
  app.post(
    "/rl/current_session",
    {
      config: { key: "session", startsSession: true },
      schema: {
        summary: "The session of the key, which is started if it is that of a run",
        body: controlBody({}),
        response: { 200: answer },
      },
    },
    async (request) => read(request),
  );
}

/** Waits until a change is on disk. If the disk refuses it, undoes it, because the client may repeat the call. */
async function storeOrUndo(registry: SessionRegistry, undo: () => void): Promise<void> {
  try {
    await registry.flushed();
  } catch (error) {
    undo();
    throw error;
  }
}

function setReward(app: App): void {
  app.post(
    "/rl/set_reward",
    {
      config: { key: "session" },
      schema: {
        summary: "Set the reward of an interaction (default: the last one) or of the session as a whole",
        body: rewardBody,
        response: {
          200: z.object({
            interaction_id: z.string().nullable().describe("Null if `scope` is `session`."),
            reward: z.number(),
            scope: z.literal("session").optional(),
          }),
        },
      },
    },
    async (request) => {
      const { reward, interaction_id, scope } = request.body;
      if (scope === "session" && interaction_id !== undefined) {
        const message =
          "`interaction_id` must be absent if `scope` is `session`: such a reward belongs to no interaction.";
        throw new ApiError("invalid_value", message, { param: "interaction_id" });
      }
      const session = requireSession(request);
      await session.lifecycle.waitSettled(EXPORT_WAIT_MS);
      requireSession(request);
      if (scope === "interaction") return { interaction_id: session.setReward(reward, interaction_id), reward };
      session.setSessionReward(reward);
      return { interaction_id: null, reward, scope };
    },
  );
}

function endSession(app: App): void {
  app.post(
    "/rl/end_session",
    {
      config: { key: "session" },
      schema: {
        summary: "End the session; it can then be exported",
        body: controlBody({}),
        response: { 200: z.object({ session_id: z.string(), interaction_count: z.int() }) },
      },
    },
    async (request) => {
      const session = requireSession(request);
      return { session_id: session.id, interaction_count: session.end() };
    },
  );
}

function setVersion(app: App, services: ExportServices): void {
  app.post(
    "/rl/set_version",
    {
      config: { key: "admin" },
      schema: {
        summary: "Set the weight version, also on engine servers that can name it with their tokens",
        body: versionBody,
        response: { 200: z.object({ version: z.int() }) },
      },
    },
    async (request) => {
      const { body } = request;
      const models = listControlled(services, body.model);
      // A gateway that updates the weights sets the version on its workers.
      for (const { weights } of models) weights?.updates.requireNone();
      for (const model of models) {
        await model.weightVersion.set(body.version, body.set_at);
        await nameVersion(model, request.log);
      }
      return { version: models[0]?.weightVersion.version ?? body.version };
    },
  );
}

/** Gives the engine servers the current version. During an update of a gateway, one worker has given each server its version. */
async function nameVersion({ engine, weights, weightVersion }: ModelServices, log: FastifyBaseLogger): Promise<void> {
  if (!engine.servers || weights?.known.update) return;
  const { version } = weightVersion;
  for (const [url, { message }] of await engine.servers.nameVersion(version)) {
    log.warn(
      { engine: url, version, reason: message },
      "an engine server could not be given the weight version; while it reports another one, its calls are marked as uncertain",
    );
  }
}
