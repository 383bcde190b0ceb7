import { z } from "zod";
import { cutPage } from "../../admin-api/session-page.js";
import {
  deleteQuery,
  endBody,
  endedSessions,
  listedSession,
  requireSelection,
  sessionsQuery,
  takeOverBody,
} from "../../admin-api/session-schemas.js";
import type { App } from "../../http/app-type.js";
import { endSessions, findSelected } from "../../session/end-sessions.js";
import type { Session } from "../../session/session.js";
import { sessionTranscript } from "../../transcript/schema.js";
import type { ExportServices } from "../services.js";
import { readTranscript } from "../transcript-body.js";
import { sendBytes } from "./send-bytes.js";

const sessionList = z.object({
  sessions: z.array(listedSession),
  has_more: z.boolean().describe("There are more sessions than `limit`."),
  next: z.string().nullable().describe("Value of `after` for the next page; null on the last page."),
});

/** Lists sessions and their state, ends them, and deletes them without an export. */
export function sessionRoutes(app: App, { registry, exportLeases }: ExportServices): void {
  app.get(
    "/rl/sessions",
    {
      config: { key: "admin" },
      schema: {
        summary: "List the sessions that the server has, oldest first",
        querystring: sessionsQuery,
        response: { 200: sessionList },
      },
    },
    async ({ query }) => {
      // Between two sweeps, sessions would still be `exported` after the end of their lease.
      exportLeases.reap();
      const { state, task_id: taskId, split, run_id: runId, lease_id: leaseId, after, limit } = query;
      const isSelected = (session: Session) =>
        (state === undefined || session.state === state) &&
        (taskId === undefined || session.taskId === taskId) &&
        (split === undefined || session.split === split) &&
        (runId === undefined || session.runId === runId) &&
        (leaseId === undefined || session.leaseId === leaseId);
      const listed = [...registry.all()].filter(isSelected).map((session) => {
        return { session_id: session.id, created_at: session.createdAt / 1000, session };
      });
      const { sessions, ...rest } = cutPage(listed, { after, limit });
      return { sessions: sessions.map(({ session }) => toRecord(session)), ...rest };
    },
  );

  app.get(
    "/rl/sessions/:id",
    {
      config: { key: "admin" },
      schema: {
        summary: "One session",
        params: z.object({ id: z.string() }),
        response: { 200: listedSession },
      },
    },
    async ({ params }) => {
      exportLeases.reap();
      return toRecord(registry.get(params.id));
    },
  );

  app.delete(
    "/rl/sessions/:id",
    {
      config: { key: "admin" },
      schema: {
        summary: "Delete a session without an export: abort its calls, revoke its key, free its data",
        params: z.object({ id: z.string() }),
        querystring: deleteQuery,
        response: { 200: z.object({ session_id: z.string() }) },
      },
    },
    async ({ params, query }) => {
      registry.getOfLease(params.id, query.lease_id);
      await registry.delete(params.id);
      return { session_id: params.id };
    },
  );

  app.post(
    "/rl/sessions/end",
    {
      config: { key: "admin" },
      schema: {
        summary: "End many sessions, by their groups, ids or runs, and optionally abort their calls",
        body: endBody,
        response: { 200: endedSessions },
      },
    },
    async ({ body }) => {
      requireSelection(body);
      const selection = { groupIds: body.group_ids, sessionIds: body.session_ids, runIds: body.run_ids };
      const { sessions, notFound } = findSelected(registry.all(), selection);
      await endSessions(sessions, body.abort);
      return { sessions: sessions.map(toEnded), not_found: [...notFound] };
    },
  );

  app.post(
    "/rl/sessions/:id/take_over",
    {
      config: { key: "admin" },
      schema: {
        summary:
          "Give an active session to another run of its agent: revoke its key, abort its calls, return a new key",
        params: z.object({ id: z.string() }),
        body: takeOverBody,
        response: {
          200: z.object({ session_id: z.string(), session_api_key: z.string(), transcript: sessionTranscript }),
        },
      },
    },
    async ({ params: { id }, body }, reply) => {
      const session_api_key = await registry.takeOver(id, { fromLeaseId: body.from_lease_id, leaseId: body.lease_id });
      const fields = JSON.stringify({ session_id: id, session_api_key }).slice(1, -1);
      // The transcript is encoded already, because it may be long.
      const transcript = await readTranscript(registry, id, 1);
      const parts = [Buffer.from(`{${fields},"transcript":`), transcript, Buffer.from("}")];
      return sendBytes(reply, "application/json", Buffer.concat(parts));
    },
  );
}

function toEnded(session: Session): z.input<typeof endedSessions>["sessions"][number] {
  return {
    session_id: session.id,
    group_id: session.groupId ?? null,
    state: session.state,
    interaction_count: session.interactionCount,
    incomplete_calls: session.counts.incompleteCalls,
    calls_in_flight: session.calls.size,
  };
}

function toRecord(session: Session): z.input<typeof listedSession> {
  return {
    session_id: session.id,
    task_id: session.taskId,
    group_id: session.groupId ?? null,
    split: session.split,
    run_id: session.runId ?? null,
    x_session_id: session.xSessionId ?? null,
    sampling_override: session.samplingOverride ?? null,
    without_channels: [...(session.withoutChannels ?? [])],
    lease_id: session.leaseId ?? null,
    state: session.state,
    created_at: session.createdAt / 1000,
    ended_at: session.lifecycle.endedAt === undefined ? null : session.lifecycle.endedAt / 1000,
    last_access_at: session.lastAccessAt / 1000,
    interaction_count: session.interactionCount,
    prompt_tokens: session.counts.promptTokens,
    completion_tokens: session.counts.completionTokens,
    calls_in_flight: session.calls.size,
    aborted_calls: session.counts.abortedCalls,
    upstream_calls: session.counts.upstreamCalls,
    native_bytes: session.data.size.native,
    stored_tokens: session.data.size.tokens,
    stored_bytes: session.data.size.bytes,
    holds_slot: session.state === "active" || session.state === "ended",
  };
}
