import { expect } from "vitest";
import { listCalls, listRefused } from "../../helpers/recording-front.js";
import type { InstalledProgram } from "./cache.js";
import { type ProgramRig, startProgramRig, type TemplateType } from "./program-rig.js";
import { type ProgramCommand, runProgram } from "./run-program.js";
import { ScriptedModel } from "./scripted-model.js";
import { REQUEST, RESUMED, type Task } from "./tasks.js";
import { Workspace } from "./workspace.js";

/** What a program is started with. */
export interface ProgramContext {
  /** Address of the server, without `/v1`. */
  readonly url: string;
  readonly key: string;
  readonly request: string;
  readonly workspace: Workspace;
  /** True for a second process, which goes on with the conversation of the first. */
  readonly resumes: boolean;
}

/** Returns how a program is started. */
export type Configure = (context: ProgramContext) => ProgramCommand;

/** What is left when a program has done its task. */
export interface TaskRun {
  readonly task: Task;
  readonly templateType: TemplateType;
  readonly rig: ProgramRig;
  readonly model: ScriptedModel;
}

/** Runs a program on a task, and expects that it does it without a refused request. */
export async function runTask(
  installed: InstalledProgram,
  configure: Configure,
  task: Task,
  templateType: TemplateType,
): Promise<TaskRun> {
  const model = new ScriptedModel(task, { odd: templateType === "concat" });
  const rig = await startProgramRig(model, templateType, task.seesImages);
  const workspace = new Workspace();
  workspace.add(task.files ?? {});
  const { url, session, calls } = rig;
  const outputs: string[] = [];
  for (const request of task.resumed ? [REQUEST, RESUMED] : [REQUEST]) {
    const command = configure({ url, key: session.key, request, workspace, resumes: request === RESUMED });
    const { end, output } = await runProgram(installed, command, workspace);
    outputs.push(output, "requests:", ...listCalls(calls));
    expect.soft(end, outputs.join("\n")).toBe("status 0");
  }
  const output = outputs.join("\n");
  expect.soft(workspace.read("hello.txt"), output).toBe(task.content ?? "hi");
  expect.soft(listRefused(calls), output).toEqual([]);
  expect.soft(rig.warnings()).toEqual([]);
  expect.soft(model.problems, output).toEqual([]);
  return { task, templateType, rig, model };
}
