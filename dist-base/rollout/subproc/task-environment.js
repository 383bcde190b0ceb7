/**
 * Returns the environment variables that give an agent's process its session, under the names of the agent contract and
 * those that the SDKs of OpenAI, Anthropic and Google read.
 */
export function createTaskEnvironment({ base_url, api_key }) {
    return {
        COMPAT_BASE_URL: base_url,
        COMPAT_API_KEY: api_key,
        OPENAI_BASE_URL: `${base_url}/v1`,
        OPENAI_API_KEY: api_key,
        ANTHROPIC_BASE_URL: base_url,
        ANTHROPIC_API_KEY: api_key,
        GOOGLE_GEMINI_BASE_URL: base_url,
        GEMINI_API_KEY: api_key,
    };
}
/**
 * Variables that agents do not get: the admin key, and variables that override the session's. Anthropic's SDKs would send their token
 * in addition to the session key. Google's SDK would send another key, or call Vertex AI.
 */
const WITHHELD = [
    "ROLLTAPE_ADMIN_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "GOOGLE_API_KEY",
    "GOOGLE_GENAI_USE_ENTERPRISE",
    "GOOGLE_GENAI_USE_VERTEXAI",
];
/** Returns this process's environment without keys of a proxy. */
export function createBareEnvironment() {
    const withheld = new Set([...WITHHELD, ...Object.keys(createTaskEnvironment({ base_url: "", api_key: "" }))]);
    return Object.fromEntries(Object.entries(process.env).filter(([name]) => !withheld.has(name)));
}
//# sourceMappingURL=task-environment.js.map