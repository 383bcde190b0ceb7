import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

interface Needs {
  readonly bytes: number;
  readonly machine: string;
  readonly glibc: string;
  readonly libraries: readonly string[];
}

const SCRIPT = new URL("../../scripts/prebuilds/addon-needs.mjs", import.meta.url).href;
const { checkNeeds, compareVersions, readNeeds } = (await import(SCRIPT)) as {
  checkNeeds: (needs: Needs, machine: string) => string[];
  compareVersions: (a: string, b: string) => number;
  readNeeds: (addon: string) => Needs;
};

const PORTABLE: Needs = {
  bytes: 1_200_000,
  machine: "AArch64",
  glibc: "2.25",
  libraries: ["libm.so.6", "libgcc_s.so.1", "libc.so.6"],
};

describe("the needs of a prebuilt addon", () => {
  it("are accepted up to glibc 2.28", () => {
    expect(checkNeeds(PORTABLE, "AArch64")).toEqual([]);
    expect(checkNeeds({ ...PORTABLE, glibc: "2.28" }, "AArch64")).toEqual([]);
  });

  it("are refused above glibc 2.28", () => {
    expect(checkNeeds({ ...PORTABLE, glibc: "2.34" }, "AArch64")).toEqual([
      expect.stringContaining("needs GLIBC_2.34, above 2.28"),
    ]);
  });

  it("are refused with the shared libstdc++, or for another machine", () => {
    const other = { ...PORTABLE, machine: "RISC-V", libraries: ["libstdc++.so.6", "libc.so.6"] };
    expect(checkNeeds(other, "AArch64")).toEqual([
      "was compiled for RISC-V, not for AArch64",
      "needs libstdc++.so.6, which not every machine has",
    ]);
  });

  it("orders versions by their numbers", () => {
    expect(["2.4", "2.28", "2.2.5", "2.17", "2.3"].sort(compareVersions)).toEqual([
      "2.2.5",
      "2.3",
      "2.4",
      "2.17",
      "2.28",
    ]);
  });

  // The addon that is compiled where it runs is linked with the shared libstdc++.
  it("are read from an addon", () => {
    const needs = readNeeds(fileURLToPath(new URL("../../build/Release/rolltape.node", import.meta.url)));
    expect(needs.libraries).toEqual(expect.arrayContaining(["libstdc++.so.6", "libc.so.6"]));
    expect(needs.glibc).toMatch(/^2\.\d+$/);
    expect(needs.bytes).toBeGreaterThan(100_000);
  });
});
