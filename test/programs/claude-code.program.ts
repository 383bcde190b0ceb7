import { describeProgram, type ProgramContext } from "./support/describe-program.js";
import type { ProgramCommand } from "./support/run-program.js";

const configure =
  (more: Readonly<Record<string, string>>) =>
  ({ url, key, request }: ProgramContext): ProgramCommand => ({
    args: ["-p", request, "--allowedTools", "Bash"],
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, ...more },
  });

describeProgram({
  package: "@anthropic-ai/claude-code",
  command: "claude",
  configurations: {
    "default configuration": configure({}),
    "without nonessential traffic": configure({
      ANTHROPIC_MODEL: "qwen",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
  },
});
