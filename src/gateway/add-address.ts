import { z } from "zod";
import { parseReply } from "./relay.js";
import type { WorkerReply } from "./worker-connections.js";
import type { Worker } from "./worker-pool.js";

const startReply = z.looseObject({ session_id: z.string() });

/** Adds the worker's own address, to which the client may send the session's model calls. */
export function addAddress(workerReply: WorkerReply, { url }: Worker): object {
  return { ...parseReply(workerReply, startReply), base_url: url };
}
