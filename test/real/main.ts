/**
 * Runs Rolltape against unmodified engines: installs each from PyPI, starts it with a tiny model, runs the tests, stops it.
 *
 * usage: npm run test:real [-- [vllm|sglang]… [--quick] [--url URL --model FOLDER [--served NAME]] [-- OPTIONS OF VITEST…]]
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ENGINE_NAMES, type EngineName, NotInstallableError } from "./support/install-engine.js";
import { ENGINE_VARIABLE, type RealEngine, startEngineServer } from "./support/real-engine.js";

interface Options {
  readonly names: readonly EngineName[];
  readonly quick: boolean;
  /** A server that runs already. */
  readonly given: { readonly url: string; readonly model: string; readonly served: string } | undefined;
  readonly vitest: readonly string[];
}

const VITEST = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));

/** The tests that `--quick` runs: a few minutes with the start of the engine. */
const QUICK = ["parity", "basics", "token-ids"].map((name) => `test/real/both/${name}.real.ts`);

function readOptions(args: readonly string[]): Options {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const { values, positionals } = parseArgs({
    args: [...own],
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      url: { type: "string" },
      model: { type: "string" },
      served: { type: "string", default: "default" },
    },
  });
  const names = positionals.map(toEngineName);
  const { quick, url, model, served } = values;
  if (url !== undefined && (model === undefined || names.length !== 1)) {
    throw new Error("--url needs one engine name and --model FOLDER, the folder of the served model.");
  }
  return {
    names: names.length > 0 ? names : ENGINE_NAMES,
    quick,
    given: url === undefined || model === undefined ? undefined : { url, model, served },
    vitest: end < 0 ? [] : args.slice(end + 1),
  };
}

function toEngineName(name: string): EngineName {
  const found = ENGINE_NAMES.find((each) => each === name);
  if (!found) throw new Error(`The engines are ${ENGINE_NAMES.join(" and ")}; received ${name}.`);
  return found;
}

/** Returns true if the engine's tests passed, or cannot run on this machine. */
async function testEngine(name: EngineName, { quick, given, vitest }: Options): Promise<boolean> {
  if (given) return runTests({ name, ...given, python: undefined, quick }, vitest);
  const started = Date.now();
  try {
    const server = await startEngineServer(name);
    const { url, model, served, python } = server;
    process.stdout.write(`${name} is healthy after ${Math.round((Date.now() - started) / 1000)} s\n`);
    try {
      return await runTests({ name, url, model, served, python, quick }, vitest);
    } finally {
      await server.stop();
    }
  } catch (error) {
    if (!(error instanceof NotInstallableError)) throw error;
    process.stdout.write(`SKIPPED ${name}: ${error.message}\n`);
    return true;
  }
}

function runTests(engine: RealEngine, options: readonly string[]): Promise<boolean> {
  const whole = engine.quick ? QUICK : ["test/real/both/", `test/real/${engine.name}/`];
  const files = options.some((option) => option.startsWith("test/real/")) ? [] : whole;
  const args = [VITEST, "run", "--config", "vitest.real.config.ts", ...files, ...options];
  const env = { ...process.env, [ENGINE_VARIABLE]: JSON.stringify(engine) };
  const child = spawn(process.execPath, args, { stdio: "inherit", env });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (status) => resolve(status === 0));
  });
}

const options = readOptions(process.argv.slice(2));
for (const name of options.names) {
  if (!(await testEngine(name, options))) process.exitCode = 1;
}
