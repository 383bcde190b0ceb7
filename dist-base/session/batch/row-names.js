import { findOwner } from "./plan.js";
/** Rows of one step. They take a fraction of a millisecond. */
const STEP_ROWS = 256;
/** Rows of one piece of {@link writeRowsJson}. */
const PIECE_ROWS = 4096;
/** Reads the names of a plan's rows. No session may be freed until the steps are over. */
export function* readRowNames({ native: { rows }, sessions }) {
    const hints = new Map();
    const interactionIds = [];
    for (let row = 0; row < rows.length; row++) {
        if (row > 0 && row % STEP_ROWS === 0)
            yield;
        const interaction = findOwner(rows, sessions, row).interaction(rows.interactions[row] ?? 0);
        if (interaction.hints)
            hints.set(row, interaction.hints);
        interactionIds.push(interaction.id);
    }
    return { interactionIds, hints };
}
/**
 * Returns the metadata `rows` as UTF-8 in pieces: JSON with session_id, task_id, group_id, interaction_id and length of each row,
 * and the ids that the agent program sent.
 *
 * The fields that all rows of a session share are serialized once per session. The pieces are not joined, because that would stall
 * the event loop.
 */
export function* writeRowsJson({ native: { rows }, sessions }, { interactionIds, hints }) {
    const pieces = [];
    let [text, session, owner] = ["[", -1, ""];
    for (const [row, interactionId] of interactionIds.entries()) {
        if (row > 0 && row % STEP_ROWS === 0)
            yield;
        if (row > 0 && row % PIECE_ROWS === 0) {
            pieces.push(Buffer.from(text));
            text = "";
        }
        if (rows.sessions[row] !== session) {
            session = rows.sessions[row] ?? 0;
            const { id, taskId, groupId = null } = findOwner(rows, sessions, row);
            owner = JSON.stringify({ session_id: id, task_id: taskId, group_id: groupId }).slice(0, -1);
        }
        const ids = writeAgentIds(hints.get(row));
        const separator = row > 0 ? "," : "";
        text += `${separator}${owner},"interaction_id":${JSON.stringify(interactionId)},"length":${rows.lengths[row]}${ids}}`;
    }
    return [...pieces, Buffer.from(`${text}]`)];
}
/** Returns the fields of `rows` that name agents and turns, each with a comma before it. Fields without a value are absent. */
function writeAgentIds(hints) {
    if (!hints)
        return "";
    const { agentId, parentAgentId, turnId } = hints;
    const fields = JSON.stringify({ agent_id: agentId, parent_agent_id: parentAgentId, turn_id: turnId }).slice(1, -1);
    return fields === "" ? "" : `,${fields}`;
}
//# sourceMappingURL=row-names.js.map