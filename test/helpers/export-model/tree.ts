import type { BatchOptionsInput } from "../../../src/session/batch/batch-options.js";
import type { Filters } from "./filters.js";
import { modelImages } from "./images.js";
import type { ModelledSession, Turn } from "./modelled-session.js";
import { buildCodes, buildRowTensors } from "./row-tensors.js";
import { type ModelRow, relateRows, rowsOf, sharedWithParent } from "./rows.js";
import { described, i32, type ModelBatch, perToken, rewardsOf } from "./tensors.js";

/** A token of a tree. The owner, which is the call that has it first, distinguishes it from other tokens with the same id. */
interface Token {
  readonly owner: Turn;
  /** Its position, which is the same in every row that contains it. */
  readonly position: number;
}

interface Node {
  readonly turn: Turn;
  readonly row: ModelRow;
  /** The tokens of its row. The first `shared` ones are also in its parent's row. */
  readonly tokens: readonly Token[];
  readonly shared: number;
}

interface TreeOptions {
  readonly discount: number;
  readonly rowTensors: boolean;
  readonly imageBytes: BatchOptionsInput["imageBytes"];
  readonly filters: Filters;
}

/** Returns a tree batch, in which every token is stored once. `subtree_end` is computed from the rows. */
export function treeBatch(
  sessions: readonly ModelledSession[],
  { discount, rowTensors, imageBytes, filters }: TreeOptions,
): ModelBatch {
  const nodes = sessions.flatMap((session) => depthFirst(listNodes(session, discount, filters)));
  const tokens = nodes.flatMap((node) => node.tokens.slice(node.shared));
  const rowOf = new Map(nodes.map((node) => [node.turn, node.tokens]));
  const sees = (from: Token, to: Token) => (rowOf.get(from.owner) ?? []).slice(0, from.position + 1).includes(to);
  const starts = [0];
  for (const { tokens: all, shared } of nodes) starts.push((starts.at(-1) ?? 0) + all.length - shared);
  const roots = nodes.flatMap(({ shared }, i) => (shared === 0 ? [starts[i] ?? 0] : []));
  const flat = [tokens.length];
  const rows = relateRows(
    nodes.map(({ row }) => row),
    "every",
  );
  const codes = buildCodes(rows, false);
  const images = modelImages(rows, true, { imageBytes });
  return {
    images: images?.images,
    codes,
    uncounted: [],
    rows: nodes.map(({ row }) => described(row)),
    tensors: {
      ...perToken((of) => nodes.flatMap(({ row, shared }) => of(row).slice(shared)), flat),
      position_ids: i32(
        tokens.map(({ position }) => position),
        flat,
      ),
      subtree_end: i32(
        tokens.map((token) => tokens.findLastIndex((from) => sees(from, token)) + 1),
        flat,
      ),
      cu_trees: i32([...roots, tokens.length], [roots.length + 1]),
      node_offsets: i32(starts, [nodes.length + 1]),
      node_parents: i32(
        nodes.map((node) => nodes.findIndex(({ turn }) => turn === findSource(node))),
        [nodes.length],
      ),
      node_lengths: i32(
        nodes.map(({ row }) => row.ids.length),
        [nodes.length],
      ),
      node_rewards: rewardsOf(rows),
      ...images?.tensors,
      ...(rowTensors && buildRowTensors(rows, sessions, codes, discount)),
    },
  };
}

/** The call that has the last of the tokens that this one shares. */
function findSource({ tokens, shared }: Node): Turn | undefined {
  return tokens[shared - 1]?.owner;
}

function listNodes(session: ModelledSession, discount: number, filters: Filters): Node[] {
  const { turns } = session;
  const rows = new Map(
    rowsOf(session, { style: "individual", discount, concatReward: "leaf", filters, nodes: true }).map((row) => [
      row.interactionId,
      row,
    ]),
  );
  const nodes = new Map<Turn, Node>();
  for (const turn of turns) {
    const row = rows.get(turn.id);
    if (!row) continue;
    const shared = sharedWithParent(turn, turns);
    const parent = turns[turn.parent];
    const inherited = (parent && nodes.get(parent)?.tokens.slice(0, shared)) ?? [];
    const tokens = row.ids.map((_, position) => inherited[position] ?? { owner: turn, position });
    nodes.set(turn, { turn, row, tokens, shared });
  }
  return [...nodes.values()];
}

/** Sorts nodes depth first: roots in order of recording, and among children those with the last branching position first. */
function depthFirst(nodes: readonly Node[]): Node[] {
  const below = (turn: Turn | undefined): Node[] =>
    nodes
      .filter((node) => findSource(node) === turn)
      .sort((a, b) => b.shared - a.shared)
      .flatMap((node) => [node, ...below(node.turn)]);
  return below(undefined);
}
