import { describeProgram } from "./support/describe-program.js";
import type { ProgramCommand } from "./support/run-program.js";
import type { ProgramContext } from "./support/run-task.js";

const configure =
  (authType: string, variables: (context: ProgramContext) => ProgramCommand["env"]) =>
  (context: ProgramContext): ProgramCommand => ({
    args: ["--yolo", "--auth-type", authType, ...(context.resumes ? ["--continue"] : []), "-p", context.request],
    env: variables(context),
  });

const openai = ({ url, key }: ProgramContext) => ({
  OPENAI_API_KEY: key,
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_MODEL: "qwen",
});
const anthropic = ({ url, key }: ProgramContext) => ({
  ANTHROPIC_API_KEY: key,
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_MODEL: "qwen",
});

describeProgram({
  package: "@qwen-code/qwen-code",
  command: "qwen",
  configurations: {
    openai: configure("openai", openai),
    "openai-responses": configure("openai-responses", openai),
    anthropic: configure("anthropic", anthropic),
  },
  // Its first message has the date. A resumed conversation has it in the newest message instead.
  traits: { resumedChanges: [["first message"]] },
});
