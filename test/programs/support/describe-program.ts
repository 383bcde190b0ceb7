import { beforeAll, describe, it } from "vitest";
import { type InstalledProgram, installProgram } from "./cache.js";
import { expectCompacted, expectRecorded, type ProgramTraits } from "./expect-recorded.js";
import type { TemplateType } from "./program-rig.js";
import { type Configure, runTask } from "./run-task.js";
import { LONG_TASK, TASKS, type Task } from "./tasks.js";

export interface AgentProgram {
  /** npm package. */
  readonly package: string;
  /** Name of its executable. */
  readonly command: string;
  /** How it is started, by the name of the configuration. */
  readonly configurations: Readonly<Record<string, Configure>>;
  /** How it is started with a small context, so that it compacts its conversation. */
  readonly smallContext?: Configure;
  /** Further tasks, for what only this program has. */
  readonly tasks?: readonly Task[];
  readonly traits?: ProgramTraits;
}

export const TEMPLATE_TYPES: readonly TemplateType[] = ["hf", "concat"];

/** Runs an unmodified program on every task, with both kinds of prompts. */
export function describeProgram(program: AgentProgram): void {
  let installed: InstalledProgram;
  beforeAll(() => {
    installed = installProgram(program.package, program.command);
  });
  describe.each(Object.entries(program.configurations))("%s", (_, configure) => {
    describe.each(TEMPLATE_TYPES)("with chat_template_type %s", (templateType) => {
      it.each([...TASKS, ...(program.tasks ?? [])])("records every token of: $name", async (task) => {
        await expectRecorded(await runTask(installed, configure, task, templateType), program.traits);
      });
    });
  });
  const small = program.smallContext ? [program.smallContext] : [];
  describe.each(small)("a small context", (configure) => {
    it.each(TEMPLATE_TYPES)("links the conversations before and after a compaction, with %s", async (templateType) => {
      await expectCompacted(await runTask(installed, configure, LONG_TASK, templateType));
    });
  });
}
