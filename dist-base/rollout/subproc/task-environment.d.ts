import type { AgentContext } from "../contract.js";
export type Environment = Readonly<Record<string, string>>;
/**
 * Returns the environment variables that give an agent's process its session, under the names of the agent contract and
 * those that the SDKs of OpenAI, Anthropic and Google read.
 */
export declare function createTaskEnvironment({ base_url, api_key }: Pick<AgentContext, "base_url" | "api_key">): Environment;
/** Returns this process's environment without keys of a proxy. */
export declare function createBareEnvironment(): NodeJS.ProcessEnv;
