import { z } from "zod";
import type { Header } from "../../support/safetensors/read-header.js";

/** Files of earlier versions have no task_id and no group_id. */
const rowsSchema = z.array(
  z.object({
    session_id: z.string(),
    task_id: z.string().nullable().default(null),
    group_id: z.string().nullable().default(null),
    interaction_id: z.string(),
    length: z.int().min(0),
  }),
);

export interface RowEntry {
  readonly session_id: string;
  readonly task_id: string | null;
  readonly group_id: string | null;
  readonly interaction_id: string;
  /** Number of tokens without padding. */
  readonly length: number;
}

/** Returns the rows that the metadata lists; none if the file is not a batch of Rolltape. */
export function readRows({ metadata }: Header): readonly RowEntry[] {
  try {
    return rowsSchema.parse(JSON.parse(metadata["rows"] ?? "[]"));
  } catch {
    return [];
  }
}
