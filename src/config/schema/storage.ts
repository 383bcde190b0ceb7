import { z } from "zod";
import { usedBy } from "./used-by.js";
import { nullableText } from "./values.js";

/** Where sessions are stored, so that they survive the process. */
export const storageSchema = z.strictObject({
  directory: nullableText
    .describe(
      "Folder on a local disk in which the server stores its sessions. If the server is started again on the same folder, it still has them. Every server needs a folder of its own. A rollout job also stores its tasks there. Null: sessions end with the process.",
    )
    .meta(usedBy(["proxy", "rollout"])),
  durability: z
    .enum(["call", "interval", "none"])
    .default("call")
    .describe(
      "When the server sends an answer. `call`: once its changes are on disk, so that no answered change is lost. `interval`: at once; if the process stops, the changes of the last 0.1 s are lost. `none`: at once, and commits do not wait for the disk; if the machine stops, the folder may be damaged.",
    )
    .meta(usedBy(["proxy", "rollout"], "storage")),
  memory_bytes: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "Maximum memory of all sessions, in bytes. Above it, sessions that are not in use are kept on disk only. They are read again for a call or an export. Null: half of `server.store_bytes`.",
    )
    .meta(usedBy("proxy", "storage")),
});
