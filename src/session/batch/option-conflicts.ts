import { SessionError } from "../errors.js";
import type { BatchOptions } from "./batch-options.js";

/**
 * Refuses options of an export that contradict each other.
 *
 * Call it before the sessions are looked up. Otherwise the error of an unknown session would hide the conflict.
 *
 * @throws SessionError `invalid_value`
 */
export function refuseConflicts(options: BatchOptions): void {
  if (options.layout === "tree" && options.maxLength !== undefined) throw treeLimitError();
  if (options.turns) refuseTurns(options);
  if (options.sharedTurns === "weight" && !options.turns) throw missingTurnsError();
  if (options.concatReward === "return") requireConcatRows(options);
}

function treeLimitError(): SessionError {
  return new SessionError(
    "invalid_value",
    (spell) =>
      `${spell("maxLength")} must be absent for layout tree, because its rows share the tokens that would be cut.`,
    { param: "maxLength" },
  );
}

function missingTurnsError(): SessionError {
  return new SessionError(
    "invalid_value",
    (spell) =>
      `${spell("sharedTurns")} must be every or first unless turns is true, because the weights are a turn tensor; received weight.`,
    { param: "sharedTurns" },
  );
}

function refuseTurns({ layout, rowTensors }: BatchOptions): void {
  const param = { param: "turns" };
  if (layout === "tree") {
    throw new SessionError(
      "invalid_value",
      "turns must be false for layout tree, because each node of a tree is one turn; received true.",
      param,
    );
  }
  if (!rowTensors) {
    const message = (spell: (option: string) => string) =>
      `turns must be false without ${spell("rowTensors")}; received true.`;
    throw new SessionError("invalid_value", message, param);
  }
}

/** Returns sum over the turns of a row, so they need rows with several turns. */
function requireConcatRows({ style, layout }: BatchOptions): void {
  if (style === "concat" && layout !== "tree") return;
  const where = layout === "tree" ? "for layout tree, because its nodes have one turn each" : "unless style is concat";
  throw new SessionError(
    "invalid_value",
    (spell) => `${spell("concatReward")} must be leaf ${where}; received return.`,
    {
      param: "concatReward",
    },
  );
}
