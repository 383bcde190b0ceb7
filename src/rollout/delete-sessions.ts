import { AdminClient } from "../client/admin-client.js";
import { HttpTransport } from "../client/transport.js";
import type { AcceptedEpisode, RolloutEngine } from "./contract.js";

/** Deletes sessions that no result needs. If a proxy does not answer, it frees them when they expire. */
export async function deleteSessions(
  { connections, adminKey }: RolloutEngine,
  sessions: readonly Pick<AcceptedEpisode, "url" | "sessionId">[],
): Promise<void> {
  const remove = ({ url, sessionId }: Pick<AcceptedEpisode, "url" | "sessionId">) =>
    new AdminClient(new HttpTransport(url, connections), adminKey).deleteSession(sessionId);
  await Promise.allSettled(sessions.map(remove));
}
