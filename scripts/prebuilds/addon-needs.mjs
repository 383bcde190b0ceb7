// Reads what a compiled addon needs of the machine that loads it. Requires readelf of Debian's binutils.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";

/** The oldest glibc that the documentation promises: that of Node 20's own builds. */
export const OLDEST_GLIBC = "2.28";

/** Libraries that every Node on glibc has loaded, or that glibc brings. */
const ALLOWED_LIBRARIES = /^(libc|libm|libgcc_s|libpthread|libdl|ld-linux-x86-64|ld-linux-aarch64)\.so\.\d+$/;

/**
 * Returns the machine of an addon, the highest version of glibc among the symbols that it needs, and the libraries that it
 * loads.
 */
export function readNeeds(addon) {
  const read = (...options) => execFileSync("readelf", [...options, addon], { encoding: "utf8", maxBuffer: 2 ** 26 });
  const versions = [...read("--wide", "--version-info").matchAll(/\bGLIBC_([\d.]+)/g)].map(([, version]) => version);
  return {
    bytes: statSync(addon).size,
    machine: /Machine:\s*(.+)/.exec(read("--file-header"))?.[1]?.trim(),
    glibc: versions.sort(compareVersions).at(-1),
    libraries: [...read("--dynamic").matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, library]) => library),
  };
}

/** Returns the problems of an addon that is meant for `expectedMachine`; an empty list if it can be published. */
export function checkNeeds({ machine, glibc, libraries }, expectedMachine) {
  const problems = [];
  if (machine !== expectedMachine) problems.push(`was compiled for ${machine}, not for ${expectedMachine}`);
  if (glibc === undefined) problems.push("needs no glibc, so it is not an addon for Linux");
  else if (compareVersions(glibc, OLDEST_GLIBC) > 0)
    problems.push(`needs GLIBC_${glibc}, above ${OLDEST_GLIBC}; native/prebuilt/older_glibc.c lists what to do`);
  const others = libraries.filter((library) => !ALLOWED_LIBRARIES.test(library));
  if (others.length > 0) problems.push(`needs ${others.join(", ")}, which not every machine has`);
  return problems;
}

/** Orders versions such as 2.2.5 and 2.17 by their numbers. */
export function compareVersions(a, b) {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
