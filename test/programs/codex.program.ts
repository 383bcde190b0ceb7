import type { ProgramContext } from "./support/describe-program.js";
import { describeProgram } from "./support/describe-program.js";
import type { ProgramCommand } from "./support/run-program.js";

const ARGS = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];

function configure({ url, key, request, workspace }: ProgramContext): ProgramCommand {
  workspace.configure(
    ".codex/config.toml",
    `model = "qwen"
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
  return { args: [...ARGS, request], env: { SESSION_KEY: key } };
}

describeProgram({ package: "@openai/codex", command: "codex", configurations: { responses: configure } });
