import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SchedulerError } from "../../src/scheduler/errors.js";
import { parseJob } from "../../src/scheduler/parse-job.js";
import { listGroups } from "../../src/scheduler/slurm/layout.js";

const controller = { role: "controller", command: ["true"] };
const right = { folder: "/job", roles: [controller] };

function listProblems(written: unknown): string[] {
  try {
    parseJob(written);
    return [];
  } catch (error) {
    return error instanceof SchedulerError && error.code === "job_invalid"
      ? error.message.split("\n")
      : [String(error)];
  }
}

describe("the description of a job", () => {
  it("gets its defaults", () => {
    expect(parseJob(right)).toMatchObject({
      name: "rolltape",
      stop_seconds: 30,
      roles: [{ count: 1, ready: "started", restarts: 3, env: {} }],
      slurm: { options: [], groups: null, step_options: {}, requeue: true, pending_seconds: null, poll_seconds: 5 },
    });
  });

  it("has each role once", () => {
    const [problem] = listProblems({ ...right, roles: [controller, controller] });
    expect(problem).toMatch(/^roles: expected each role once, got /);
  });

  it.each<[string, unknown, string]>([
    ["no map", 3, "the job: expected object, got 3"],
    [
      "another name",
      { ...right, name: "a b" },
      'name: expected at most 64 letters, digits, dots, dashes and underscores, got "a b"',
    ],
    ["a relative folder", { ...right, folder: "job" }, 'folder: expected an absolute path, got "job"'],
    ["no folder", { roles: [controller] }, "folder: expected string, got nothing"],
    ["no controller", { ...right, roles: [] }, "roles: expected a controller, got []"],
    [
      "an unknown kind of readiness",
      { ...right, roles: [{ ...controller, ready: "no" }] },
      'roles[0].ready: expected started, line or a map with a url, got "no"',
    ],
    [
      "an unknown key",
      { ...right, roles: [{ ...controller, cuont: 1 }] },
      "roles[0].cuont: unknown key; did you mean count?",
    ],
    [
      "an unknown key of Slurm",
      { ...right, slurm: { optons: [] } },
      "slurm.optons: unknown key; did you mean options?",
    ],
    [
      "an unknown placeholder in a command",
      { ...right, roles: [{ ...controller, command: ["train", "--url={proxy_urll}"] }] },
      'roles[0].command[1]: unknown placeholder {proxy_urll}; expected {proxy_url}, got "--url={proxy_urll}"',
    ],
    [
      "an unknown placeholder in an environment, without showing the value",
      { ...right, roles: [{ ...controller, env: { KEY: "secret {gateway}" } }] },
      "roles[0].env.KEY: unknown placeholder {gateway}; expected {gateway_url}, got a value of type string",
    ],
    [
      "an option that the scheduler sets",
      { ...right, slurm: { options: ["--nodes=4"] } },
      'slurm.options[0]: expected an option that the scheduler does not set; use slurm.groups[].nodes, got "--nodes=4"',
    ],
    [
      "an option that does not begin with -",
      { ...right, slurm: { options: ["x"] } },
      'slurm.options[0]: expected an option, which begins with -, got "x"',
    ],
  ])("refuses %s", (_, written, problem) => {
    expect(listProblems(written)).toEqual([problem]);
  });

  it.each(["{folder}/{index}", "${prox_url} {{node_name}}", "awk '{print}' {}", '{"port":1}', "{question}", "{mode}"])(
    "accepts the braces of %s",
    (text) => {
      expect(listProblems({ ...right, roles: [{ ...controller, command: [text] }] })).toEqual([]);
    },
  );

  it("lists everything that is wrong, and shows no value of an environment", () => {
    const problems = listProblems({ ...right, folder: 1, roles: [{ ...controller, env: { KEY: 123_456 } }] });
    expect(problems).toEqual([
      "folder: expected string, got 1",
      "roles[0].env.KEY: expected string, got a value of type number",
    ]);
  });

  it("accepts the examples of docs/reference/jobs.md", () => {
    const page = readFileSync(new URL("../../docs/reference/jobs.md", import.meta.url), "utf8");
    const job = parseJob(parse(/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ""));
    expect(job.roles.map(({ role, count }) => `${count} ${role}`)).toEqual([
      "2 engine",
      "4 proxy",
      "1 gateway",
      "4 rollout",
      "1 controller",
    ]);
    expect(listGroups(job).map(({ nodes }) => nodes)).toEqual([4, 1]);
  });
});
