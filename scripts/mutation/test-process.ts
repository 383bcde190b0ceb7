import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { BaseSequencer, createVitest, type TestCase, type TestSpecification } from "vitest/node";
import { DECIDED, MUTANT, REACHED, type Reached } from "./run-protocol.js";

/** The process that runs tests, as often as it is told to. Its working directory is the copy of the tree. */

export interface TestOrder {
  /** Switched on for this run; absent: none, and what the tests reach is reported. */
  readonly mutant?: number | undefined;
  /** Run in this order, up to the first failure. */
  readonly tests: readonly string[];
}

export interface TestOutcome {
  readonly passed: boolean;
  /** The first test that failed, or an error outside of tests. */
  readonly failure: string | undefined;
  readonly milliseconds: Readonly<Record<string, number>>;
  readonly reached: readonly Reached[];
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
    const test = testModules.flatMap((module) => [...module.children.allTests("failed")]).find(isFirstFailure);
    const broken = testModules.find((module) => !module.ok());
    const failure = test?.fullName ?? broken?.moduleId ?? unhandledErrors.map(String)[0];
    const milliseconds = Object.fromEntries(
      testModules.map((module) => [module.relativeModuleId, module.diagnostic().duration]),
    );
    const reached = readdirSync(folder).map((name) => readReached(join(folder, name)));
    return { passed: failure === undefined, failure, milliseconds, reached };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readReached(file: string): Reached {
  const reached = JSON.parse(readFileSync(file, "utf8")) as Reached;
  return { ...reached, file: isAbsolute(reached.file) ? relative(root, reached.file) : reached.file };
}

/** Tests of the files behind the first failure fail too, of the set-up file's own error. */
function isFirstFailure(test: TestCase): boolean {
  return !test.result().errors?.some(({ message }) => message === DECIDED);
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
