import type { Message, Tool } from "../../../../src/conversation/message.js";
import { TOOLS } from "../answers.js";
import type { DifferentialFamily } from "./differential-families.js";
import type { Random } from "./random.js";
import { TYPED_TOOLS, typedEdit } from "./typed-calls.js";

/** A conversation of some turns: what the model means to answer, and the messages that follow each answer. */
export interface Plan {
  readonly tools: readonly Tool[];
  readonly opening: readonly Message[];
  readonly turns: readonly PlannedTurn[];
}

export interface PlannedTurn {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly value: object }[];
  readonly following: readonly Message[];
}

const WORDS = ["alpha", "über", "東京", "🎉", "x < y && z", '{"a": 1}', "1.0", "it's", "`b`\n\n- c", "</b>", "null"];

/** A text that no other text of the conversation contains, without white space at its ends. */
const text = (random: Random): string =>
  [`m${random.below(1_000_000)}`, ...Array.from({ length: random.below(4) }, () => random.pick(WORDS)), "n"].join(" ");

const value = (random: Random, depth: number): unknown => {
  const kind = random.below(depth > 0 ? 7 : 5);
  if (kind === 0) return random.below(100_000) - 50_000;
  if (kind === 1) return random.pick([0.5, -2.25, 3.125]);
  if (kind === 2) return random.pick([true, false, null]);
  if (kind < 5) return text(random);
  if (kind === 5) return Array.from({ length: random.below(3) }, () => value(random, depth - 1));
  return Object.fromEntries(Array.from({ length: random.below(3) }, (_, i) => [`k${i} ü`, value(random, depth - 1)]));
};

const edit = (random: Random): object => ({
  path: text(random),
  text: text(random),
  deep: { key: value(random, 2) },
  list: [value(random, 1), text(random)],
  yes: random.below(2) === 0,
});

/** Sorts members as Jinja's `dictsort` does. */
const sort = (value: object): object =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))));

function callOf(random: Random, { typed = false, sortsKeys = false }: DifferentialFamily) {
  if (random.below(2) === 0) {
    return { name: "add", value: { a: random.below(1000) - 500, b: random.pick([0.5, -2.25, 7]) } };
  }
  const value = typed ? typedEdit(random, text) : edit(random);
  return { name: "edit", value: sortsKeys ? sort(value) : value };
}

/** Returns a conversation that the template of this family can show. */
export function planConversation(random: Random, family: DifferentialFamily): Plan {
  const tools = random.below(3) === 0 ? [] : family.typed ? TYPED_TOOLS : TOOLS;
  const system: Message[] = random.below(2) === 0 ? [{ role: "system", content: text(random) }] : [];
  const turns = Array.from({ length: 1 + random.below(3) }, (_, turn) =>
    planTurn(random, turn, tools.length > 0, family),
  );
  return { tools, opening: [...system, { role: "user", content: text(random) }], turns };
}

function planTurn(random: Random, turn: number, hasTools: boolean, family: DifferentialFamily): PlannedTurn {
  const { oneCall = false, callsAlone = oneCall, reasons } = family;
  const mostCalls = hasTools ? (oneCall ? 1 : 2) : 0;
  const calls = Array.from({ length: random.below(mostCalls + 1) }, (_, i) => ({
    id: `call0${turn}00${i}`,
    ...callOf(random, family),
  }));
  const results = calls.map(({ id, name }): Message => ({ role: "tool", content: text(random), toolCallId: id, name }));
  return {
    reasoning: reasons === "always" || (reasons === undefined && random.below(2) === 0) ? text(random) : "",
    content: calls.length === 0 || (!callsAlone && random.below(2) === 0) ? text(random) : "",
    calls,
    following: calls.length > 0 ? results : [{ role: "user", content: text(random) }],
  };
}
