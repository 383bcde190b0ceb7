import { type ModelledSession, sequenceOf, type Turn } from "./modelled-session.js";

export interface ModelRow {
  readonly sessionId: string;
  readonly taskId: string;
  readonly groupId: string | null;
  readonly interactionId: string;
  readonly ids: readonly number[];
  readonly lossMask: readonly number[];
  readonly logprobs: readonly number[];
  readonly versions: readonly number[];
  /** After discount, as a float32. */
  readonly reward: number;
}

/** The first position at which a call's prompt leaves its parent's sequence. */
export function sharedWithParent(turn: Turn, turns: readonly Turn[]): number {
  const parent = turns[turn.parent];
  if (!parent) return 0;
  const before = sequenceOf(parent);
  const place = before.findIndex((id, i) => id !== turn.prompt[i]);
  return place < 0 ? before.length : place;
}

export function isExact(turn: Turn, turns: readonly Turn[]): boolean {
  const parent = turns[turn.parent];
  return parent !== undefined && sharedWithParent(turn, turns) === sequenceOf(parent).length;
}

/** Every call is a row of `individual`; of `concat` those that no call continues token by token. */
export function rowsOf(session: ModelledSession, style: "individual" | "concat", discount: number): ModelRow[] {
  const { sessionId, taskId = sessionId, groupId = null, turns } = session;
  const isContinued = (i: number) => turns.some((turn) => turn.parent === i && !turn.dropped && isExact(turn, turns));
  return turns.flatMap((turn, i) => {
    if (turn.dropped || (style === "concat" && isContinued(i))) return [];
    const reward = finalReward(turns, i, discount);
    return [{ sessionId, taskId, groupId, interactionId: turn.id, ...columnsOf(turn, turns, style), reward }];
  });
}

/** The tokens, and over them the outputs: the call's own, in `concat` those of the calls that it continues too. */
function columnsOf(turn: Turn, turns: readonly Turn[], style: "individual" | "concat") {
  const ids = sequenceOf(turn);
  const lossMask = ids.map(() => 0);
  const logprobs = ids.map(() => 0);
  const versions = ids.map(() => -1);
  for (let at: Turn | undefined = turn; at; at = isExact(at, turns) ? turns[at.parent] : undefined) {
    const { prompt, output } = at;
    lossMask.splice(prompt.length, output.length, ...output.map(() => 1));
    logprobs.splice(prompt.length, output.length, ...at.logprobs);
    versions.splice(prompt.length, output.length, ...at.versions);
    if (style === "individual") break;
  }
  return { ids, lossMask, logprobs, versions };
}

function finalReward(turns: readonly Turn[], index: number, discount: number): number {
  const final = (i: number): number => {
    const own = turns[i]?.reward ?? 0;
    return turns.reduce((sum, turn, k) => (turn.parent === i && !turn.dropped ? sum + final(k) * discount : sum), own);
  };
  return Math.fround(final(index));
}
