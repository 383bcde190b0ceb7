import { beforeAll, describe, expect, it } from "vitest";
import { type InstalledProgram, installProgram } from "./cache.js";
import { type ProgramRig, startProgramRig, type TemplateType } from "./program-rig.js";
import { exportSession, joinTurns, logRows, type Recorded } from "./recorded.js";
import { listCalls, listRefused } from "./recording-front.js";
import { type ProgramCommand, runProgram } from "./run-program.js";
import { type LoggedCall, ScriptedModel } from "./scripted-model.js";
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
      it.each(TASKS)("records every token of: $name", async (task) => {
        const model = new ScriptedModel(task, { odd: templateType === "concat" });
        const rig = await startProgramRig(model, templateType);
        const workspace = new Workspace();
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
  const turns = model.calls.filter(({ main }) => main);
  expect.soft(turns).toHaveLength(task.turns.length);
  expect.soft(model.calls.map(({ finish }) => finish)).toEqual(model.calls.map(() => "stop"));
  const recorded = await exportSession(rig);
  const logged = logRows(model.calls);
  expect.soft(recorded.json).toEqual(logged);
  expect.soft(recorded.rows).toEqual(logged);
  expectContinued(recorded, turns);
  if (templateType === "concat") expectTokenExact(recorded, turns);
}

/** Expects that each turn of the task has the turn before as its parent. */
function expectContinued({ interactions }: Recorded, turns: readonly LoggedCall[]): void {
  const lengths = new Set(turns.map(({ prompt, output }) => prompt.length + output.length));
  const ofTask = interactions.filter(({ tensor_dict }) => lengths.has(tensor_dict["input_ids"]?.shape[1] ?? 0));
  const parents = ofTask.map(({ parent_id }) => parent_id);
  expect.soft(parents).toEqual([null, ...ofTask.slice(0, -1).map(({ interaction_id }) => interaction_id)]);
}

/** Expects that each call with a parent repeats its tokens, so that the task is one row. */
function expectTokenExact({ interactions, conversations }: Recorded, turns: readonly LoggedCall[]): void {
  const continued = interactions.filter(({ parent_id }) => parent_id !== null);
  expect.soft(continued.map(({ token_exact }) => token_exact)).toEqual(continued.map(() => true));
  expect.soft(conversations).toContainEqual(joinTurns(turns));
}
