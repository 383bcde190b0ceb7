import { describe, expect, it } from "vitest";
import type { TranscriptInteraction } from "../../../src/transcript/format.js";
import { pathThrough, readTree } from "../../../src/view/page/state/conversation-tree.js";
import { fixtureEpisode } from "../fixtures.js";

const { interactions: template } = fixtureEpisode({ seed: 1, episodes: 1, turns: 1 }, 0);

/** Interactions that differ in what the tree depends on. */
function interactionsOf(...parts: readonly Partial<TranscriptInteraction>[]): TranscriptInteraction[] {
  const [first] = template;
  if (!first) throw new Error("The fixture has no interactions.");
  return parts.map((part, at) => ({ ...first, id: `call-${at}`, parent: -1, kept: 0, ...part }));
}

describe("the tree of an episode", () => {
  it("lists branches before the continuation, one deeper", () => {
    const interactions = interactionsOf({}, { parent: 0 }, { parent: 0 }, { parent: 2 }, { parent: 1 }, { parent: 4 });
    const [conversation] = readTree(interactions).conversations;
    expect(conversation?.items.map(({ at, depth, turn }) => [at, depth, turn])).toEqual([
      [0, 0, 1],
      [2, 1, 2],
      [3, 1, 3],
      [1, 0, 2],
      [4, 0, 3],
      [5, 0, 4],
    ]);
  });

  it("continues with the answer that is exported if branches are equally long", () => {
    const tree = readTree(interactionsOf({}, { parent: 0 }, { parent: 0, left_out: "the client disconnected" }));
    expect(tree.continuation[0]).toBe(1);
  });

  it("continues with the last answer if branches are equal, and with the longest one otherwise", () => {
    expect(readTree(interactionsOf({}, { parent: 0 }, { parent: 0 })).continuation).toEqual([2, -1, -1]);
    const long = interactionsOf({}, { parent: 0, left_out: "the client disconnected" }, { parent: 0 }, { parent: 1 });
    expect(readTree(long).continuation).toEqual([1, 3, -1, -1]);
  });

  it("marks earlier attempts of a request as dropped", () => {
    const tree = readTree(interactionsOf({}, { parent: 0, attempt: 0 }, { parent: 0, attempt: 1 }, { parent: 0 }));
    const dropped = tree.conversations[0]?.items.filter((item) => item.dropped).map(({ at }) => at);
    expect(dropped).toEqual([1]);
  });

  it("separates sub-agents and side calls from the main conversation", () => {
    const codex = interactionsOf(
      { request_kind: "title" },
      { agent_id: "main", request_kind: "turn" },
      { agent_id: "helper", parent_agent_id: "main", request_kind: "turn" },
    );
    expect(readTree(codex).conversations.map(({ root, kind }) => [root, kind])).toEqual([
      [1, "main"],
      [2, "agent"],
      [0, "side"],
    ]);
    const claude = interactionsOf({}, { agent_id: "helper" });
    expect(readTree(claude).conversations.map(({ kind }) => kind)).toEqual(["main", "agent"]);
  });

  it("has a path through a branch", () => {
    const interactions = interactionsOf({}, { parent: 0 }, { parent: 0 }, { parent: 2 }, { parent: 1 }, { parent: 4 });
    const tree = readTree(interactions);
    expect(pathThrough(0, interactions, tree)).toEqual([0, 1, 4, 5]);
    expect(pathThrough(2, interactions, tree)).toEqual([0, 2, 3]);
    expect(pathThrough(99, interactions, tree)).toEqual([]);
  });

  it("ignores a parent that is not an earlier interaction", () => {
    const interactions = interactionsOf(
      { parent: 1 },
      { parent: 0 },
      { parent: 2 },
      { parent: 99 },
      { parent: Number.NaN },
    );
    const tree = readTree(interactions);
    expect(tree.conversations.map(({ root }) => root)).toEqual([0, 2, 3, 4]);
    expect(pathThrough(1, interactions, tree)).toEqual([0, 1]);
  });

  it("reads a conversation of 100,000 turns", () => {
    const interactions = interactionsOf(...Array.from({ length: 100_000 }, (_, at) => ({ parent: at - 1 })));
    const tree = readTree(interactions);
    expect(tree.conversations[0]?.items).toHaveLength(100_000);
    expect(pathThrough(50_000, interactions, tree)).toHaveLength(100_000);
  });
});
