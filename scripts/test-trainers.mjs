// Tests the adapters of trainers with the published packages: one virtual environment for each, from PyPI, in the user's cache folder.
// usage: npm run test:trainers [-- NAME… [pytest options…]]
// A trainer whose Python is not installed is skipped, and named in a line that begins with "skipped".
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/**
 * The tests of a trainer are in python/tests/trainers/test_NAME.py or python/tests/test_NAME_*.py.
 *
 * `python`: versions that the package supports, the preferred one first. `packages`: requirements. `alone`: packages that are
 * installed without their dependencies, which need a GPU or a compiler.
 */
const TRAINERS = {
  verifiers: { python: ["3.12", "3.11", "3.13"], packages: ["verifiers==0.1.14"] },
  skyrl: {
    python: ["3.12"],
    // Packages that skyrl imports, but does not name.
    packages: [
      "skyrl==0.4.0",
      ..."torch torchdata loguru skyrl-gym aiohttp orjson pybase64 ray jaxtyping transformers datasets".split(" "),
    ],
  },
  slime: { python: ["3.11", "3.12", "3.13"], packages: ["pytest"] },
  verl: {
    python: ["3.11", "3.12"],
    // Packages that verl imports, but does not name.
    packages: ["verl==0.9.1", "torch", "torchvision", "cachetools", "uvicorn", "fastapi", "TransferQueue==0.1.11"],
  },
  trl: {
    python: ["3.12", "3.11", "3.13"],
    packages: ["trl==1.16.0", ..."torch transformers safetensors accelerate datasets peft aiohttp requests".split(" ")],
  },
  // Its harness installs its own packages with uv.
  verifiers_tasksets: { python: ["3.12", "3.11", "3.13"], packages: ["verifiers==0.4.0", "uv"] },
  // The tests compile what they use of it.
  areal: { python: ["3.12", "3.11"], packages: ["torch"], alone: ["areal==1.0.4"] },
  // Ray and vLLM are stubs in its tests.
  openrlhf: {
    python: ["3.12"],
    packages: ["torch", "transformers==5.15.0", "tqdm", "aiohttp"],
    alone: ["openrlhf==0.11.2"],
  },
};

const REPOSITORY = new URL("..", import.meta.url).pathname;
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "rolltape");

function main(args) {
  const names = args.filter((each) => each in TRAINERS);
  const options = args.filter((each) => !(each in TRAINERS));
  if (options.length > 0 && !options[0].startsWith("-")) {
    throw new Error(`There is no trainer ${options[0]}; choose from ${Object.keys(TRAINERS).join(", ")}.`);
  }
  if (!existsSync(join(REPOSITORY, "dist/cli/main.js"))) run("npm", ["run", "build"]);
  const failed = (names.length > 0 ? names : Object.keys(TRAINERS)).filter((name) => !testTrainer(name, options));
  if (failed.length > 0) throw new Error(`The tests of ${failed.join(", ")} failed.`);
}

/** Returns false if its tests fail. */
function testTrainer(name, options) {
  const trainer = TRAINERS[name];
  const python = findPython(trainer.python);
  if (python === undefined) {
    process.stdout.write(`skipped ${name}: it needs Python ${trainer.python.join(" or ")}\n`);
    return true;
  }
  const started = Date.now();
  const folder = makeEnvironment(name, trainer, python);
  process.stdout.write(
    `${name}: ${(trainer.alone ?? trainer.packages)[0]}, environment after ${Date.now() - started} ms in ${folder}\n`,
  );
  const bin = join(folder, "bin");
  const { status } = spawnSync(
    join(bin, "python"),
    ["-m", "pytest", ...testsOf(name), "-p", "no:cacheprovider", ...options],
    {
      cwd: REPOSITORY,
      // The interpreter's own programs first. Packages that a test installs are compiled once, not in each of its processes.
      env: { ...process.env, PATH: bin + delimiter + process.env.PATH, VIRTUAL_ENV: folder, UV_COMPILE_BYTECODE: "1" },
      stdio: "inherit",
    },
  );
  return status === 0;
}

function testsOf(name) {
  const files = readdirSync(join(REPOSITORY, "python/tests"), { recursive: true });
  const pattern = new RegExp(`^(trainers/test_${name}|test_${name}_.*)\\.py$`);
  return files.filter((file) => pattern.test(file)).map((file) => `python/tests/${file}`);
}

function makeEnvironment(name, { packages, alone = [] }, python) {
  const hash = createHash("sha256")
    .update(JSON.stringify([python, packages, alone]))
    .digest("hex");
  const folder = join(CACHE, `trainer-${name}-${hash.slice(0, 12)}`);
  const complete = join(folder, "complete");
  if (existsSync(complete)) return folder;
  rmSync(folder, { recursive: true, force: true });
  run(python, ["-m", "venv", folder]);
  const own = join(folder, "bin/python");
  run(own, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv"]);
  const install = [join(folder, "bin/uv"), ["pip", "install", "--quiet", "--compile-bytecode", "--python", own]];
  run(install[0], [...install[1], ...packages, "pytest", "httpx", "numpy"]);
  if (alone.length > 0) run(install[0], [...install[1], "--no-deps", ...alone]);
  writeFileSync(complete, "");
  return folder;
}

/** Returns the path of an interpreter of one of these versions: on the search path, of pyenv, or of uv. */
function findPython(versions) {
  const candidates = versions.flatMap((version) => [`python${version}`, ...pyenvPythons(version), uvPython(version)]);
  for (const candidate of candidates) {
    if (candidate === undefined) continue;
    const found = spawnSync(candidate, ["-c", "import sys, venv; print(sys.executable)"], { encoding: "utf8" });
    if (found.status === 0) return found.stdout.trim();
  }
  return undefined;
}

function pyenvPythons(version) {
  const folder = join(process.env.PYENV_ROOT || join(homedir(), ".pyenv"), "versions");
  const installed = existsSync(folder) ? readdirSync(folder) : [];
  return installed.filter((each) => each.startsWith(`${version}.`)).map((each) => join(folder, each, "bin/python"));
}

function uvPython(version) {
  const found = spawnSync("uv", ["python", "find", version], { encoding: "utf8" });
  return found.status === 0 ? found.stdout.trim() : undefined;
}

function run(command, args) {
  execFileSync(command, args, { cwd: REPOSITORY, stdio: ["ignore", "inherit", "inherit"] });
}

try {
  main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
