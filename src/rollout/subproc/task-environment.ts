import type { AgentContext } from "../contract.js";

export type Environment = Readonly<Record<string, string>>;

/**
 * Returns the environment variables that give an agent's process its session, under the names of the agent contract and
 * those that the SDKs of OpenAI and Anthropic read.
 */
export function createTaskEnvironment({ base_url, api_key }: Pick<AgentContext, "base_url" | "api_key">): Environment {
  return {
    COMPAT_BASE_URL: base_url,
    COMPAT_API_KEY: api_key,
    OPENAI_BASE_URL: `${base_url}/v1`,
    OPENAI_API_KEY: api_key,
    ANTHROPIC_BASE_URL: base_url,
    ANTHROPIC_API_KEY: api_key,
  };
}

/** Keys that agents must not have, and a token that Anthropic's SDKs would send in addition to the session key. */
const WITHHELD = ["ROLLTAPE_ADMIN_API_KEY", "ANTHROPIC_AUTH_TOKEN"] as const;

/** Returns this process's environment without keys of a proxy. */
export function createBareEnvironment(): NodeJS.ProcessEnv {
  const withheld = new Set<string>([...WITHHELD, ...Object.keys(createTaskEnvironment({ base_url: "", api_key: "" }))]);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !withheld.has(name)));
}
