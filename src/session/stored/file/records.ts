import { z } from "zod";
import type { InteractionsSummary } from "../../../transcript/format.js";
import { sessionHead } from "../../../transcript/schema.js";
import type { BatchOrigin } from "../../batch/batch-metadata.js";
import type { SessionSummary } from "../../session-summary.js";

/** The server that recorded sessions. */
export interface OriginRecord extends BatchOrigin {
  /** Identifies it in the file. */
  readonly key: string;
}

/** The tools of interactions. */
export interface ToolsRecord {
  /** See `Interaction.toolsKey`. */
  readonly key: string;
  /** JSON with the spelling of the request. */
  readonly text: string;
}

/** A session without its data. */
export interface SessionRecord {
  /** Key of the server that recorded it; undefined if no server did. */
  readonly origin?: string | undefined;
  readonly summary: SessionSummary;
  /** The summary of its interactions, for lists. Absent in files for batches, and in those of earlier versions. */
  readonly interactions?: InteractionsSummary | undefined;
}

export const originRecord = z.object({
  key: z.string(),
  model: z.string(),
  modelDigest: z.string(),
  config: z.record(z.string(), z.unknown()),
  channels: z.record(z.string(), z.unknown()).optional(),
  versionLabels: z.record(z.string(), z.int32()).optional(),
});

export const toolsRecord = z.object({ key: z.string(), text: z.string() });

const count = z.int().min(0);

/** Checks the parts of a summary that are needed to restore the session. */
export const sessionRecord = z.object({
  origin: z.string().optional(),
  summary: z.looseObject({ id: z.string(), taskId: z.string(), interactionCount: count, rewards: count }),
  interactions: sessionHead.shape.summary.optional(),
});
