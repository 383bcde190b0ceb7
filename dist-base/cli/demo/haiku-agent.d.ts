import type { Agent } from "../../rollout/contract.js";
/** An agent: a chat program, and the reward for what it made. It uses only fetch; with an SDK, turn its retries off. */
export declare const haikuAgent: Agent<string>;
