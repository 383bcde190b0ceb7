import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { BaseSequencer, createVitest, type TestModule, type TestSpecification } from "vitest/node";
import { DECIDED, MUTANT, REACHED, type Reached } from "./run-protocol.js";

/** The process that runs tests, as often as it is told to. Its working directory is the copy of the tree. */

export interface TestOrder {
  /** Switched on for this run; absent: none, and what the tests reach is reported. */
  readonly mutant?: number | undefined;
  /** Run in this order, up to the first failure. */
  readonly tests: readonly string[];
}

export interface TestOutcome {
  /** Tests that failed, or files that failed outside of a test. With a mutant, only the first. */
  readonly failures: readonly Failure[];
  readonly milliseconds: Readonly<Record<string, number>>;
  readonly reached: readonly Reached[];
}

export interface Failure {
  readonly file: string;
  /** The full name of the test, or the error outside of tests. */
  readonly name: string;
  /** It waited too long for something, which a busy machine may cause too. */
  readonly timedOut: boolean;
}

const root = process.cwd();
let order: readonly string[] = [];

class GivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => order.indexOf(relative(root, moduleId));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

const vitest = await createVitest(
  "test",
  // main.ts has built dist. A mutant that makes a test wait for what never comes is to be noticed soon.
  { root, watch: false, reporters: [{}], globalSetup: [], testTimeout: 15_000 },
  {
    test: {
      // One process for all files: modules are loaded once. Files run in turn.
      isolate: false,
      maxWorkers: 1,
      sequence: { sequencer: GivenOrder },
      setupFiles: [join(root, "scripts", "mutation", "switch-setup.ts")],
    },
  },
);
const project = vitest.getRootProject();

async function run({ mutant, tests }: TestOrder): Promise<TestOutcome> {
  const folder = mkdtempSync(join(root, "reached-"));
  try {
    setEnvironment(MUTANT, mutant?.toString());
    setEnvironment(REACHED, mutant === undefined ? folder : undefined);
    order = tests;
    const specifications = tests.map((file) => project.createSpecification(join(root, file)));
    const { testModules: all, unhandledErrors } = await vitest.runTestSpecifications(specifications, true);
    // vitest also returns the modules of earlier runs, with their failures.
    const testModules = all.filter(({ relativeModuleId }) => tests.includes(relativeModuleId));
    const failures = testModules.filter((module) => !module.ok()).flatMap(failuresOf);
    const outside = unhandledErrors.map((error) => ({ file: tests[0] ?? "", name: messageOf(error), timedOut: false }));
    const milliseconds = Object.fromEntries(
      testModules.map((module) => [module.relativeModuleId, module.diagnostic().duration]),
    );
    const reached = readdirSync(folder).map((name) => readReached(join(folder, name)));
    return { failures: failures.length > 0 ? failures : outside, milliseconds, reached };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readReached(file: string): Reached {
  const reached = JSON.parse(readFileSync(file, "utf8")) as Reached;
  return { ...reached, file: isAbsolute(reached.file) ? relative(root, reached.file) : reached.file };
}

/** Errors come from another process, as plain objects. */
function messageOf(error: unknown): string {
  return typeof error === "object" && error && "message" in error ? String(error.message) : "an error outside of tests";
}

/** Vitest's time-outs of tests and hooks, and of `expect.poll`. */
const TIMED_OUT = /timed out|did not succeed in time/i;

function failuresOf(module: TestModule): Failure[] {
  const file = module.relativeModuleId;
  const tests = [...module.children.allTests("failed")];
  const suites = [module, ...module.children.allSuites()];
  const failed = [
    ...tests.map((test) => ({ name: test.fullName, errors: test.result().errors ?? [] })),
    ...suites.map((suite) => ({ name: file, errors: suite.errors() })),
  ].filter(({ errors }) => errors.length > 0);
  return (
    failed
      // Files behind the first failure fail too, of the set-up file's own error.
      .filter(({ errors }) => !errors.some(({ message }) => message === DECIDED))
      .map(({ name, errors }) => ({ file, name, timedOut: errors.some(({ message }) => TIMED_OUT.test(message)) }))
  );
}

/** Test processes get the environment of this one. */
function setEnvironment(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

process.on("message", (message: TestOrder) => {
  void run(message).then((outcome) => process.send?.(outcome));
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
