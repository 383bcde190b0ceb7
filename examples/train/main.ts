import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { PYTHON } from "../../scripts/run-python.js";

/** `npm run demo:train`: finds an interpreter with PyTorch, and runs train.py with this repository's server and package. */

const MODULES = ["torch", "transformers", "httpx", "numpy", "matplotlib"];

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const root = path("../..");
const env = { ...process.env, PYTHONPATH: path("../../python/src") };

const missing = missingModules();
if (missing.length > 0) {
  process.stderr.write(
    `${PYTHON} cannot import ${missing.join(", ")}. To install what the demo needs (a CPU build of torch is enough):\n\n` +
      `  python3 -m venv try/venv && try/venv/bin/pip install ${MODULES.join(" ")}\n` +
      "  PYTHON=try/venv/bin/python npm run demo:train\n",
  );
  process.exit(1);
}
const program = [path("train.py"), "--rolltape", path("../../dist/cli/main.js"), ...process.argv.slice(2)];
process.exitCode = spawnSync(PYTHON, program, { cwd: root, env, stdio: "inherit" }).status ?? 1;

/** Returns the modules that the interpreter lacks, without importing them, which takes seconds. */
function missingModules(): string[] {
  const check = `import importlib.util, sys; print(*(m for m in sys.argv[1:] if not importlib.util.find_spec(m)))`;
  const { status, stdout } = spawnSync(PYTHON, ["-c", check, ...MODULES], { env, encoding: "utf8" });
  return status === 0 ? stdout.split(/\s+/).filter((name) => name !== "") : MODULES;
}
