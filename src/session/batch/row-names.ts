import type { AgentHints } from "../../facts/call-facts.js";
import { endsStep, type Steps } from "../../support/async/steps.js";
import { at, type ExportPlan, findOwner } from "./plan.js";

/** Rows or entries of one step. They take a fraction of a millisecond. */
const STEP_ROWS = 256;

/** Entries of one piece of a list. */
const PIECE_ROWS = 4096;

/** The text metadata of a batch's rows. */
export interface RowNames {
  /** The interaction id of each row. */
  readonly interactionIds: readonly string[];
  /** By row: hints of the agent program. Most programs send none. */
  readonly hints: ReadonlyMap<number, AgentHints>;
}

/** Reads the names of a plan's rows. No session may be freed until the steps are over. */
export function* readRowNames({ native: { rows }, sessions }: ExportPlan): Steps<RowNames> {
  const hints = new Map<number, AgentHints>();
  const interactionIds: string[] = [];
  for (let row = 0; row < rows.length; row++) {
    if (endsStep(row, STEP_ROWS)) yield;
    const interaction = findOwner(rows, sessions, row).interaction(rows.interactions[row] ?? 0);
    if (interaction.hints) hints.set(row, interaction.hints);
    interactionIds.push(interaction.id);
  }
  return { interactionIds, hints };
}

/**
 * Returns the metadata `rows` as UTF-8 in pieces: JSON with session_id, task_id, group_id, split, interaction_id and length of each row,
 * and the ids that the agent program sent.
 */
export function* writeRowsJson(plan: ExportPlan, names: RowNames): Steps<Uint8Array[]> {
  return yield* joinEntries(writeRows(plan, names));
}

/** The fields that all rows of a session share are serialized once per session. */
function* writeRows({ native: { rows }, sessions }: ExportPlan, { interactionIds, hints }: RowNames) {
  let session: number | undefined;
  let owner = "";
  for (const [row, interactionId] of interactionIds.entries()) {
    if (rows.sessions[row] !== session) {
      session = at(rows.sessions, row);
      const { id, taskId, groupId = null, split } = findOwner(rows, sessions, row);
      owner = JSON.stringify({ session_id: id, task_id: taskId, group_id: groupId, split }).slice(0, -1);
    }
    const ids = writeAgentIds(hints.get(row));
    yield `${owner},"interaction_id":${JSON.stringify(interactionId)},"length":${rows.lengths[row]}${ids}}`;
  }
}

/**
 * Returns the metadata `episodes` as UTF-8 in pieces: JSON with session_id and group_id of each session of the export, in the order of
 * the tensors `episode_*`. A shard has those of its groups, with all their sessions.
 */
export function* writeEpisodesJson(plan: ExportPlan): Steps<Uint8Array[]> {
  return yield* joinEntries(writeEpisodes(plan));
}

function* writeEpisodes({ native, episodes }: ExportPlan) {
  for (const index of native.episodes()) {
    const { id, groupId = null } = at(episodes, index);
    yield JSON.stringify({ session_id: id, group_id: groupId });
  }
}

/** Joins JSON texts to a list. Its pieces are not joined, because that would stall the event loop. */
function* joinEntries(entries: Iterable<string>): Steps<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  let [text, count] = ["[", 0];
  for (const entry of entries) {
    if (endsStep(count, STEP_ROWS)) yield;
    if (endsStep(count, PIECE_ROWS)) {
      pieces.push(Buffer.from(text));
      text = "";
    }
    text += count > 0 ? `,${entry}` : entry;
    count++;
  }
  return [...pieces, Buffer.from(`${text}]`)];
}

/** Returns the fields of `rows` that name agents and turns, each with a comma before it. Fields without a value are absent. */
function writeAgentIds(hints: AgentHints | undefined): string {
  if (!hints) return "";
  const { agentId, parentAgentId, turnId } = hints;
  const fields = JSON.stringify({ agent_id: agentId, parent_agent_id: parentAgentId, turn_id: turnId }).slice(1, -1);
  return fields === "" ? "" : `,${fields}`;
}
