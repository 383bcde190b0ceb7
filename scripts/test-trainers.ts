// Tests the adapters of trainers with the published packages: one virtual environment for each, from PyPI, in the user's cache folder.
// usage: npm run test:trainers [-- NAME… [pytest options…]]
// A trainer whose Python is not installed is skipped, and named in a line that begins with "skipped".
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { installEnvironment, type PythonEnvironment } from "./python-environment.js";

interface Trainer extends PythonEnvironment {
  /** The trainer whose environment has all of these packages. */
  readonly environment?: string;
}

const VERL: Trainer = {
  python: ["3.11", "3.12"],
  // Packages that verl imports, but does not name.
  packages: ["verl==0.9.1", "torch", "torchvision", "cachetools", "uvicorn", "fastapi", "TransferQueue==0.1.11"],
};

/** The tests of a trainer are in python/tests/trainers/test_NAME.py or python/tests/test_NAME_*.py. */
const TRAINERS: Readonly<Record<string, Trainer>> = {
  verifiers: { python: ["3.12", "3.11", "3.13"], packages: ["verifiers==0.1.14"] },
  skyrl: {
    python: ["3.12"],
    // Packages that skyrl imports, but does not name.
    packages: [
      "skyrl==0.4.0",
      ..."torch torchdata loguru skyrl-gym aiohttp orjson pybase64 ray jaxtyping transformers datasets torchvision".split(
        " ",
      ),
    ],
  },
  slime: { python: ["3.11", "3.12", "3.13"], packages: ["pytest"] },
  prime_rl: { python: ["3.12", "3.11", "3.13"], packages: ["msgspec"] },
  verl: VERL,
  transferqueue: { ...VERL, environment: "verl" },
  nemo_gym: { python: ["3.13"], packages: ["nemo-gym==0.7.0"], release: "3.13.14" },
  trl: {
    python: ["3.12", "3.11", "3.13"],
    packages: [
      "trl==1.16.0",
      ..."torch torchvision transformers safetensors accelerate datasets peft aiohttp requests".split(" "),
    ],
  },
  // Its harness installs its own packages with uv.
  verifiers_tasksets: { python: ["3.12", "3.11", "3.13"], packages: ["verifiers==0.4.0", "uv"] },
  // The tests compile what they use of it.
  areal: { python: ["3.12", "3.11"], packages: ["torch", "transformers"], alone: ["areal==1.0.4"] },
  // Ray and vLLM are stubs in its tests.
  openrlhf: {
    python: ["3.12"],
    packages: ["torch", "transformers==5.15.0", "tqdm", "aiohttp"],
    alone: ["openrlhf==0.11.2"],
  },
};

const REPOSITORY = new URL("..", import.meta.url).pathname;
/** Packages that the tests themselves import. */
const TEST_PACKAGES = ["pytest", "httpx", "numpy"];

function main(args: readonly string[]): void {
  const names = args.filter((each) => each in TRAINERS);
  const options = args.filter((each) => !(each in TRAINERS));
  const [first = "-"] = options;
  if (!first.startsWith("-")) {
    throw new Error(`Unknown trainer ${first}; choose from ${Object.keys(TRAINERS).join(", ")}.`);
  }
  if (!existsSync(join(REPOSITORY, "dist/cli/main.js"))) {
    execFileSync("npm", ["run", "build"], { cwd: REPOSITORY, stdio: ["ignore", "inherit", "inherit"] });
  }
  const failed = (names.length > 0 ? names : Object.keys(TRAINERS)).filter((name) => !testTrainer(name, options));
  if (failed.length > 0) throw new Error(`The tests of ${failed.join(", ")} failed.`);
}

/** Returns false if its tests fail. */
function testTrainer(name: string, options: readonly string[]): boolean {
  const trainer: Trainer = TRAINERS[name] ?? { python: [], packages: [] };
  const started = Date.now();
  const installed = installEnvironment(`trainer-${trainer.environment ?? name}`, {
    ...trainer,
    packages: [...trainer.packages, ...TEST_PACKAGES],
  });
  if (!installed) {
    process.stdout.write(`skipped ${name}: it needs Python ${trainer.python.join(" or ")}\n`);
    return true;
  }
  const { folder, python, path } = installed;
  const [version] = trainer.alone ?? trainer.packages;
  process.stdout.write(`${name}: ${version}, environment after ${Date.now() - started} ms in ${folder}\n`);
  const { status } = spawnSync(python, ["-m", "pytest", ...testsOf(name), "-p", "no:cacheprovider", ...options], {
    cwd: REPOSITORY,
    // ROLLTAPE_TRAINER: tests that take minutes run only here. Packages that a test installs are compiled once, not in each of its processes.
    env: { ...process.env, PATH: path, VIRTUAL_ENV: folder, ROLLTAPE_TRAINER: name, UV_COMPILE_BYTECODE: "1" },
    stdio: "inherit",
  });
  return status === 0;
}

function testsOf(name: string): string[] {
  const pattern = new RegExp(`^(trainers/test_${name}|test_${name}_.*)\\.py$`);
  const files = readdirSync(join(REPOSITORY, "python/tests"), { encoding: "utf8", recursive: true });
  return files.filter((file) => pattern.test(file)).map((file) => `python/tests/${file}`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
