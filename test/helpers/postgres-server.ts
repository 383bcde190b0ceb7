import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { appendFileSync, chownSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../src/scheduler/free-port.js";

/** Where Debian's package `postgresql` has its programs. */
const DEBIAN = "/usr/lib/postgresql";
const PROGRAMS = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, "bin")) : [];
const FOLDER = PROGRAMS.find((folder) => existsSync(join(folder, "initdb")));

export const hasPostgres = FOLDER !== undefined;

export interface PostgresOptions {
  /** An empty folder for its data. */
  readonly data: string;
  /** The address that it listens on, default loopback. */
  readonly host?: string;
  /** Program and arguments before each command, which for example enter a network namespace. */
  readonly prefix?: readonly string[];
}

/** A PostgreSQL server from Debian's package. */
export class PostgresServer {
  readonly url: string;
  readonly #options: Required<PostgresOptions>;
  readonly #port: number;
  #server: ChildProcess | undefined;

  private constructor(options: Required<PostgresOptions>, port: number) {
    this.#options = options;
    this.#port = port;
    this.url = `postgres://rolltape@${options.host}:${port}/postgres`;
  }

  static async start({ data, host = "127.0.0.1", prefix = [] }: PostgresOptions): Promise<PostgresServer> {
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) chownSync(data, uid, gid);
    const args = ["-D", data, "-U", "rolltape", "--auth=trust", "--no-sync"];
    execFileSync(join(FOLDER ?? "", "initdb"), args, { ...owner(), stdio: "ignore", cwd: "/" });
    if (host !== "127.0.0.1") appendFileSync(join(data, "pg_hba.conf"), "host all all all trust\n");
    const server = new PostgresServer({ data, host, prefix }, await findFreePort());
    await server.run();
    return server;
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** Starts the server, again if it was killed. */
  async run(): Promise<void> {
    const { data, host, prefix } = this.#options;
    const program = [join(FOLDER ?? "", "postgres"), "-D", data, "-p", `${this.#port}`, "-k", data];
    this.#server = this.#spawn([...program, "-c", `listen_addresses=${host}`]);
    const [enter, ...check] = [...prefix, join(FOLDER ?? "", "pg_isready"), "-h", host, "-p", `${this.#port}`];
    for (let tries = 0; spawnSync(enter, check).status !== 0; tries++) {
      if (tries > 600) throw new Error("PostgreSQL did not start");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async kill(): Promise<void> {
    const server = this.#server;
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    // Its quick stop: connections are cut, nothing is written.
    server.kill("SIGQUIT");
    await ended;
  }

  #spawn(command: readonly string[]): ChildProcess {
    const { prefix } = this.#options;
    const { uid, gid } = owner();
    if (prefix.length === 0) {
      const [program = "", ...args] = command;
      return spawn(program, args, { ...owner(), stdio: "ignore", cwd: "/" });
    }
    // Only root can enter a namespace, so the owner changes afterwards.
    const become = uid === undefined ? [] : ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
    const [program = "", ...args] = [...prefix, ...become, ...command];
    return spawn(program, args, { stdio: "ignore", cwd: "/" });
  }
}

/** PostgreSQL refuses to run as root. */
function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (option: string) => Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
