import { AdminClient } from "../client/admin-client.js";
import { HttpTransport } from "../client/transport.js";
import type { AcceptedEpisode, RolloutEngine } from "./contract.js";

export interface DeletedSession extends Pick<AcceptedEpisode, "url" | "sessionId"> {
  /** Deletes the session only if it has this lease, because another run of the task may have taken it over. */
  readonly leaseId?: string | undefined;
}

/** Deletes sessions that no result needs. If a proxy does not answer, it frees them when they expire. */
export async function deleteSessions(
  { connections, adminKey }: RolloutEngine,
  sessions: readonly DeletedSession[],
): Promise<void> {
  const remove = ({ url, sessionId, leaseId }: DeletedSession) =>
    new AdminClient(new HttpTransport(url, connections), adminKey).deleteSession(sessionId, { leaseId });
  await Promise.allSettled(sessions.map(remove));
}
