import type { FastifyBaseLogger } from "fastify";
import type { App } from "../../http/app-type.js";
import { controlBody } from "../../http/control-body.js";
import { disconnectSignal } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import {
  heartbeatFields,
  LEASE_PATHS,
  leasesFields,
  leasesReply,
  lostReply,
  reportsFields,
  reportsReply,
  returnsFields,
  returnsReply,
  sessionsFields,
  updatesFields,
  updatesReply,
  workerFields,
  workerReply,
} from "../../rollout/lease/protocol.js";
import type { ControllerContext } from "./context.js";

/** The calls of rollout workers. Each may be repeated. */
export function leaseRoutes(
  app: App,
  { tasks, settings }: ControllerContext,
  logger: FastifyBaseLogger | undefined,
): void {
  const register = { schema: { body: controlBody(workerFields), response: { 200: workerReply } } };
  app.post(LEASE_PATHS.workers, register, async ({ body: { worker_id, name, replace } }) => {
    await tasks.register(worker_id, name, replace);
    logger?.info({ worker: name }, "a rollout worker registered");
    return settings;
  });

  const lease = { schema: { body: controlBody(leasesFields), response: { 200: leasesReply } } };
  app.post(LEASE_PATHS.leases, lease, async ({ body }, reply) => {
    const {
      worker_id: workerId,
      count,
      max_held: maxHeld,
      held,
      wait_seconds: waitSeconds,
      can_resume: canResume,
    } = body;
    if (!tasks.workers.touch(workerId)) throw unknownWorker(workerId);
    const leases = await tasks.lease(
      { workerId, count, maxHeld, held, waitSeconds, canResume },
      disconnectSignal(reply),
    );
    if (tasks.done) tasks.workers.remove(workerId);
    return { state: tasks.done ? ("done" as const) : ("running" as const), leases };
  });

  const announce = { schema: { body: controlBody(sessionsFields), response: { 200: lostReply } } };
  app.post(LEASE_PATHS.sessions, announce, async ({ body }) => ({ lost: await tasks.announce(body.sessions) }));

  const beat = { schema: { body: controlBody(heartbeatFields), response: { 200: lostReply } } };
  app.post(LEASE_PATHS.heartbeats, beat, async ({ body: { worker_id, lease_ids } }) => {
    tasks.workers.touch(worker_id);
    return { lost: await tasks.heartbeat(lease_ids) };
  });

  const report = { schema: { body: controlBody(reportsFields), response: { 200: reportsReply } } };
  app.post(LEASE_PATHS.reports, report, async ({ body }) => ({ refused: await tasks.report(body.reports) }));

  const update = { schema: { body: controlBody(updatesFields), response: { 200: updatesReply } } };
  app.post(LEASE_PATHS.updates, update, async ({ body }) => {
    const { worker_id: workerId, sessions, reports, max_held, held, can_resume: canResume } = body;
    // A worker that is not known to this process registers before it gets tasks.
    const maxHeld = tasks.workers.touch(workerId) ? max_held : undefined;
    return tasks.update({ workerId, sessions, reports, maxHeld, held, canResume });
  });

  const giveBack = { schema: { body: controlBody(returnsFields), response: { 200: returnsReply } } };
  app.post(LEASE_PATHS.returns, giveBack, async ({ body: { worker_id, lease_ids } }) => {
    return { returned: await tasks.dismiss(worker_id, lease_ids) };
  });
}

function unknownWorker(id: string): ApiError {
  const message = `Rollout worker ${id} is not registered: the controller was restarted. Register again.`;
  return new ApiError("rollout_worker_not_found", message, { param: "worker_id" });
}
