import type { TranscriptInteraction } from "../../../transcript/format.js";

/** An interaction in the outline of an episode. */
export interface OutlineItem {
  /** Index in the episode's interactions. */
  readonly at: number;
  /** 0 for the main line of the conversation; each branch adds 1. */
  readonly depth: number;
  /** Number of the turn in its conversation, from 1. */
  readonly turn: number;
  /** True if a later attempt of the same request replaced it. */
  readonly dropped: boolean;
}

/** A root and its descendants. */
export interface ListedConversation {
  readonly root: number;
  /** Main conversation, a sub-agent's, or a side call. */
  readonly kind: "main" | "agent" | "side";
  readonly items: readonly OutlineItem[];
}

export interface ConversationTree {
  /** Main conversations first, then sub-agents, then side calls; each in the order of the transcript. */
  readonly conversations: readonly ListedConversation[];
  /** By interaction; empty for a leaf. */
  readonly children: readonly (readonly number[])[];
  /** The child with the most turns after it, by interaction; -1 for a leaf. */
  readonly continuation: readonly number[];
}

/**
 * Reads the tree of an episode. A parent that is not an earlier interaction is ignored, so that a damaged
 * transcript cannot form a cycle.
 */
export function readTree(interactions: readonly TranscriptInteraction[]): ConversationTree {
  const children: number[][] = interactions.map(() => []);
  const roots: number[] = [];
  for (const [at, { parent }] of interactions.entries()) {
    const siblings = Number.isInteger(parent) && parent >= 0 && parent < at ? children[parent] : roots;
    (siblings ?? roots).push(at);
  }
  const continuation = chooseContinuations(interactions, children);
  const dropped = readDropped(interactions, [roots, ...children]);
  const mainAgent = roots.map((root) => interactions[root]).find((root) => !isSideCall(root))?.agent_id;
  const conversations = roots.map((root) => ({
    root,
    kind: kindOf(interactions[root], mainAgent),
    items: listItems(root, children, continuation, dropped),
  }));
  const order = { main: 0, agent: 1, side: 2 };
  return {
    conversations: conversations.toSorted((a, b) => order[a.kind] - order[b.kind]),
    children,
    continuation,
  };
}

/** Codex reports the kind of every call; `turn` is an ordinary one. */
const isSideCall = (root: TranscriptInteraction | undefined): boolean =>
  root?.request_kind !== undefined && root.request_kind !== "turn";

/** Codex also gives the main agent an id; Claude Code gives one to sub-agents only. */
function kindOf(root: TranscriptInteraction | undefined, mainAgent: string | undefined): ListedConversation["kind"] {
  if (isSideCall(root)) return "side";
  return root?.parent_agent_id !== undefined || root?.agent_id !== mainAgent ? "agent" : "main";
}

/** Chooses the child with the most turns after it; among equal ones, the last one that is exported. */
function chooseContinuations(
  interactions: readonly TranscriptInteraction[],
  children: readonly (readonly number[])[],
): number[] {
  const heights = interactions.map(() => 1);
  const continuation = interactions.map(() => -1);
  const rank = (at: number): number => (heights[at] ?? 0) - (interactions[at]?.left_out === undefined ? 0 : 0.5);
  for (let at = interactions.length - 1; at >= 0; at--) {
    let best = -1;
    for (const child of children[at] ?? []) if (best < 0 || rank(child) >= rank(best)) best = child;
    continuation[at] = best;
    if (best >= 0) heights[at] = 1 + largest(children[at] ?? [], (child) => heights[child] ?? 0);
  }
  return continuation;
}

/** Not `Math.max(...list)`, which fails with 100,000 branches. */
function largest(list: readonly number[], read: (at: number) => number): number {
  return list.reduce((most, at) => Math.max(most, read(at)), 0);
}

/** Returns the attempts that a sibling with a higher attempt number replaced. */
function readDropped(
  interactions: readonly TranscriptInteraction[],
  families: readonly (readonly number[])[],
): ReadonlySet<number> {
  const dropped = new Set<number>();
  for (const family of families) {
    const attempts = family.filter((at) => interactions[at]?.attempt !== undefined);
    const last = largest(attempts, (at) => interactions[at]?.attempt ?? 0);
    for (const at of attempts) if ((interactions[at]?.attempt ?? 0) < last) dropped.add(at);
  }
  return dropped;
}

/** Lists a conversation from its root. The other branches of an interaction come before its continuation, one level deeper. */
function listItems(
  root: number,
  children: readonly (readonly number[])[],
  continuation: readonly number[],
  dropped: ReadonlySet<number>,
): OutlineItem[] {
  const items: OutlineItem[] = [];
  const waiting = [{ at: root, depth: 0, turn: 1 }];
  for (let item = waiting.pop(); item; item = waiting.pop()) {
    const { at, depth, turn } = item;
    items.push({ ...item, dropped: dropped.has(at) });
    const next = continuation[at] ?? -1;
    if (next >= 0) waiting.push({ at: next, depth, turn: turn + 1 });
    for (const child of children[at]?.toReversed() ?? []) {
      if (child !== next) waiting.push({ at: child, depth: depth + 1, turn: turn + 1 });
    }
  }
  return items;
}

/** Returns the path from the root through an interaction to the leaf that continues it. */
export function pathThrough(
  interaction: number,
  interactions: readonly TranscriptInteraction[],
  { continuation }: ConversationTree,
): number[] {
  const path: number[] = [];
  for (let at = interaction; at >= 0 && at < interactions.length; ) {
    path.push(at);
    const parent = interactions[at]?.parent ?? -1;
    at = parent < at ? parent : -1;
  }
  path.reverse();
  for (let at = continuation[interaction] ?? -1; at >= 0; at = continuation[at] ?? -1) path.push(at);
  return path;
}
