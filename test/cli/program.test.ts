import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import type { RolloutOptions } from "../../src/cli/rollout/rollout-options.js";

/** The command line itself: which commands and options there are, and how their arguments are read. */

/** Returns a command and those below it, by their full names. */
function listCommands(command: Command, path = ""): [string, Command][] {
  return command.commands.flatMap((each): [string, Command][] => {
    const name = `${path}${each.name()}`;
    return [[name, each], ...listCommands(each, `${name} `)];
  });
}

const commands = new Map(listCommands(createProgram()));
const flagsOf = (name: string) => commands.get(name)?.options.map(({ flags }) => flags) ?? [];
const argumentsOf = (name: string) =>
  commands.get(name)?.registeredArguments.map((each) => [each.name(), each.required]);

const CONFIG = ["-c, --config <file>"];
const STARTER = [...CONFIG, "--started-by <program>"];
const AGENT = ["-a, --agent <file>", "--command <program>"];
const JOB = [
  "-d, --data <file>",
  "-o, --out <file>",
  "-g, --group-size <n>",
  "--timeout <seconds>",
  "--trainer <program>",
  "--trainer-mode <mode>",
  "--write-wait <seconds>",
  "--no-transcripts",
  "--no-metrics",
  "--sessions <file>",
  "--no-sessions",
  "--keep-sessions",
  "--resume",
  "--job-database <where>",
  "--from-version <n>",
  "--layout <layout>",
];
const FRONT = [...CONFIG, "--listen <address>", "--gateway <url>"];

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  serve: STARTER,
  gateway: CONFIG,
  "proxy-config": [],
  "proxy-config haproxy": [...FRONT, "--out <file>", "--watch", "--reload <command>"],
  "proxy-config envoy": [...FRONT, "--out <folder>", "--watch"],
  config: STARTER,
  demo: ["--out <file>"],
  "tiny-model": [],
  rollout: [
    ...CONFIG,
    ...AGENT,
    ...JOB,
    "--proxy-workers <n>",
    "--workers <n>",
    "--proxy <url>",
    "--job-folder <folder>",
    "--nodes <n>",
    "--sbatch-option <option...>",
    "--engine-command <program>",
    "--engines <n>",
  ],
  controller: [...CONFIG, ...JOB, "--proxy <url>", "--url-file <file>", "--started-by <program>"],
  worker: [
    ...CONFIG,
    ...AGENT,
    "--controller <url>",
    "--name <name>",
    "--replace",
    "--stopped-status <n>",
    "--proxy <url>",
  ],
  job: CONFIG,
  inspect: ["--rows <n>", "--text <row>", "--model <folder>", "--json"],
  view: ["--model <folder>", "--port <n>", "--html <file>", "--max-bytes <n>"],
  weights: [
    "--version <n>",
    "--external",
    "--finish",
    "--give-up",
    "--status",
    "--exclude <urls>",
    "--allow-partial",
    "--json",
  ],
  storage: [],
  "storage inspect": ["--json"],
  "storage verify": ["--all"],
  "storage compact": ["--leave-out-damaged"],
};

const EXPORT = [
  "--storage <folder>",
  "--from <file>",
  "-o, --out <file>",
  "--sessions <ids>",
  "--state <states>",
  "--split <split>",
];

describe("the command line", () => {
  it("has these commands", () => {
    expect([...commands.keys()].toSorted()).toEqual([...Object.keys(OPTIONS), "export"].toSorted());
  });

  it.each(Object.entries(OPTIONS))("%s has these options", (name, flags) => {
    expect(flagsOf(name)).toEqual(flags);
  });

  it("export has those of a batch too, named like the fields of the HTTP API", () => {
    const flags = flagsOf("export");
    expect(flags.slice(0, EXPORT.length)).toEqual(EXPORT);
    expect(flags).toContain("--max-length <value>");
    expect(flags).toContain("--include-undelivered");
    expect(flags.some((each) => each.startsWith("--no-"))).toBe(true);
  });

  it("says of every command, argument and option what it is for", () => {
    for (const [name, command] of commands) {
      const silent = [
        ...(command.description() === "" ? [name] : []),
        ...command.options.filter(({ description }) => description.trim() === "").map(({ flags }) => flags),
        ...command.registeredArguments.filter(({ description }) => description === "").map((each) => each.name()),
      ];
      expect([name, silent]).toEqual([name, []]);
    }
    expect(createProgram().description()).toContain("rollout proxy");
    expect(createProgram().version()).toMatch(/^\d+\.\d+\.\d+/);
  });

  it("takes these arguments", () => {
    const configured = ["serve", "gateway", "config", "rollout", "controller", "worker", "proxy-config envoy"];
    for (const name of configured) expect([name, argumentsOf(name)]).toEqual([name, [["key=value", false]]]);
    expect(argumentsOf("job")).toEqual([
      ["file", true],
      ["key=value", false],
    ]);
    expect(["inspect", "view", "storage inspect", "storage verify", "storage compact"].map(argumentsOf)).toEqual([
      [["file", true]],
      [["target", true]],
      [["folder", true]],
      [["folder", true]],
      [["folder", true]],
    ]);
    expect(argumentsOf("weights")).toEqual([
      ["url", true],
      ["path", false],
    ]);
  });
});

/** Parses the arguments of a command without running it. */
async function parse<T>(name: string, args: readonly string[]): Promise<{ options: T; args: unknown } | string> {
  const program = createProgram();
  const command = new Map(listCommands(program)).get(name);
  let parsed: { options: T; args: unknown } | undefined;
  command?.action((...given: unknown[]) => {
    parsed = { args: given.at(-3), options: given.at(-2) as T };
  });
  let said = "";
  for (const each of [program, ...new Map(listCommands(program)).values()])
    each.exitOverride().configureOutput({ writeErr: (text) => void (said += text) });
  try {
    await program.parseAsync(["node", "rolltape", ...name.split(" "), ...args]);
  } catch {
    return said.trim();
  }
  return parsed ?? said;
}

const REQUIRED = ["--data", "tasks.jsonl", "--out", "batch.safetensors"];
const rollout = (...args: readonly string[]) => parse<RolloutOptions>("rollout", [...REQUIRED, ...args]);

describe("the options of a rollout", () => {
  it("have few defaults", async () => {
    expect(await rollout()).toEqual({
      args: [],
      options: {
        data: "tasks.jsonl",
        out: "batch.safetensors",
        transcripts: true,
        metrics: true,
        layout: "padded",
      },
    });
  });

  it("are numbers, words and lists", async () => {
    const args = [
      "--group-size",
      "2",
      "--timeout",
      "1.5",
      "--write-wait",
      "0",
      "--from-version",
      "0",
      "--engines",
      "3",
    ];
    const programs = [
      "--command",
      " python  a.py --x ",
      "--trainer",
      '["a b","c"]',
      "--engine-command",
      "serve {port}",
    ];
    const parsed = await rollout(
      ...args,
      ...programs,
      "--no-sessions",
      "--sbatch-option=--a",
      "--sbatch-option=--b",
      "x=1",
    );
    expect(parsed).toMatchObject({
      args: ["x=1"],
      options: {
        groupSize: 2,
        timeout: 1.5,
        writeWait: 0,
        fromVersion: 0,
        engines: 3,
        command: ["python", "a.py", "--x"],
        trainer: ["a b", "c"],
        engineCommand: ["serve", "{port}"],
        sessions: false,
        sbatchOption: ["--a", "--b"],
      },
    });
  });

  it.each([
    [["--group-size", "0"], "option '-g, --group-size <n>' argument '0' is invalid. Expected an integer"],
    [["--workers", "1.5"], "argument '1.5' is invalid"],
    [["--proxy-workers", "x"], "argument 'x' is invalid"],
    [["--nodes", "-1"], "is invalid"],
    [["--timeout", "0"], "argument '0' is invalid"],
    [["--write-wait", "-1"], "argument '-1' is invalid"],
    [["--layout", "flat"], "Allowed choices are padded, packed, tree."],
    [["--trainer-mode", "other"], "Allowed choices are batch, persistent."],
    [["--command", " "], "Expected a program and its arguments."],
    [["--command", "[]"], "Expected a program and its arguments."],
    [["--command", "[1]"], "Expected a program and its arguments."],
    [["--trainer", "[a"], "Expected a program and its arguments."],
    [["--proxy", "ftp://a"], "Expected an http or https URL."],
    [["--proxy", "a:1"], "Expected an http or https URL."],
    [["--command", "a", "--agent", "b"], "cannot be used with option '-a, --agent <file>'"],
    [["--proxy", "http://a", "--proxy-workers", "2"], "cannot be used with option '--proxy-workers <n>'"],
    [["--proxy", "http://a", "--job-folder", "b"], "cannot be used with option '--job-folder <folder>'"],
  ])("refuse %j", async (args, message) => {
    expect(await rollout(...args)).toContain(message);
  });

  it.each(["http://a:1", "https://a/b"])("take the proxy %s", async (url) => {
    expect(await rollout("--proxy", url)).toMatchObject({ options: { proxy: url } });
  });

  it("require tasks and a file", async () => {
    expect(await parse("rollout", [])).toContain("required option '-d, --data <file>' not specified");
    expect(await parse("rollout", ["--data", "a"])).toContain("required option '-o, --out <file>' not specified");
    expect(await parse("controller", REQUIRED)).toContain("required option '--proxy <url>' not specified");
    expect(await parse("worker", [])).toContain("required option '--controller <url>' not specified");
  });
});

describe("the options of other commands", () => {
  it("have these defaults", async () => {
    expect(await parse("worker", ["--controller", "http://a"])).toMatchObject({ options: { stoppedStatus: 0 } });
    expect(await parse("demo", [])).toMatchObject({ options: { out: "out/batch.safetensors" } });
    expect(await parse("proxy-config haproxy", ["--gateway", "http://a", "--gateway", "http://b"])).toMatchObject({
      options: { listen: "*:8080", gateway: ["http://a", "http://b"] },
    });
  });

  it("are lists separated by commas", async () => {
    expect(await parse("weights", ["http://a", "/w", "--exclude", "http://b,,http://c"])).toMatchObject({
      options: { exclude: ["http://b", "http://c"] },
    });
    const exported = ["--out", "a", "--storage", "b", "--state", "ended,held", "--models", "a,b"];
    expect(await parse("export", exported)).toMatchObject({
      options: { state: ["ended", "held"], models: ["a", "b"] },
    });
    expect(await parse("export", ["--out", "a", "--sessions", "s-1,,s-2"])).toMatchObject({
      options: { sessions: ["s-1", "s-2"] },
    });
  });

  it.each([
    ["worker", ["--controller", "a", "--stopped-status", "256"], "argument '256' is invalid"],
    ["controller", [...REQUIRED, "--proxy", "http://a", "--started-by", "me"], "Allowed choices are rollout."],
    ["serve", ["--started-by", "me"], "Allowed choices are"],
    ["inspect", ["a", "--rows", "0"], "argument '0' is invalid"],
    ["inspect", ["a", "--text", "-1"], "is invalid"],
    ["view", ["a", "--port", "65536"], "argument '65536' is invalid"],
    ["view", ["a", "--max-bytes", "0"], "argument '0' is invalid"],
    ["weights", ["a", "--version", "-1"], "is invalid"],
    ["export", ["--out", "a", "--from", "b", "--storage", "c"], "cannot be used with option '--storage <folder>'"],
    ["export", ["--out", "a", "--sessions", ","], "Expected at least one session id."],
    ["export", ["--out", "a", "--sessions", "s,t,s"], "Each session must be named once; received s twice."],
    ["export", ["--out", "a", "--sessions", "s", "--state", "held"], "cannot be used with option"],
    [
      "export",
      ["--out", "a", "--state", "ended,odd"],
      "Expected one or more of active, ended, held, exported, expired; received odd.",
    ],
    ["export", ["--out", "a", "--split", "odd"], "Allowed choices are train, eval."],
    ["export", [], "required option '-o, --out <file>' not specified"],
    ["proxy-config envoy", ["--gateway", "http://a"], "required option '--out <folder>' not specified"],
    ["proxy-config haproxy", [], "required option '--gateway <url>' not specified"],
  ])("of %s refuse %j", async (name, args, message) => {
    expect(await parse(name, args)).toContain(message);
  });

  it.each(["0", "65535"])("of view take the port %s", async (port) => {
    expect(await parse("view", ["a", "--port", port])).toMatchObject({ options: { port: Number(port) } });
  });
});
