import { Readable } from "node:stream";
import { refuseDuplicates } from "../../admin-api/batch-request.js";
import { selectSessions } from "../../admin-api/run-sessions.js";
import { SESSIONS_FILE, sessionsBody } from "../../admin-api/sessions-request.js";
import type { App } from "../../http/app-type.js";
import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import { writeSessions } from "../../session/stored/file/write-sessions.js";
import type { ExportServices } from "../services.js";
import { toExportRules } from "./export-rules.js";
import { listRun } from "./run-sessions.js";

/** Adds the call that sends the records of sessions as a sessions file. The sessions stay as they are. */
export function exportSessionsRoutes(app: App, services: ExportServices): void {
  app.post(
    "/export_sessions",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: { summary: "The records of many sessions as a file, which leaves them as they are", body: sessionsBody },
    },
    async (request, reply) => {
      const { exporter, origin, registry } = services;
      const body = await selectSessions(request.body, (runId) => listRun(registry, runId));
      await refuseDuplicates(body.session_ids);
      const rules = toExportRules(body, services, disconnectSignal(reply));
      const { sessions, settle } = await exporter.prepare(body.session_ids, rules, () => Promise.resolve());
      const file = Readable.from(writeSessions(sessions, origin), { objectMode: false });
      // Not when the response closes, because the session that is being read must not be freed until the file is closed.
      file.once("close", () => settle("left"));
      onResponseClose(reply, () => file.destroy());
      return reply.type(SESSIONS_FILE).send(file);
    },
  );
}
