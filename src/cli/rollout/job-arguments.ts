import type { Config } from "../../config/index.js";
import { RolloutJobError } from "./errors.js";
import type { RolloutOptions } from "./rollout-options.js";

/** Layout tree has no rows of several turns, whose rewards could be summed. */
export function assertRowReward({ rollout: { agent } }: Config, { layout }: Pick<RolloutOptions, "layout">): void {
  if (agent.concat_reward === "leaf" || layout !== "tree") return;
  const message = "rollout.agent.concat_reward must be leaf with --layout tree; received return";
  throw new RolloutJobError("invalid_arguments", `${message}. Each node of a tree is one turn.`);
}
