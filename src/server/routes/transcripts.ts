import { z } from "zod";
import { JSON_LINES_TYPE } from "../../admin-api/failed-transcript.js";
import { transcriptQuery, transcriptsBody } from "../../admin-api/session-schemas.js";
import type { App } from "../../http/app-type.js";
import { disconnectSignal } from "../../http/disconnect.js";
import { sessionTranscript } from "../../transcript/schema.js";
import { readTranscriptLines } from "../read-transcript-lines.js";
import type { ExportServices } from "../services.js";
import { readTranscript } from "../transcript-body.js";
import { sendBytes } from "./send-bytes.js";

/** Adds the calls that read transcripts: that of one session as JSON, those of several as JSON lines. */
export function transcriptRoutes(app: App, { registry }: ExportServices): void {
  app.get(
    "/rl/sessions/:id/transcript",
    {
      config: { key: "admin" },
      schema: {
        summary: "The messages, answers and rewards of one session, without tokens. Their text is untrusted",
        params: z.object({ id: z.string() }),
        querystring: transcriptQuery,
        response: { 200: sessionTranscript },
      },
    },
    async ({ params, query }, reply) =>
      sendBytes(reply, "application/json", await readTranscript(registry, params.id, query.discount)),
  );

  app.post(
    "/rl/transcripts",
    {
      config: { key: "admin", onlyReads: true },
      schema: { summary: "The transcripts of several sessions, one on each line", body: transcriptsBody },
    },
    async ({ body }, reply) => {
      const { session_ids: ids, discount } = body;
      const signal = disconnectSignal(reply);
      const lines = await readTranscriptLines(registry, ids, { discount, signal, log: reply.log });
      return sendBytes(reply, JSON_LINES_TYPE, lines);
    },
  );
}
