import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

function check(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "names-"));
  try {
    mkdirSync(join(folder, "room"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const { status, stderr } = spawnSync(process.execPath, ["scripts/check-names.mjs", folder], { encoding: "utf8" });
    return { status, stderr: stderr.replaceAll(`${folder}/`, "") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it("lists the files of an exported name with several definitions", () => {
  const { status, stderr } = check({
    "a.ts": "export interface Row {}\nexport async function read() {}\n",
    "room/b.tsx": "export class Row {}\n",
  });
  expect(status).toBe(1);
  expect(stderr).toBe("Row has several definitions: a.ts, room/b.tsx\n");
});

it("accepts a schema and a type of the same name in one file, and names that only their file uses", () => {
  const { status, stderr } = check({
    "a.ts": "export const Row = 1;\nexport type Row = number;\nconst own = 1;\n",
    "room/b.tsx": 'const own = 2;\nexport { Row } from "../a.js";\n',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
