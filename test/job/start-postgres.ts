import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findFreePort } from "../../src/scheduler/free-port.js";
import { temporaryFolder } from "../cli/rolltape.js";

/** Where Debian's package `postgresql` has its programs. */
const DEBIAN = "/usr/lib/postgresql";
const PROGRAMS = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, "bin")) : [];
const FOLDER = PROGRAMS.find((folder) => existsSync(join(folder, "initdb")));

export const hasPostgres = FOLDER !== undefined;

/** A PostgreSQL server of a test, on loopback. */
export class TestPostgres {
  readonly url: string;
  readonly #data: string;
  readonly #port: number;
  #server: ChildProcess | undefined;

  private constructor(data: string, port: number) {
    this.#data = data;
    this.#port = port;
    this.url = `postgres://rolltape@127.0.0.1:${port}/postgres`;
  }

  static async start(): Promise<TestPostgres> {
    const data = temporaryFolder();
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) chownSync(data, uid, gid);
    const args = ["-D", data, "-U", "rolltape", "--auth=trust", "--no-sync"];
    execFileSync(join(FOLDER ?? "", "initdb"), args, { ...owner(), stdio: "ignore", cwd: "/" });
    const server = new TestPostgres(data, await findFreePort());
    await server.run();
    onTestFinished(() => server.kill());
    return server;
  }

  /** Starts the server, again if it was killed. */
  async run(): Promise<void> {
    const args = ["-D", this.#data, "-p", `${this.#port}`, "-c", "listen_addresses=127.0.0.1", "-k", this.#data];
    this.#server = spawn(join(FOLDER ?? "", "postgres"), args, { ...owner(), stdio: "ignore", cwd: "/" });
    const isReady = () =>
      spawnSync(join(FOLDER ?? "", "pg_isready"), ["-h", "127.0.0.1", "-p", `${this.#port}`]).status === 0;
    for (let tries = 0; !isReady(); tries++) {
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
}

/** PostgreSQL refuses to run as root. */
function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (option: string) => Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
