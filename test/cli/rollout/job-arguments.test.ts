import { describe, expect, it } from "vitest";
import { assertJobArguments } from "../../../src/cli/rollout/job-arguments.js";
import { parseConfig } from "../../../src/config/index.js";

type Options = Parameters<typeof assertJobArguments>[1];

const OPTIONS: Options = { data: "tasks.jsonl", out: "out/b.safetensors", layout: "padded" };
const RETURN = { rollout: { agent: { concat_reward: "return", export_style: "concat" } } };
const STORED = { storage: { directory: "store" } };
const check = (options: Partial<Options>, config: object = {}) =>
  assertJobArguments(parseConfig(config), { ...OPTIONS, ...options });

describe("the arguments of a job", () => {
  it.each<[Partial<Options>, object]>([
    [{}, {}],
    [{ layout: "tree" }, {}],
    [{ layout: "padded" }, RETURN],
    [{ trainer: ["t"] }, {}],
    [{ trainer: ["t"], trainerMode: "persistent" }, {}],
    [{ keepSessions: true, proxy: "http://127.0.0.1:1" }, {}],
    [{ keepSessions: true }, STORED],
    [{ keepSessions: false }, {}],
    [{ sessions: false }, {}],
    [{ sessions: "out/b.safetensors.sessions" }, {}],
    [{ sessions: "tasks.jsonl.sessions" }, {}],
  ])("may be %o with the configuration %o", (options, config) => {
    expect(() => check(options, config)).not.toThrow();
  });

  it.each<[Partial<Options>, object, string]>([
    [
      { layout: "tree" },
      RETURN,
      "rollout.agent.concat_reward must be leaf with --layout tree; received return. Each node of a tree is one turn.",
    ],
    [{ trainerMode: "batch" }, {}, "--trainer-mode requires --trainer"],
    [
      { keepSessions: true },
      {},
      "--keep-sessions requires --proxy or storage.directory: the job's own proxy ends with the job. `--sessions` writes the sessions to a file.",
    ],
    ...["tasks.jsonl", "./out/../tasks.jsonl", "out/b.safetensors", "out/b.safetensors.jsonl"].map(
      (sessions): [Partial<Options>, object, string] => [{ sessions }, {}, ownFile(sessions)],
    ),
    [{ sessions: "out/b.safetensors.metrics.jsonl" }, {}, ownFile("out/b.safetensors.metrics.jsonl")],
  ])("may not be %o with the configuration %o", (options, config, message) => {
    expect(() => check(options, config)).toThrow(expect.objectContaining({ code: "invalid_arguments", message }));
  });
});

function ownFile(sessions: string): string {
  return `--sessions ${sessions} must be a file of its own, but is another file of the job`;
}
