import { expect, it } from "vitest";
import { readYoungGeneration } from "../../src/server/limits/young-generation.js";

const MEBIBYTE = 1024 ** 2;

it.each([
  ["of Node 20", "11.3.244.8-node.33", "", 48, false],
  ["of Node 24", "13.6.233.17-node.37", "", 192, false],
  ["that is set", "13.6.233.17-node.37", "--max-semi-space-size=16", 48, true],
  ["that is set twice", "11.3.244.8-node.33", "--max_semi_space_size=8 --max-semi-space-size 24", 96, true],
])("reads a young generation %s", (_, v8Version, options, mebibytes, isChosen) => {
  expect(readYoungGeneration(v8Version, options)).toEqual({ bytes: mebibytes * MEBIBYTE, isChosen });
});
