import { beforeAll, describe, expect, it } from "vitest";
import { numbers } from "../../helpers/export-json.js";
import { type InstalledProgram, installProgram } from "./cache.js";
import { type ProgramRig, startProgramRig, type TemplateType } from "./program-rig.js";
import { decode } from "./qwen3.js";
import { exportSession, joinTurns, logRows, type Recorded } from "./recorded.js";
import { listCalls, listRefused } from "./recording-front.js";
import { type ProgramCommand, runProgram } from "./run-program.js";
import { type LoggedCall, type Purpose, ScriptedModel } from "./scripted-model.js";
import { REQUEST, TASKS, type Task } from "./tasks.js";
import { Workspace } from "./workspace.js";

/** What a program is started with. */
export interface ProgramContext {
  /** Address of the server, without `/v1`. */
  readonly url: string;
  readonly key: string;
  readonly request: string;
  readonly workspace: Workspace;
}

export interface AgentProgram {
  /** npm package. */
  readonly package: string;
  /** Name of its executable. */
  readonly command: string;
  /** How it is started, by the name of the configuration. */
  readonly configurations: Readonly<Record<string, (context: ProgramContext) => ProgramCommand>>;
  /** Further tasks, for what only this program has. */
  readonly tasks?: readonly Task[];
}

const TEMPLATE_TYPES: readonly TemplateType[] = ["hf", "concat"];

/** Runs an unmodified program on every task, with both kinds of prompts. */
export function describeProgram(program: AgentProgram): void {
  let installed: InstalledProgram;
  beforeAll(() => {
    installed = installProgram(program.package, program.command);
  });
  describe.each(Object.entries(program.configurations))("%s", (_, configure) => {
    describe.each(TEMPLATE_TYPES)("with chat_template_type %s", (templateType) => {
      it.each([...TASKS, ...(program.tasks ?? [])])("records every token of: $name", async (task) => {
        const model = new ScriptedModel(task, { odd: templateType === "concat" });
        const rig = await startProgramRig(model, templateType);
        const workspace = new Workspace();
        workspace.add(task.files ?? {});
        const { url, session } = rig;
        const command = configure({ url, key: session.key, request: REQUEST, workspace });
        const run = await runProgram(installed, command, workspace);
        const { end } = run;
        const output = `${run.output}\nrequests:\n${listCalls(rig.calls).join("\n")}`;
        expect.soft({ end, content: workspace.read("hello.txt") }, output).toEqual({ end: "status 0", content: "hi" });
        expect.soft(listRefused(rig.calls), output).toEqual([]);
        expect.soft(rig.warnings()).toEqual([]);
        expect.soft(model.problems).toEqual([]);
        await expectRecorded(rig, model, task, templateType);
      });
    });
  });
}

async function expectRecorded(rig: ProgramRig, model: ScriptedModel, task: Task, templateType: TemplateType) {
  const ofPurpose = (purpose: Purpose) => model.calls.filter((call) => call.purpose === purpose);
  const turns = ofPurpose("task");
  const delegates = task.turns.some(({ calls }) => calls.some((call) => "delegate" in call));
  // A program that runs sub-agents in the background reports their end in a turn of its own.
  const counted = delegates ? Math.min(turns.length, task.turns.length) : turns.length;
  expect.soft(counted).toBe(task.turns.length);
  expect.soft(decode(turns.at(-1)?.prompt ?? [])).toContain(task.shown ?? "");
  expect.soft(model.calls.map(({ finish }) => finish)).toEqual(model.calls.map(() => "stop"));
  const recorded = await exportSession(rig);
  const logged = logRows(model.calls);
  expect.soft(recorded.json).toEqual(logged);
  expect.soft(recorded.rows).toEqual(logged);
  const conversations = [turns, ofPurpose("delegated")].filter(({ length }) => length > 0);
  const parents = conversations.map((conversation) => readParents(recorded, conversation));
  expect.soft(parents).toEqual(parents.map(({ expected }) => ({ actual: expected, expected })));
  const mustBeExact = templateType === "concat";
  const continued = recorded.interactions.filter(({ parent_id }) => mustBeExact && parent_id !== null);
  expect.soft(continued.map(({ token_exact }) => token_exact)).toEqual(continued.map(() => true));
  // The turns of a conversation repeat each other's tokens, so they are one row.
  const rows = mustBeExact ? conversations.map(joinTurns) : [];
  expect.soft(recorded.conversations).toEqual(expect.arrayContaining(rows));
}

/** Returns the parents of a conversation's turns, and the turns before them, which they should be. */
function readParents({ interactions }: Recorded, turns: readonly LoggedCall[]) {
  const keys = new Set(logRows(turns).map(({ ids }) => ids.join()));
  const own = interactions.filter((interaction) => keys.has(numbers(interaction, "input_ids").join()));
  const actual = own.map(({ parent_id }) => parent_id);
  return { actual, expected: [null, ...own.slice(0, -1).map(({ interaction_id }) => interaction_id)] };
}
