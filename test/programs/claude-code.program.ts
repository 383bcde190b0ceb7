import { describeProgram } from "./support/describe-program.js";
import type { ProgramCommand } from "./support/run-program.js";
import type { ProgramContext } from "./support/run-task.js";
import type { Task } from "./support/tasks.js";

const configure =
  (more: Readonly<Record<string, string>>) =>
  ({ url, key, request, resumes }: ProgramContext): ProgramCommand => ({
    args: [...(resumes ? ["--continue"] : []), "-p", request, "--allowedTools", "Bash"],
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, ...more },
  });

/** Claude Code declares most of its tools only after the model has searched for them. */
const SEARCH: Task = {
  name: "a search for deferred tools",
  turns: [
    {
      reasoning: "Is there a tool that fetches?",
      text: "",
      calls: [{ tool: "ToolSearch", arguments: { query: "select:WebFetch", max_results: 1 } }],
    },
    { reasoning: "Not needed.", text: "", calls: [{ run: "printf hi > hello.txt" }] },
    { reasoning: "", text: "Done.", calls: [] },
  ],
};

/** One red pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);

/** It sends the image back in the result of the call. */
const IMAGE: Task = {
  name: "an image in the result of a tool",
  files: { "pixel.png": PNG },
  turns: [
    {
      reasoning: "What does the picture show?",
      text: "I look at it.",
      calls: [{ tool: "Read", arguments: { file_path: "pixel.png" } }],
    },
    { reasoning: "It does not matter.", text: "", calls: [{ run: "printf hi > hello.txt" }] },
    { reasoning: "", text: "Done.", calls: [] },
  ],
  shown: "[image]",
};

const SEEN: Task = {
  ...IMAGE,
  name: "an image that the model sees in the result of a tool",
  seesImages: true,
  shown: "<|vision_start|><|image_pad|><|image_pad|><|image_pad|><|image_pad|><|vision_end|>",
};

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
  // The context window is the smallest that Claude Code accepts. It compacts the conversation when 30 % of the window is used.
  smallContext: configure({ CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000", CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "30" }),
  tasks: [SEARCH, IMAGE, SEEN],
  traits: { namesAgents: true },
});
