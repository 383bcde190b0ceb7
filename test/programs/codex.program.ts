import { describeProgram } from "./support/describe-program.js";
import type { ProgramCommand } from "./support/run-program.js";
import type { ProgramContext } from "./support/run-task.js";

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

describeProgram({
  package: "@openai/codex",
  command: "codex",
  configurations: { responses: configure("") },
  smallContext: configure("model_auto_compact_token_limit = 15000\n"),
});
