import { type Filters, isKept, isRemoved } from "./filters.js";
import { isLeftOut, type ModelledSession, sequenceOf, type Turn } from "./modelled-session.js";

export interface ModelRow {
  readonly sessionId: string;
  readonly taskId: string;
  readonly groupId: string | null;
  readonly interactionId: string;
  readonly ids: readonly number[];
  readonly lossMask: readonly number[];
  readonly logprobs: readonly number[];
  readonly versions: readonly number[];
  /** After discount, in float64. */
  readonly reward: number;
  readonly session: ModelledSession;
  /** The calls whose outputs the row trains on, in order. */
  readonly chain: readonly Turn[];
  /** The reward of each call of `chain`, after discount. */
  readonly finals: readonly number[];
  /** True if the row's reward leaves out own rewards of calls before the last one. */
  readonly uncounted: boolean;
  /** True if its answer was not delivered. */
  readonly marked: boolean;
  /** True if a filter removes the call. Only in tree batches, where the call is still a node. */
  readonly filtered: boolean;
  /** Position among the rows of its session in the export, and their number. */
  readonly sessionRow: number;
  readonly sessionRows: number;
  /** Factor of the loss of each call of `chain`. */
  readonly weights: readonly number[];
  /** True if the export cut its end. */
  readonly isCut: boolean;
}

/** Returns the first position at which a call's prompt differs from its parent's sequence. */
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

interface RowRules {
  readonly style: "individual" | "concat";
  readonly discount: number;
  readonly concatReward: "leaf" | "return";
  readonly filters: Filters;
  /** If true, calls that are left out have rows too, because they are nodes of a tree. */
  readonly nodes?: boolean;
}

/**
 * Returns the rows of a session. `individual`: every kept call. `concat`: every kept call from which no token-exact edges lead down to
 * another kept call.
 */
export function rowsOf(
  session: ModelledSession,
  { style, discount, concatReward, filters, nodes = false }: RowRules,
): ModelRow[] {
  const { sessionId, taskId = sessionId, groupId = null, turns } = session;
  const isOpen = (turn: Turn) => isKept(turn, session, filters);
  const isContinued = (i: number): boolean =>
    turns.some((turn, k) => turn.parent === i && isExact(turn, turns) && (isOpen(turn) || isContinued(k)));
  return turns.flatMap((turn, i) => {
    const leftOut = isLeftOut(turn, turns);
    const marked = turn.marked ?? leftOut;
    if ((!isOpen(turn) && !nodes) || (style === "concat" && isContinued(i))) return [];
    const path = style === "concat" ? chainTo(turn, turns) : [turn];
    const chain = nodes ? path : path.filter(isOpen);
    const finals = chain.map((each) => finalReward(session, turns.indexOf(each), discount));
    const counts = style === "concat" && concatReward === "return";
    const reward = counts ? computeReturn(path, session, discount) : (finals.at(-1) ?? 0);
    const uncounted = !counts && path.slice(0, -1).some((each) => each.reward !== undefined);
    const described = {
      sessionId,
      taskId,
      groupId,
      interactionId: turn.id,
      session,
      chain,
      finals,
      uncounted,
      marked,
      filtered: !leftOut && isRemoved(turn, session, filters),
      sessionRow: 0,
      sessionRows: 0,
      weights: chain.map(() => 1),
      isCut: false,
    };
    return [{ ...described, ...buildColumns(turn, chain.filter(isOpen)), reward }];
  });
}

/** Sets what depends on the other rows of the export. */
export function relateRows(rows: readonly ModelRow[], sharedTurns: "every" | "first" | "weight"): ModelRow[] {
  const trained = new Set<Turn>();
  return rows.map((row) => {
    const siblings = rows.filter(({ session }) => session === row.session);
    const placed = { ...row, sessionRow: siblings.indexOf(row), sessionRows: siblings.length };
    const holders = (turn: Turn) => siblings.filter(({ chain }) => chain.includes(turn)).length;
    if (sharedTurns === "weight")
      return { ...placed, weights: row.chain.map((turn) => Math.fround(1 / holders(turn))) };
    if (sharedTurns === "every") return placed;
    const open = row.chain.map((turn) => !trained.has(turn));
    const untrained = (position: number) =>
      row.chain.some((t, k) => !open[k] && position >= t.prompt.length && position < sequenceOf(t).length);
    for (const turn of row.chain) trained.add(turn);
    const masked = (values: readonly number[], otherwise: number) =>
      values.map((value, position) => (untrained(position) ? otherwise : value));
    return {
      ...placed,
      chain: row.chain.filter((_, k) => open[k]),
      finals: row.finals.filter((_, k) => open[k]),
      weights: row.weights.filter((_, k) => open[k]),
      lossMask: masked(row.lossMask, 0),
      logprobs: masked(row.logprobs, 0),
      versions: masked(row.versions, -1),
    };
  });
}

/** Returns reward and return of a whole session. */
export function episodeOf(session: ModelledSession, discount: number): { reward: number; return: number } {
  const { turns, sessionReward = 0 } = session;
  const depth = (turn: Turn | undefined): number => (turn && turn.parent >= 0 ? 1 + depth(turns[turn.parent]) : 0);
  const last = turns.findLast((turn) => !isLeftOut(turn, turns));
  return turns.reduce(
    (sum, turn) => ({
      reward: sum.reward + (turn.reward ?? 0),
      return: sum.return + (turn.reward ?? 0) * power(discount, depth(turn)),
    }),
    { reward: sessionReward, return: last ? sessionReward * power(discount, depth(last)) : 0 },
  );
}

/** Returns the token-exact ancestors of a call, and the call itself, in order. */
function chainTo(turn: Turn, turns: readonly Turn[]): Turn[] {
  const parent = isExact(turn, turns) ? turns[turn.parent] : undefined;
  return parent ? [...chainTo(parent, turns), turn] : [turn];
}

/** The tokens, and over them the outputs of the calls that are trained on. */
function buildColumns(turn: Turn, trained: readonly Turn[]) {
  const ids = sequenceOf(turn);
  const lossMask = ids.map(() => 0);
  const logprobs = ids.map(() => 0);
  const versions = ids.map(() => -1);
  for (const { prompt, output, ...recorded } of trained) {
    lossMask.splice(prompt.length, output.length, ...output.map(() => 1));
    logprobs.splice(prompt.length, output.length, ...recorded.logprobs);
    versions.splice(prompt.length, output.length, ...recorded.versions);
  }
  return { ids, lossMask, logprobs, versions };
}

function finalReward(session: ModelledSession, index: number, discount: number): number {
  const { turns, sessionReward = 0 } = session;
  const ofTree = (i: number): number => {
    const own = turns[i]?.reward ?? 0;
    return turns.reduce((sum, turn, k) => (turn.parent === i ? sum + ofTree(k) * discount : sum), own);
  };
  const turn = turns[index];
  if (turn && isLeftOut(turn, turns)) return 0;
  return ofTree(index) + sessionReward * power(discount, edgesToLastLeaf(turns, index));
}

/** Returns the number of edges from a call down to its descendant leaf that completed last. */
function edgesToLastLeaf(turns: readonly Turn[], index: number): number {
  const leaves = (i: number): { leaf: number; edges: number }[] => {
    const below = turns.flatMap((turn, k) => (turn.parent === i && !isLeftOut(turn, turns) ? leaves(k) : []));
    return below.length === 0 ? [{ leaf: i, edges: 0 }] : below.map(({ leaf, edges }) => ({ leaf, edges: edges + 1 }));
  };
  return leaves(index).reduce((last, each) => (each.leaf > last.leaf ? each : last)).edges;
}

/** What the calls of a row return from the first one on: nothing of other branches but the session's reward. */
function computeReturn(
  chain: readonly Turn[],
  { turns, sessionReward = 0 }: ModelledSession,
  discount: number,
): number {
  const last = chain.at(-1);
  const edges = chain.length - 1 + (last ? edgesToLastLeaf(turns, turns.indexOf(last)) : 0);
  return chain.reduce(
    (sum, { reward = 0 }, k) => sum + reward * power(discount, k),
    sessionReward * power(discount, edges),
  );
}

/** Computes a power by multiplication, which is exact for the discounts of these tests. */
function power(base: number, exponent: number): number {
  return exponent === 0 ? 1 : base * power(base, exponent - 1);
}
