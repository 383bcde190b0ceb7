import { z } from "zod";
import { sessionCursor, sessionPage } from "../../control/session-page.js";
import type { App } from "../../http/app-type.js";
import type { Session } from "../../session/session.js";
import type { ServerContext } from "../context.js";

const seconds = z.number().describe("Seconds since the epoch.");

const sessionRecord = z.object({
  session_id: z.string(),
  task_id: z.string(),
  group_id: z.string().nullable(),
  state: z.enum(["active", "ended", "exported", "expired"]),
  created_at: seconds,
  ended_at: seconds.nullable(),
  last_access_at: seconds,
  interaction_count: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  calls_in_flight: z.int(),
  aborted_calls: z.int().describe("Calls whose client disconnected before they were recorded."),
  native_bytes: z.int().describe("Native memory held."),
  holds_slot: z.boolean().describe("Counts as running against the granted capacity."),
});

const DEFAULT_LIMIT = 1000;

export const sessionsQuery = z.object({
  state: sessionRecord.shape.state.optional(),
  task_id: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100_000).default(DEFAULT_LIMIT),
  after: sessionCursor.optional().describe("`next` of the page before."),
});

const sessionList = z.object({
  sessions: z.array(sessionRecord),
  has_more: z.boolean().describe("The list was cut at `limit`."),
  next: z.string().nullable().describe("`after` of the next page; null on the last one."),
});

/** What sessions there are, their state, and their end without an export. */
export function sessionRoutes(app: App, { registry }: ServerContext): void {
  app.get(
    "/rl/sessions",
    {
      config: { key: "admin" },
      schema: {
        summary: "Sessions that the server remembers, oldest first",
        querystring: sessionsQuery,
        response: { 200: sessionList },
      },
    },
    async ({ query }) => {
      const { state, task_id: taskId, after, limit } = query;
      const wanted = (session: Session) =>
        (state === undefined || session.state === state) && (taskId === undefined || session.taskId === taskId);
      const listed = [...registry.all()].filter(wanted).map((session) => {
        return { session_id: session.id, created_at: session.createdAt / 1000, session };
      });
      const { sessions, ...rest } = sessionPage(listed, { after, limit });
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
        response: { 200: sessionRecord },
      },
    },
    async (request) => toRecord(registry.get(request.params.id)),
  );

  app.delete(
    "/rl/sessions/:id",
    {
      config: { key: "admin" },
      schema: {
        summary: "End a session without an export: its calls are aborted, its key revoked, its data freed",
        params: z.object({ id: z.string() }),
        response: { 200: z.object({ session_id: z.string() }) },
      },
    },
    async ({ params }) => {
      await registry.delete(params.id);
      return { session_id: params.id };
    },
  );
}

function toRecord(session: Session): z.input<typeof sessionRecord> {
  return {
    session_id: session.id,
    task_id: session.taskId,
    group_id: session.groupId ?? null,
    state: session.state,
    created_at: session.createdAt / 1000,
    ended_at: session.lifecycle.endedAt === undefined ? null : session.lifecycle.endedAt / 1000,
    last_access_at: session.lastAccessAt / 1000,
    interaction_count: session.interactionCount,
    prompt_tokens: session.promptTokens,
    completion_tokens: session.completionTokens,
    calls_in_flight: session.calls.size,
    aborted_calls: session.abortedCalls,
    native_bytes: session.byteLength,
    holds_slot: session.state === "active" || session.state === "ended",
  };
}
