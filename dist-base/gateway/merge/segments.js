import { readInt32 } from "./part.js";
/**
 * Returns the segments of the sessions in the order of `sessionIds`. Sessions that follow each other in the same part share a
 * segment. A session without rows has no segment.
 *
 * @param offsets name of the tensor with the start of each row's tokens: `cu_seqlens`, or `node_offsets` in trees
 */
export function findSegments(parts, sessionIds, offsets) {
    const bySession = new Map();
    for (const part of parts) {
        const starts = readInt32(part, offsets);
        const turns = part.tensors.has("cu_turns") ? readInt32(part, "cu_turns") : undefined;
        for (let from = 0, to = 0; from < part.rows.length; from = to) {
            const id = part.rows[from]?.session_id ?? "";
            while (to < part.rows.length && part.rows[to]?.session_id === id)
                to++;
            const range = (bounds) => [bounds?.[from] ?? 0, bounds?.[to] ?? 0];
            bySession.set(id, { part, rows: [from, to], tokens: range(starts), turns: range(turns) });
        }
    }
    return joinNeighbours(sessionIds.flatMap((id) => bySession.get(id) ?? []));
}
function joinNeighbours(segments) {
    const all = [];
    for (const segment of segments) {
        const last = all.at(-1);
        if (last?.part === segment.part && last.rows[1] === segment.rows[0]) {
            all[all.length - 1] = {
                part: segment.part,
                rows: [last.rows[0], segment.rows[1]],
                tokens: [last.tokens[0], segment.tokens[1]],
                turns: [last.turns[0], segment.turns[1]],
            };
        }
        else {
            all.push(segment);
        }
    }
    return all;
}
//# sourceMappingURL=segments.js.map