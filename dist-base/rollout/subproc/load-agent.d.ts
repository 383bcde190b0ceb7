import type { Agent } from "../contract.js";
import type { AgentSource } from "./agent-source.js";
/** Creates the agent, a new one with every call. Its module is imported once. */
export declare function loadAgent(source: AgentSource): Promise<Agent>;
