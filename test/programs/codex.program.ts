import { describeProgram } from "./support/describe-program.js";
import type { ProgramCommand } from "./support/run-program.js";
import type { ProgramContext } from "./support/run-task.js";
import { DELEGATED, type Task } from "./support/tasks.js";

const ARGS = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];

const configure =
  (settings: string) =>
  ({ url, key, request, workspace, resumes }: ProgramContext): ProgramCommand => {
    workspace.configure(
      ".codex/config.toml",
      `${settings}model = "qwen"
model_provider = "rolltape"

[model_providers.rolltape]
name = "rolltape"
base_url = "${url}/v1"
env_key = "SESSION_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`,
    );
    const subcommand = resumes ? ["exec", "resume", "--last"] : ["exec"];
    return { args: [...subcommand, ...ARGS, request], env: { SESSION_KEY: key } };
  };

/** Its sub-agents run in the background, so the model waits for them. */
const SUB_AGENT: Task = {
  name: "a sub-agent that the model waits for",
  turns: [
    {
      reasoning: "A sub-agent can count them.",
      text: "I delegate it.",
      calls: [{ tool: "multi_agent_v1__spawn_agent", arguments: { message: DELEGATED } }],
    },
    {
      reasoning: "",
      text: "",
      calls: [{ tool: "multi_agent_v1__wait_agent", arguments: (prompt) => waitArguments(prompt) }],
    },
    { reasoning: "Counted.", text: "", calls: [{ run: "printf hi > hello.txt" }] },
    { reasoning: "", text: "Done.", calls: [] },
  ],
  delegated: true,
  shown: '"completed":"There are 0 files."',
};

function waitArguments(prompt: string): object {
  const id = /"agent_id":"([^"]+)"/.exec(prompt)?.[1];
  return { targets: [id], timeout_ms: 240_000 };
}

describeProgram({
  package: "@openai/codex",
  command: "codex",
  configurations: { responses: configure("") },
  smallContext: configure("model_auto_compact_token_limit = 15000\n"),
  tasks: [SUB_AGENT],
  traits: { namesAgents: true },
});
