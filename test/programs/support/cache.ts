import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { installEnvironment, type PythonEnvironment } from "../../../scripts/python-environment.js";

/** Folder of the packages that the runs install. It is kept between runs; remove it to get newer versions. */
const CACHE = join(tmpdir(), "rolltape-programs");

/** Some of the programs need a newer Node than Rolltape does. */
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;
const NODE_MAJOR = 22;

export interface InstalledProgram {
  /** Path of the executable. */
  readonly file: string;
  /** `PATH` with the Node of the programs first. */
  readonly path: string;
  readonly version: string;
}

/** Installs the newest version of an npm package in the cache, unless it is there, and prints which version it is. */
export function installProgram(name: string, command: string): InstalledProgram {
  const node = installPackage(NODE_PACKAGE, String(NODE_MAJOR), process.env["PATH"]);
  const path = `${join(node.modules, NODE_PACKAGE, "bin")}:${process.env["PATH"] ?? ""}`;
  // npm must run on that Node, too. It selects an older version of a package if the newest does not support npm's own Node.
  const { modules, version } = installPackage(name, "latest", path);
  process.stdout.write(`${name} ${version}, Node ${node.version}, in ${CACHE}\n`);
  return { file: join(modules, ".bin", command), path, version };
}

/** Installs Python packages in an environment of the cache of `npm run test:trainers`, unless they are there. */
export function installPython(name: string, environment: PythonEnvironment): InstalledProgram {
  const installed = installEnvironment(`agent-${name}`, environment);
  if (!installed) throw new Error(`${name} needs Python ${environment.python.join(" or ")}.`);
  const [version = ""] = environment.packages;
  process.stdout.write(`${environment.packages.join(", ")}, in ${installed.folder}\n`);
  return { file: installed.python, path: installed.path, version };
}

function installPackage(name: string, range: string, path: string | undefined) {
  const folder = join(CACHE, name.replace("/", "+"));
  const modules = join(folder, "node_modules");
  const manifest = join(modules, name, "package.json");
  if (!existsSync(manifest)) {
    mkdirSync(folder, { recursive: true });
    const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", `${name}@${range}`];
    execFileSync("npm", args, { cwd: dirname(CACHE), env: { ...process.env, PATH: path }, stdio: "inherit" });
  }
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  return { modules, version };
}
