import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { WireInteraction } from "../helpers/export-json.js";
import {
  CALLS,
  CODE,
  COMMANDS_IN_TEXT,
  FINAL_ANSWER,
  HANDOFF,
  STEPS,
  SUBMITTED,
  TERMINAL,
} from "./support/agent-tasks.js";
import { type InstalledProgram, installPython } from "./support/cache.js";
import { TEMPLATE_TYPES } from "./support/describe-program.js";
import { expectRecorded } from "./support/expect-recorded.js";
import { DISCOUNT } from "./support/recorded.js";
import { type Configure, runTask } from "./support/run-task.js";
import type { Task } from "./support/tasks.js";

interface PythonAgent {
  /** Requirements, beginning with the agent. */
  readonly packages: readonly string[];
  /** Variants that the script agents/NAME_agent.py is given, each with the task that the model does. */
  readonly variants: Readonly<Record<string, Task>>;
}

/** The versions that the tests run. */
const AGENTS: Readonly<Record<string, PythonAgent>> = {
  openai_agents: {
    packages: ["openai-agents==0.24.0"],
    variants: { chat: CALLS, "chat stream": CALLS, responses: CALLS, "responses stream": CALLS, handoff: HANDOFF },
  },
  pydantic_ai: {
    packages: ["pydantic-ai-slim[openai,anthropic,google]==2.68.0"],
    variants: { chat: CALLS, "chat stream": CALLS, responses: CALLS, anthropic: CALLS, gemini: CALLS },
  },
  langgraph: {
    packages: ["langgraph==1.2.24", "langchain==1.5.2", "langchain-openai==1.7.4"],
    variants: { chat: CALLS, "chat stream": CALLS, responses: CALLS },
  },
  litellm: {
    packages: ["litellm==1.110.2"],
    variants: {
      openai: CALLS,
      "openai stream": CALLS,
      hosted_vllm: CALLS,
      anthropic: CALLS,
      gemini: CALLS,
      responses: CALLS,
    },
  },
  mini_swe: {
    packages: ["mini-swe-agent==2.4.6"],
    variants: { chat: SUBMITTED, responses: SUBMITTED, "chat without tools": COMMANDS_IN_TEXT },
  },
  smolagents: {
    packages: ["smolagents[openai,litellm]==1.26.0"],
    variants: { CodeAgent: CODE, "CodeAgent stream": CODE, ToolCallingAgent: FINAL_ANSWER },
  },
  inspect_ai: {
    packages: ["inspect-ai==0.3.285", "openai==3.57.0", "anthropic==2.14.0", "google-genai==3.6.1"],
    variants: { "openai-api": CALLS, openai: CALLS, responses: CALLS, anthropic: CALLS, gemini: CALLS },
  },
  google_adk: {
    packages: ["google-adk==2.13.0", "litellm==1.110.2"],
    variants: { litellm: CALLS, "litellm stream": CALLS, gemini: CALLS, "gemini stream": CALLS },
  },
  claude_agent_sdk: { packages: ["claude-agent-sdk==0.2.189"], variants: { messages: CALLS } },
  harbor: { packages: ["harbor==0.26.0"], variants: { chat: TERMINAL, "with token ids": TERMINAL } },
  // Its client for Anthropic does not work with newer versions of that SDK.
  openenv: { packages: ["openenv==0.10.0", "anthropic==0.125.0"], variants: { chat: CALLS, anthropic: CALLS } },
  dspy: {
    packages: ["dspy==3.4.1"],
    variants: { chat: STEPS, responses: STEPS },
  },
  // Gateways that stand between an agent and Rolltape.
  rllm_gateway: { packages: ["rllm-model-gateway==0.1.0", "openai==3.57.0"], variants: { chat: CALLS } },
  agentlightning: { packages: ["agentlightning==1.0.2", "openai==3.57.0"], variants: { chat: CALLS } },
};

/** The packages reach no internet. These variables keep them from trying. */
const NO_TELEMETRY = {
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  LITELLM_LOCAL_MODEL_COST_MAP: "True",
  LANGSMITH_TRACING: "false",
  OTEL_SDK_DISABLED: "true",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  HF_HUB_DISABLE_TELEMETRY: "1",
  DO_NOT_TRACK: "1",
};

const configure =
  (name: string, variant: string): Configure =>
  ({ url, key, request }) => ({
    args: [fileURLToPath(new URL(`agents/${name}_agent.py`, import.meta.url)), variant, request],
    env: { BASE_URL: url, API_KEY: key, GEMINI_API_KEY: key, PYTHONDONTWRITEBYTECODE: "1", ...NO_TELEMETRY },
  });

describe.each(Object.entries(AGENTS))("%s", (name, { packages, variants }) => {
  let installed: InstalledProgram;
  beforeAll(() => {
    installed = installPython(name, { python: ["3.12", "3.13"], packages });
  });
  describe.each(Object.entries(variants))("%s", (variant, task) => {
    it.each(TEMPLATE_TYPES)("records every token and the reward, with chat_template_type %s", async (templateType) => {
      const run = await runTask(installed, configure(name, variant), task, templateType);
      expectRewarded(await expectRecorded(run), task);
    });
  });
});

/** Expects that the session's reward reached every call, discounted once for each later turn of its conversation. */
function expectRewarded(conversations: readonly (readonly WireInteraction[])[], { linked = false }: Task): void {
  const paths = linked ? [conversations.flat()] : conversations;
  const rewards = paths.map((path) => path.map(({ reward }) => reward));
  expect.soft(rewards).toEqual(paths.map((path) => path.map((_, i) => DISCOUNT ** (path.length - 1 - i))));
}
