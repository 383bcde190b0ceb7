import { z } from "zod";
import type { Header } from "../support/safetensors/read-header.js";
import { readJson } from "../support/schema/read-json.js";

/** Files of earlier versions have no task_id and no group_id. */
const rowsSchema = z.array(
  z.object({
    session_id: z.string(),
    task_id: z.string().nullable().default(null),
    group_id: z.string().nullable().default(null),
    split: z.enum(["train", "eval"]).default("train"),
    interaction_id: z.string(),
    /** Number of tokens without padding. */
    length: z.int().min(0),
  }),
);

/** A row of a batch, or a node of a tree batch, as the metadata lists it. */
export type MetadataRow = z.output<typeof rowsSchema>[number];

/** The rows of a batch by session and interaction. Ids of interactions are unique within their session only. */
export class BatchRows {
  readonly all: readonly MetadataRow[];
  readonly #bySession = new Map<string, number[]>();

  constructor(header: Header) {
    this.all = readRows(header);
    this.all.forEach(({ session_id: id }, row) => {
      const rows = this.#bySession.get(id);
      if (rows) rows.push(row);
      else this.#bySession.set(id, [row]);
    });
  }

  /** Ids of the sessions, in the order of their first rows. */
  sessions(): Iterable<string> {
    return this.#bySession.keys();
  }

  /** Returns the indices of a session's rows. */
  ofSession(id: string): readonly number[] {
    return this.#bySession.get(id) ?? [];
  }

  /** Returns the index of an interaction's row; undefined if there is none. */
  find(sessionId: string, interactionId: string): number | undefined {
    return this.ofSession(sessionId).find((row) => this.all[row]?.interaction_id === interactionId);
  }
}

/** Returns the rows that the metadata lists; none if the file is not a batch of Rolltape. */
export function readRows({ metadata }: Header): readonly MetadataRow[] {
  return readJson(rowsSchema, metadata["rows"]) ?? [];
}
