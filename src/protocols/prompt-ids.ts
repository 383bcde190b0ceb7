import { z } from "zod";

/** Prompts of token ids, in which the client has rendered its conversation itself. */

const MAX_ID = 0x7fffffff;

function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_ID;
}

/** Returns why a list is no prompt; undefined if it is one. */
function describeProblem(list: readonly unknown[]): string | undefined {
  if (list.length === 0) return "must have at least one token id";
  const at = list.findIndex((value) => !isId(value));
  return at < 0 ? undefined : `must contain only integers from 0 to ${MAX_ID}; item ${at} is not one`;
}

/** A list of ids. One loop checks it, because a schema for each item takes a hundred times as long. */
export const promptIds = z
  .array(z.unknown())
  .meta({ items: { type: "integer", minimum: 0 }, minItems: 1 })
  .transform((list, context): Int32Array => {
    const problem = describeProblem(list);
    if (problem === undefined) return Int32Array.from(list as number[]);
    context.addIssue(problem);
    return z.NEVER;
  });
