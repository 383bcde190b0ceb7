import { int32Of, type Part } from "./part.js";

type Range = readonly [from: number, to: number];

/** What one session has in a part: rows (nodes of trees), tokens, and turns if the part lists them; half-open. */
export interface Segment {
  readonly part: Part;
  readonly rows: Range;
  readonly tokens: Range;
  readonly turns: Range;
}

export type SegmentUnit = "rows" | "tokens" | "turns";

/**
 * The sessions' stretches of the parts, in the order of `sessionIds`. Neighbours that follow each other in one part are one
 * segment. A session without rows has none.
 *
 * @param offsets name of the tensor that says where each row's tokens begin: `cu_seqlens`, or `node_offsets` of trees
 */
export function findSegments(parts: readonly Part[], sessionIds: readonly string[], offsets: string): Segment[] {
  const bySession = new Map<string, Segment>();
  for (const part of parts) {
    const starts = int32Of(part, offsets);
    const turns = part.tensors.has("cu_turns") ? int32Of(part, "cu_turns") : undefined;
    for (let from = 0, to = 0; from < part.rows.length; from = to) {
      const id = part.rows[from]?.session_id ?? "";
      while (to < part.rows.length && part.rows[to]?.session_id === id) to++;
      const range = (of: Int32Array | undefined): Range => [of?.[from] ?? 0, of?.[to] ?? 0];
      bySession.set(id, { part, rows: [from, to], tokens: range(starts), turns: range(turns) });
    }
  }
  return joined(sessionIds.flatMap((id) => bySession.get(id) ?? []));
}

function joined(segments: readonly Segment[]): Segment[] {
  const all: Segment[] = [];
  for (const segment of segments) {
    const last = all.at(-1);
    if (last?.part === segment.part && last.rows[1] === segment.rows[0]) {
      all[all.length - 1] = {
        part: segment.part,
        rows: [last.rows[0], segment.rows[1]],
        tokens: [last.tokens[0], segment.tokens[1]],
        turns: [last.turns[0], segment.turns[1]],
      };
    } else {
      all.push(segment);
    }
  }
  return all;
}
