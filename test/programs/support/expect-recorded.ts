import { expect } from "vitest";
import { numbers, type WireInteraction } from "../../helpers/export-json.js";
import { expectAgentsNamed } from "./expect-agents-named.js";
import type { Purpose } from "./purpose.js";
import { decode } from "./qwen3.js";
import { DISCOUNT, exportSession, joinTurns, logRows, type Recorded } from "./recorded.js";
import { findResumedChanges, type ResumedChange } from "./resumed-changes.js";
import type { TaskRun } from "./run-task.js";
import type { LoggedCall } from "./scripted-model.js";
import { DELEGATED_TURNS } from "./tasks.js";

/** How a program differs from the others. */
export interface ProgramTraits {
  /**
   * The changes that a second process makes in the conversation that it resumes: one of these lists. An empty list continues the tree, any other
   * begins a new one. Default: it continues the tree.
   */
  readonly resumedChanges?: readonly (readonly ResumedChange[])[];
  /** Its headers name the agent that makes a call. */
  readonly namesAgents?: boolean;
}

/**
 * Expects that the exports of a run have every token of the engine's log, and that its turns continue each other.
 *
 * @returns the calls of each conversation
 */
export async function expectRecorded(run: TaskRun, traits: ProgramTraits = {}): Promise<WireInteraction[][]> {
  const { task, model } = run;
  const ofPurpose = (...purposes: readonly Purpose[]) =>
    model.calls.filter(({ purpose }) => purposes.includes(purpose));
  const turns = ofPurpose("task", "resumed");
  const delegates = task.turns.some(({ calls }) => calls.some((call) => "delegate" in call));
  const scripted = task.turns.length + (task.resumed?.length ?? 0);
  // A program that runs sub-agents in the background reports their end in a turn of its own.
  expect.soft(delegates ? Math.min(turns.length, scripted) : turns.length).toBe(scripted);
  if (task.delegated) expect.soft(ofPurpose("delegated")).toHaveLength(DELEGATED_TURNS.length);
  expect.soft(decode(turns.at(-1)?.prompt ?? [])).toContain(task.shown ?? "");
  const recorded = await expectTokens(run, task.cause === undefined ? [] : [task.cause]);
  const [before, after] = [ofPurpose("task"), ofPurpose("resumed")];
  const changes = traits.resumedChanges && task.resumed ? findResumedChanges(before, after) : [];
  if (task.resumed) expect.soft(traits.resumedChanges ?? [[]]).toContainEqual(changes);
  const ofTask = changes.length > 0 ? [before, after] : splitTurns(turns, task.conversations ?? [turns.length]);
  const conversations = [...ofTask, ofPurpose("delegated")].filter(({ length }) => length > 0);
  const parents = conversations.map((conversation) => readParents(recorded, conversation));
  expect.soft(parents).toEqual(parents.map(({ expected }) => ({ actual: expected, expected })));
  // The turns of a conversation repeat each other's tokens, so they are one row.
  const rows = task.cause === undefined ? conversations.map(joinTurns) : logRows(turns);
  if (run.templateType === "concat") expect.soft(recorded.conversations).toEqual(expect.arrayContaining(rows));
  if (changes.length > 0) {
    const [last, first] = [selectCalls(recorded, before).at(-1), selectCalls(recorded, after)[0]];
    expect.soft(first?.compacted_from).toBe(last?.interaction_id);
  }
  if (traits.namesAgents) {
    expectAgentsNamed(recorded, selectCalls(recorded, turns), selectCalls(recorded, ofPurpose("delegated")));
  }
  const extended = task.extended && run.templateType === "concat" ? selectCalls(recorded, turns).slice(1) : [];
  expect.soft(extended).toMatchObject(extended.map(() => ({ extended: true })));
  return conversations.map((conversation) => selectCalls(recorded, conversation));
}

function splitTurns(turns: readonly LoggedCall[], lengths: readonly number[]): LoggedCall[][] {
  let end = 0;
  return lengths.map((length) => turns.slice(end, (end += length)));
}

/** Expects that the program asked for a summary and went on with it, and that a reward of the session reaches the turns before. */
export async function expectCompacted(run: TaskRun): Promise<void> {
  const { task, model } = run;
  const recorded = await expectTokens(run, ["tools_changed", "history_rewritten"]);
  const calls = model.calls.filter(({ purpose }) => purpose !== "side");
  const purposes = calls.map(({ purpose }) => purpose);
  const expected = [...task.turns.map(() => "task"), "compaction", ...(task.compacted ?? []).map(() => "compacted")];
  const lengths = calls.map(({ prompt }) => prompt.length);
  expect.soft(purposes, `Prompts have ${lengths.join(", ")} tokens`).toEqual(expected);
  const interactions = selectCalls(recorded, calls);
  const [compaction, first] = [interactions[task.turns.length], interactions[task.turns.length + 1]];
  expect.soft(first?.compacted_from).toBe(compaction?.interaction_id);
  const path = followLinks(interactions);
  expect.soft(path.at(-1)).toBe(interactions[0]);
  expect.soft(path.map(({ reward }) => reward)).toEqual(path.map((_, edges) => DISCOUNT ** edges));
}

/** Returns the last interaction, the one that it continues or was compacted from, and so on. */
function followLinks(interactions: readonly WireInteraction[]): WireInteraction[] {
  const path = interactions.slice(-1);
  for (;;) {
    const [last] = path.slice(-1);
    const id = last?.compacted_from ?? last?.parent_id;
    const earlier = interactions.find(({ interaction_id }) => interaction_id === id);
    if (!earlier) return path;
    path.push(earlier);
  }
}

/**
 * Expects that the exports of a run have every token of the engine's log.
 *
 * @param causes in `concat`, why a call may not continue its parent's tokens
 */
async function expectTokens({ rig, model, templateType }: TaskRun, causes: readonly string[] = []): Promise<Recorded> {
  expect.soft(model.calls.map(({ finish }) => finish)).toEqual(model.calls.map(() => "stop"));
  const recorded = await exportSession(rig);
  const logged = logRows(model.calls);
  expect.soft(recorded.json).toEqual(logged);
  expect.soft(recorded.rows).toEqual(logged);
  const continued = recorded.interactions.filter(({ parent_id }) => templateType === "concat" && parent_id !== null);
  const broken = continued.filter(({ token_exact, cause }) => !token_exact && !causes.includes(String(cause)));
  expect.soft(broken.map(({ cause }) => cause)).toEqual([]);
  return recorded;
}

/** Returns the parents of a conversation's turns, and the turns before them, which they should be. */
function readParents(recorded: Recorded, turns: readonly LoggedCall[]) {
  const own = selectCalls(recorded, turns);
  const actual = own.map(({ parent_id }) => parent_id);
  return { actual, expected: [null, ...own.slice(0, -1).map(({ interaction_id }) => interaction_id)] };
}

function selectCalls({ interactions }: Recorded, calls: readonly LoggedCall[]) {
  const keys = new Set(logRows(calls).map(({ ids }) => ids.join()));
  return interactions.filter((interaction) => keys.has(numbers(interaction, "input_ids").join()));
}
