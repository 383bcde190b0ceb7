import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { listRooms } from "../../scripts/mutation/rooms.js";

const FOLDER = ".github/workflows";

interface Job {
  readonly "timeout-minutes"?: number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}

const readJobs = (file: string): Record<string, Job> =>
  (parse(readFileSync(join(FOLDER, file), "utf8")) as { readonly jobs: Record<string, Job> }).jobs;
const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
const nightly = readJobs("nightly.yml");

describe.each(readdirSync(FOLDER))("the workflow %s", (file) => {
  const jobs = Object.entries(readJobs(file));

  it("names scripts that package.json and the repository have", () => {
    const commands = jobs.flatMap(([, { steps }]) => steps.map(({ run = "" }) => run)).join("\n");
    const named = [...commands.matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const files = [...commands.matchAll(/(?:^|\s)((?:\.ci|scripts)\/[\w./-]+)/g)].map(([, path = ""]) => path);
    expect(files.filter((path) => !existsSync(path))).toEqual([]);
    expect(named.length + files.length).toBeGreaterThan(0);
  });

  it("limits the time of each job", () => {
    expect(jobs.filter(([, job]) => job["timeout-minutes"] === undefined).map(([name]) => name)).toEqual([]);
  });
});

describe("the nightly workflow", () => {
  it("keeps the output of each job", () => {
    const keeps = ({ steps }: Job) => steps.some(({ uses = "" }) => uses.startsWith("actions/upload-artifact@"));
    expect(Object.keys(nightly).filter((name) => !keeps(nightly[name] as Job))).toEqual([]);
  });

  it("tries every room with faults", () => {
    expect(nightly["mutation"]?.strategy?.matrix["room"]).toEqual(listRooms(process.cwd()));
  });

  it("runs every fuzz target", () => {
    const targets = readdirSync("native/fuzz").filter((file) => file.endsWith("_fuzz.cc"));
    const names = targets.map((file) => file.replace(".cc", "")).toSorted();
    expect(nightly["fuzz"]?.strategy?.matrix["target"]).toEqual(names);
  });
});

describe("the workflow of pull requests", () => {
  it("leaves out no step for lack of time", () => {
    const { ci } = readJobs("ci.yml") as unknown as { ci: { env: Record<string, unknown> } };
    expect(ci.env["ROLLTAPE_CI_SECONDS"]).toBe(0);
  });
});
