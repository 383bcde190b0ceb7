import { z } from "zod";
import { type ListedRunSession, runSessions } from "../../admin-api/run-sessions.js";
import type { App } from "../../http/app-type.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import type { ExportServices } from "../services.js";

/** Adds the call that lists the sessions of a run, for its export. */
export function runSessionRoutes(app: App, { registry, exportLeases }: ExportServices): void {
  app.get(
    "/rl/runs/:id/sessions",
    {
      config: { key: "admin" },
      schema: {
        summary: "The sessions of a run whose data the server has, oldest first",
        params: z.object({ id: z.string() }),
        response: { 200: runSessions },
      },
    },
    async ({ params }) => {
      exportLeases.reap();
      return { sessions: [...(await listRun(registry, params.id))] };
    },
  );
}

/** Returns the sessions of a run that can be exported now or once they have ended, in the order in which they were started. */
export async function listRun(registry: SessionRegistry, runId: string): Promise<readonly ListedRunSession[]> {
  return registry.listRun(runId).map(({ id, xSessionId = "", state, createdAt }) => {
    return { session_id: id, x_session_id: xSessionId, state, created_at: createdAt / 1000 };
  });
}
