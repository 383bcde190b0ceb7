// Which platform tag of a wheel is true for its binaries.
import { execFileSync } from "node:child_process";
import { compareVersions } from "../prebuilds/addon-needs.mjs";

/**
 * The newest symbols that each tag allows, oldest tag first, from the policies of auditwheel
 * (https://github.com/pypa/auditwheel, policy/manylinux-policy.json). GLIBC follows from the tag's name.
 */
const POLICIES = [
  { glibc: "2.17", GLIBCXX: "3.4.19", CXXABI: "1.3.7" },
  { glibc: "2.28", GLIBCXX: "3.4.24", CXXABI: "1.3.11" },
  { glibc: "2.31", GLIBCXX: "3.4.28", CXXABI: "1.3.12" },
  { glibc: "2.34", GLIBCXX: "3.4.29", CXXABI: "1.3.13" },
  { glibc: "2.35", GLIBCXX: "3.4.30", CXXABI: "1.3.13" },
  { glibc: "2.39", GLIBCXX: "3.4.33", CXXABI: "1.3.15" },
];
/** Libraries that every system with glibc has, as the policies say. */
const SYSTEM =
  /^(libc|libm|libdl|librt|libpthread|libutil|libgcc_s|libstdc\+\+|ld-linux-x86-64|ld-linux-aarch64)\.so\.\d+$/;
const MACHINES = { x64: "x86_64", arm64: "aarch64" };
/** The oldest tag: Node's own builds need this glibc. */
const OLDEST = "2.28";

/**
 * Returns the oldest platform tag `manylinux_2_x` that is true for all binaries, or `linux_x86_64` (`linux_aarch64`) if none is.
 *
 * A binary may need system libraries, and others of the same wheel.
 */
export function platformTag(binaries, arch) {
  const own = new Set(binaries.map((path) => path.split("/").at(-1)));
  const needs = binaries.map(readSymbols);
  const foreign = needs.some(({ libraries }) => libraries.some((name) => !SYSTEM.test(name) && !own.has(name)));
  const allows = (policy) =>
    compareVersions(policy.glibc, OLDEST) >= 0 &&
    needs.every(({ versions }) => versions.every(([set, version]) => compareVersions(version, policy[set]) <= 0));
  const policy = foreign ? undefined : POLICIES.map((each) => ({ ...each, GLIBC: each.glibc })).find(allows);
  return policy ? `manylinux_${policy.glibc.replace(".", "_")}_${MACHINES[arch]}` : `linux_${MACHINES[arch]}`;
}

/** Returns the versions of symbols that a binary needs of glibc and libstdc++, and the libraries that it loads. */
function readSymbols(path) {
  const read = (...options) => execFileSync("readelf", [...options, path], { encoding: "utf8", maxBuffer: 2 ** 26 });
  const needed = read("--wide", "--version-info").split("Version needs section").slice(1).join("");
  return {
    versions: [...needed.matchAll(/Name: (GLIBC|GLIBCXX|CXXABI)_([\d.]+)/g)].map(([, set, version]) => [set, version]),
    libraries: [...read("--dynamic").matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, library]) => library),
  };
}
