import { SessionError } from "../errors.js";
import type { BatchOptions } from "./batch-options.js";

/**
 * Refuses options of an export that contradict each other. Call it before the sessions are looked up: a conflict stays, and
 * an unknown session would hide it.
 *
 * @throws SessionError `invalid_value`
 */
export function refuseConflicts(options: BatchOptions): void {
  if (options.layout === "tree" && options.maxLength !== undefined) throw treeLimitError();
  if (options.turns) refuseTurns(options);
  if (options.concatReward === "return") requireConcatRows(options);
}

function treeLimitError(): SessionError {
  return new SessionError(
    "invalid_value",
    (spell) => `layout tree takes no ${spell("maxLength")}: its rows share the tokens that would be cut.`,
    { param: "maxLength" },
  );
}

function refuseTurns({ layout, rowTensors }: BatchOptions): void {
  const param = { param: "turns" };
  if (layout === "tree") {
    throw new SessionError(
      "invalid_value",
      "turns is not for layout tree: the nodes of a tree are turns already.",
      param,
    );
  }
  if (!rowTensors) {
    const message = (spell: (option: string) => string) => `turns needs ${spell("rowTensors")}, which is false.`;
    throw new SessionError("invalid_value", message, param);
  }
}

/** A trainer that asks for returns must not get rewards of another kind. */
function requireConcatRows({ style, layout }: BatchOptions): void {
  if (style === "concat" && layout !== "tree") return;
  const why = layout === "tree" ? "not for layout tree: its nodes have one turn each" : "for style concat only";
  throw new SessionError("invalid_value", (spell) => `${spell("concatReward")} return is ${why}.`, {
    param: "concatReward",
  });
}
