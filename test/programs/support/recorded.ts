import { column, rowsOf } from "../../helpers/batch-rows.js";
import { numbers, type WireExport, type WireInteraction } from "../../helpers/export-json.js";
import { readSafetensors, type SafeTensors } from "../../helpers/safetensors.js";
import type { ProgramRig } from "./program-rig.js";
import type { LoggedCall } from "./scripted-model.js";

/** One call as token ids, and what a trainer learns from. */
export interface CallRow {
  readonly ids: readonly number[];
  /** Place, id and log probability of each sampled token. */
  readonly trained: readonly (readonly [place: number, id: number, logprob: number])[];
}

/** The records of a session, as its exports have them. */
export interface Recorded {
  /** In the order of their completion. */
  readonly interactions: readonly WireInteraction[];
  /** The same calls as JSON, and as rows of a batch. */
  readonly json: readonly CallRow[];
  readonly rows: readonly CallRow[];
  /** The origin of each interaction as the rows of a batch describe it, by the id of the interaction. */
  readonly rowHints: Readonly<Record<string, Hints>>;
  /** The conversations of the session, each as one row. */
  readonly conversations: readonly CallRow[];
}

/** The hints of an agent program about a call. */
export interface Hints {
  readonly agent_id: string | null;
  readonly parent_agent_id: string | null;
  readonly turn_id: string | null;
  readonly request_kind: string | null;
}

/** Discount of the rewards in {@link Recorded.interactions}. */
export const DISCOUNT = 0.5;

/** Ends a session with a reward and exports it in several ways. */
export async function exportSession({ trainer, session }: ProgramRig): Promise<Recorded> {
  await trainer.post("/rl/set_reward", { reward: 1, scope: "session" }, session.key);
  await trainer.post("/rl/end_session", {}, session.key);
  const batch = async (options: object) => readSafetensors(await trainer.exportBatch([session.id], options));
  const individual = await batch({});
  const reply = await trainer.post("/export_trajectories", { session_id: session.id, discount: DISCOUNT });
  const interactions = Object.values(((await reply.json()) as WireExport).interactions);
  return {
    interactions,
    json: sort(interactions.map(toRow)),
    rows: readRows(individual),
    rowHints: readHints(individual),
    conversations: readRows(await batch({ style: "concat", on_mismatch: "split" })),
  };
}

/** Returns what the engine generated, as rows. */
export function logRows(calls: readonly LoggedCall[]): CallRow[] {
  return sort(
    calls.map(({ prompt, output }) => ({
      ids: [...prompt, ...output.map(({ id }) => id)],
      trained: output.map(({ id, logprob }, index) => [prompt.length + index, id, logprob] as const),
    })),
  );
}

/** Returns the row of a conversation whose every turn continues the tokens of the turn before. */
export function joinTurns(calls: readonly LoggedCall[]): CallRow {
  const last = logRows(calls.slice(-1))[0] ?? { ids: [], trained: [] };
  return { ids: last.ids, trained: calls.flatMap((call) => logRows([call])[0]?.trained ?? []) };
}

/** Reads the rows of a batch. */
export function readRows(batch: SafeTensors): CallRow[] {
  const rows = rowsOf(batch);
  return sort(
    rows.map(({ ids, trained }) => ({ ids, trained: trained.map((t) => [t.place, t.id, t.logprob] as const) })),
  );
}

function readHints(batch: SafeTensors): Record<string, Hints> {
  const rows = JSON.parse(batch.metadata["rows"] ?? "[]") as (Partial<Hints> & { interaction_id: string })[];
  const kinds = (JSON.parse(batch.metadata["row_codes"] ?? "{}") as { request_kind?: string[] }).request_kind;
  const codes = column(batch, "row_request_kind");
  const hints = rows.map(({ interaction_id, agent_id = null, parent_agent_id = null, turn_id = null }, row) => {
    const request_kind = kinds?.[codes[row] ?? -1] ?? null;
    return [interaction_id, { agent_id, parent_agent_id, turn_id, request_kind }] as const;
  });
  return Object.fromEntries(hints);
}

function toRow(interaction: WireInteraction): CallRow {
  const [ids, mask, logprobs] = ["input_ids", "loss_mask", "logprobs"].map((name) => numbers(interaction, name));
  const trained = (ids ?? []).flatMap((id, place) =>
    mask?.[place] === 1 ? [[place, id, logprobs?.[place] ?? 0] as const] : [],
  );
  return { ids: ids ?? [], trained };
}

/** Parallel calls complete in any order. */
function sort(rows: readonly CallRow[]): CallRow[] {
  return rows.toSorted((a, b) => (a.ids.join() < b.ids.join() ? -1 : 1));
}
