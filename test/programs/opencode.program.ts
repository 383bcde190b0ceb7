import { describeProgram } from "./support/describe-program.js";
import type { ProgramCommand } from "./support/run-program.js";
import type { ProgramContext } from "./support/run-task.js";

/** The provider's package decides which API opencode speaks. */
const configure =
  (provider: string) =>
  ({ url, key, request, workspace, resumes }: ProgramContext): ProgramCommand => {
    workspace.configure(".config/opencode/opencode.json", {
      model: "rolltape/qwen",
      permission: { edit: "allow", bash: "allow" },
      provider: {
        rolltape: { npm: provider, options: { baseURL: `${url}/v1`, apiKey: key }, models: { qwen: {} } },
      },
    });
    return {
      args: ["run", ...(resumes ? ["--continue"] : []), request],
      env: { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" },
    };
  };

const PROVIDERS = ["@ai-sdk/openai-compatible", "@ai-sdk/openai", "@ai-sdk/anthropic"];

describeProgram({
  package: "opencode-ai",
  command: "opencode",
  configurations: Object.fromEntries(PROVIDERS.map((provider) => [provider, configure(provider)])),
});
