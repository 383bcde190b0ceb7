import type { Tool } from "../../../../src/conversation/message.js";
import type { Random } from "./random.js";

const text = { type: "string" };
const object = (properties: object) => ({ type: "object", properties });
const list = (items: object) => ({ type: "array", items });

/** Tools that describe every value in their arguments, for families that write nested values without their type. */
export const TYPED_TOOLS: readonly Tool[] = [
  {
    type: "function",
    function: {
      name: "add",
      description: "Adds.",
      parameters: object({ a: { type: "integer" }, b: { type: "number" } }),
    },
  },
  {
    type: "function",
    function: {
      name: "edit",
      description: "Edits.",
      parameters: object({
        path: text,
        deep: object({
          count: { type: "integer" },
          ratio: { type: "number" },
          on: { type: "boolean" },
          names: list(text),
          inner: object({ key: text }),
        }),
        list: list(object({ name: text, size: { type: "integer" } })),
        yes: { type: "boolean" },
      }),
    },
  },
];

/** Returns arguments of `edit` in which lists and objects may be empty. */
export function typedEdit(random: Random, newText: (random: Random) => string): object {
  const many = <T>(make: () => T): T[] => Array.from({ length: random.below(3) }, make);
  const deep = {
    count: random.below(1000) - 500,
    ratio: random.pick([0.5, -2.25, 7]),
    on: random.below(2) === 0,
    names: many(() => random.pick([newText(random), "12", "true"])),
    inner: { key: newText(random) },
  };
  const size = (): number => random.below(100);
  return {
    path: newText(random),
    deep: random.below(4) === 0 ? {} : deep,
    list: many(() => ({ name: newText(random), size: size() })),
    yes: random.below(2) === 0,
  };
}
