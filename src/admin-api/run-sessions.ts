import { z } from "zod";
import { ApiError } from "../http/errors.js";
import { listOf } from "../support/schema/list-of.js";

/** The sessions of a run that can be exported now or once they have ended. */
export const runSessions = z.object({
  sessions: z.array(
    z.object({
      session_id: z.string(),
      x_session_id: z.string(),
      state: z.enum(["active", "ended", "exported", "expired"]),
      created_at: z.number().describe("Seconds since the epoch."),
    }),
  ),
});

export type ListedRunSession = z.output<typeof runSessions>["sessions"][number];

/** The sessions of an export, by their ids or by their run. {@link selectSessions} checks that it is one of them. */
export const selectionFields = {
  session_ids: listOf(z.string(), { min: 1, max: 100_000 }).optional(),
  run_id: z.string().optional().describe("Instead of `session_ids`: the run whose sessions are exported."),
  x_session_ids: listOf(z.string(), { min: 1, max: 100_000 })
    .optional()
    .describe("With `run_id`: the `X-Session-ID` of each session. Default: all whose data the server has."),
};

type Selection = z.output<z.ZodObject<typeof selectionFields>>;

/** A body whose sessions are known by their ids. */
export type Selected<Body extends Selection> = Omit<Body, "session_ids"> & { readonly session_ids: string[] };

/**
 * Returns the body with the ids of its sessions.
 *
 * @param listRun returns the sessions of a run in the order in which they were started
 * @throws ApiError `invalid_value`; `session_not_found` if the run has no such session
 */
export async function selectSessions<Body extends Selection>(
  body: Body,
  listRun: (runId: string) => Promise<readonly ListedRunSession[]>,
): Promise<Selected<Body>> {
  const { session_ids: ids, run_id: runId, x_session_ids: names } = body;
  if (ids !== undefined && runId !== undefined) throw invalid("run_id", "must be absent if `session_ids` is given.");
  if (names !== undefined && runId === undefined)
    throw invalid("x_session_ids", "needs `run_id`, the run of the sessions.");
  if (ids !== undefined) return { ...body, session_ids: ids };
  if (runId === undefined) throw invalid("session_ids", "or `run_id` must be given.");
  const sessions = await listRun(runId);
  return { ...body, session_ids: names ? chooseByName(sessions, runId, names) : chooseAll(sessions, runId) };
}

function chooseAll(sessions: readonly ListedRunSession[], runId: string): string[] {
  if (sessions.length > 0) return sessions.map(({ session_id }) => session_id);
  throw new ApiError("session_not_found", `Run "${shorten(runId)}" has no session with data.`, { param: "run_id" });
}

function chooseByName(sessions: readonly ListedRunSession[], runId: string, names: readonly string[]): string[] {
  const byName = new Map(sessions.map((session) => [session.x_session_id, session.session_id]));
  const absent = names.filter((name) => !byName.has(name));
  if (absent.length === 0) return names.flatMap((name) => byName.get(name) ?? []);
  const message = `Run "${shorten(runId)}" has no data of ${absent.length} of these sessions. First: "${shorten(absent[0] ?? "")}".`;
  throw new ApiError("session_not_found", message, { param: "x_session_ids" });
}

const shorten = (text: string): string => text.slice(0, 200);

function invalid(param: string, problem: string): ApiError {
  return new ApiError("invalid_value", `\`${param}\` ${problem}`, { param });
}
