import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { readPage } from "../helpers/page.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { installProgram } from "./support/cache.js";
import { writeQwen3Folder } from "./support/qwen3.js";
import { joinTurns, readRows } from "./support/recorded.js";
import { NO_INTERNET } from "./support/run-program.js";
import { type LoggedCall, ScriptedModel } from "./support/scripted-model.js";
import { TASKS } from "./support/tasks.js";
import { Workspace } from "./support/workspace.js";

const COMMAND_LINE = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const EPISODES = 2;

it("runs the recipe for coding agents: a rollout of Claude Code with a reward from a check", async () => {
  const [task] = TASKS;
  if (!task) throw new Error("There is no task.");
  const model = new ScriptedModel(task, { odd: true });
  const engine = await startSglangServer({
    complete: model.complete,
    onOutcome: model.hear,
    contextLength: 262_144,
    skipTokenizerInit: true,
  });
  onTestFinished(() => engine.close());
  const { project, home, temporary } = new Workspace();
  const claude = installProgram("@anthropic-ai/claude-code", "claude");
  writeFileSync(join(project, "recipe.sh"), readRecipe(engine.url, writeQwen3Folder()));
  const { stdout } = await promisify(execFile)("bash", ["-e", "recipe.sh"], {
    cwd: project,
    env: {
      ...NO_INTERNET,
      PATH: [dirname(claude.file), claude.path].join(delimiter),
      HOME: home,
      TMPDIR: temporary,
    },
  });
  expect(stdout).toContain(`${EPISODES} accepted, 0 rejected`);
  expect(stdout).toContain("mean 1");
  const calls = model.calls.filter(({ purpose }) => purpose === "task");
  expect(calls).toHaveLength(EPISODES * task.turns.length);
  const conversations = readConversations(calls);
  expect(conversations).toHaveLength(EPISODES);
  const rows = readRows(readSafetensors(readFileSync(join(project, "try/batch.safetensors"))));
  expect(rows).toEqual(expect.arrayContaining(conversations.map(joinTurns)));
});

/** Returns the guide's block that begins with the script, for this engine and model, with fewer episodes. */
function readRecipe(engine: string, model: string): string {
  const [, block] =
    /```sh\n(mkdir -p try\ncat > try\/solve\.sh[^]*?)```/.exec(readPage("guides/coding-agents.md")) ?? [];
  if (!block) throw new Error("The guide has no recipe for coding agents.");
  return block
    .replace("npx rolltape", `node ${COMMAND_LINE}`)
    .replace("--group-size 4", `--group-size ${EPISODES}`)
    .replace("http://gpu0:30000", engine)
    .replace("/models/Qwen3-8B", model);
}

/** Returns the calls of each episode. In `concat`, a call's prompt begins with the prompts before it. */
function readConversations(calls: readonly LoggedCall[]): LoggedCall[][] {
  const text = ({ prompt }: LoggedCall) => prompt.join();
  const isEnd = (call: LoggedCall) => !calls.some((other) => other !== call && text(other).startsWith(text(call)));
  return calls.filter(isEnd).map((end) => calls.filter((call) => text(end).startsWith(text(call))));
}
