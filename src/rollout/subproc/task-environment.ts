import type { AgentContext } from "../contract.js";

export type Environment = Readonly<Record<string, string>>;

/**
 * What the environment of an agent's process says of its session: the names of the agent contract, and those that the
 * SDKs of OpenAI and Anthropic read by themselves.
 */
export function taskEnvironment({ base_url, api_key }: Pick<AgentContext, "base_url" | "api_key">): Environment {
  return {
    COMPAT_BASE_URL: base_url,
    COMPAT_API_KEY: api_key,
    OPENAI_BASE_URL: `${base_url}/v1`,
    OPENAI_API_KEY: api_key,
    ANTHROPIC_BASE_URL: base_url,
    ANTHROPIC_API_KEY: api_key,
  };
}

/** Keys that agents must not have, and a token that Anthropic's SDKs would send beside the session key. */
const WITHHELD = ["ROLLTAPE_ADMIN_API_KEY", "ANTHROPIC_AUTH_TOKEN"] as const;

/** This process's environment without any key of a proxy. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const withheld = new Set<string>([...WITHHELD, ...Object.keys(taskEnvironment({ base_url: "", api_key: "" }))]);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !withheld.has(name)));
}
