import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Commands that npm and scripts with a `#!` line start. There is no compiler, no make, no cmake and no Python. */
const PROGRAMS = ["/bin/sh", "/usr/bin/env"];

/** For host names, so that npm can reach its registry. Copied if they exist. */
const NETWORK_FILES = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"];
const CERTIFICATES = "/etc/certificates.crt";

const NAMESPACES = ["--map-root-user", "--mount", "--pid", "--fork", "--kill-child"];

// Mounts what a container has, and changes into the root. The arguments: the root, Node, npm's folder, the command.
const ENTER = `set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount --bind "$2" "$1/usr/bin/node"
mount --bind "$3" "$1/usr/lib/node_modules/npm"
root=$1
shift 3
exec chroot "$root" /bin/sh -c 'cd /root/project && exec "$@"' sh "$@"`;

/** Returns false if this machine has no namespaces in which a process may mount file systems. */
export function canMakeCleanRoot(): boolean {
  return spawnSync("unshare", [...NAMESPACES, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
}

/** A root folder as in a container that has Node and nothing else. Its home has an empty folder `project`. */
export class CleanRoot {
  readonly #folder = mkdtempSync(join(tmpdir(), "rolltape-root-"));
  /** npm's own folder: npm is a link to npm/bin/npm-cli.js. */
  readonly #npm = dirname(dirname(realpathSync(execFileSync("which", ["npm"], { encoding: "utf8" }).trim())));
  readonly #registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  /** Certificates that this machine's Node accepts in addition to its own. */
  readonly #authority = process.env["NODE_EXTRA_CA_CERTS"];

  constructor() {
    for (const folder of ["dev", "proc", "tmp", "root/project", "usr/lib/node_modules/npm"])
      mkdirSync(this.path(folder), { recursive: true });
    for (const program of PROGRAMS) this.#copy(program);
    for (const library of listLibraries([process.execPath, ...PROGRAMS])) this.#copy(library);
    for (const file of NETWORK_FILES.filter((each) => existsSync(each))) this.#copy(file);
    if (this.#authority !== undefined) this.#copy(this.#authority, CERTIFICATES);
    writeFileSync(this.path("usr/bin/node"), "");
    for (const name of ["npm", "npx"])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, this.path(`usr/bin/${name}`));
  }

  /** Returns the path on this machine of a path inside the root. */
  path(inside: string): string {
    return join(this.#folder, inside);
  }

  /** Starts a command in the folder `project`. When the process is killed, so is everything that it started. */
  start(command: readonly string[]): ChildProcessWithoutNullStreams {
    const enter = ["/bin/sh", "-c", ENTER, "sh", this.#folder, process.execPath, this.#npm, ...command];
    return spawn("unshare", [...NAMESPACES, ...enter], { env: this.#environment() });
  }

  /** Runs a command until it ends. */
  async run(command: readonly string[]): Promise<{ code: number | null; output: string }> {
    const child = this.start(command);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const [code] = (await once(child, "close")) as [number | null];
    return { code, output };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #environment(): Record<string, string> {
    return {
      PATH: "/usr/bin:/bin",
      HOME: "/root",
      npm_config_registry: this.#registry,
      ...(this.#authority === undefined ? {} : { NODE_EXTRA_CA_CERTS: CERTIFICATES, npm_config_cafile: CERTIFICATES }),
    };
  }

  #copy(from: string, to = from): void {
    mkdirSync(dirname(this.path(to)), { recursive: true });
    copyFileSync(from, this.path(to));
  }
}

/** Returns the shared libraries of programs, the dynamic linker included, where the programs look for them. */
function listLibraries(programs: readonly string[]): string[] {
  const output = programs.map((program) => execFileSync("ldd", [program], { encoding: "utf8" })).join("");
  return [...new Set([...output.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path))];
}
