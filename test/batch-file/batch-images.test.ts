import { expect, it } from "vitest";
import { BatchImages } from "../../src/batch-file/batch-images.js";
import { openTensors, tensor } from "./tensors.js";

const METADATA = { images: JSON.stringify([{ sha256: "a" }, { sha256: "b" }]) };

const FILES = { image_bytes: tensor("U8", [1, 2, 3, 4, 5]), image_bytes_offsets: tensor("I64", [0, 2, 5]) };

const COLUMNS = {
  image_row: [0, 1, 1],
  image_file: [0, 1, 0],
  image_offset: [0, 2, 4],
  image_length: [1, 2, 3],
  image_width: [1, 20, 30],
  image_height: [1, 21, 31],
} as const;

function open(changed: Partial<Record<keyof typeof COLUMNS, readonly number[]>> = {}, metadata = METADATA) {
  const columns = Object.entries({ ...COLUMNS, ...changed }).map(([name, values]) => [name, tensor("I32", values)]);
  return new BatchImages(openTensors({ ...Object.fromEntries(columns), ...FILES }, metadata));
}

const FIRST = { sha256: "a", width: 1, height: 1, offset: 0, length: 1 };
const SECOND = { sha256: "b", width: 20, height: 21, offset: 2, length: 2 };
const THIRD = { sha256: "a", width: 30, height: 31, offset: 4, length: 3 };

it("lists the images of each row", async () => {
  const images = open();
  expect(await images.ofRow(0)).toEqual([FIRST]);
  expect(await images.ofRow(1)).toEqual([SECOND, THIRD]);
  expect(await images.ofRow(2)).toEqual([]);
});

it.each([
  ["image_file", [0, 2, 0]],
  ["image_file", [0, -1, 0]],
  ["image_offset", [0, -1, 4]],
  ["image_length", [1, 0, 3]],
  ["image_width", [1, 0, 30]],
  ["image_height", [1, 0, 31]],
] as const)("leaves out an image with a damaged %s, %j", async (name, values) => {
  expect(await open({ [name]: values }).ofRow(1)).toEqual([THIRD]);
});

it.each(["image_file", "image_offset", "image_length", "image_width", "image_height"] as const)(
  "leaves out an image without a value of %s",
  async (name) => {
    expect(await open({ [name]: COLUMNS[name].slice(0, 2) }).ofRow(1)).toEqual([SECOND]);
  },
);

it.each(Object.keys(COLUMNS))("has no images of rows without %s", async (name) => {
  const columns = Object.entries(COLUMNS).filter(([each]) => each !== name);
  const tensors = Object.fromEntries(columns.map(([each, values]) => [each, tensor("I32", values)]));
  expect(await new BatchImages(openTensors(tensors, METADATA)).ofRow(0)).toEqual([]);
});

it("has no images if the metadata lists none", async () => {
  const images = open({}, { images: "[1]" });
  expect(await images.ofRow(0)).toEqual([]);
  expect(await images.readFile("a")).toBeUndefined();
});

it("reads an image file by its digest", async () => {
  const images = open();
  expect(await images.readFile("a")).toEqual(Uint8Array.of(1, 2));
  expect(await images.readFile("b")).toEqual(Uint8Array.of(3, 4, 5));
  expect(await images.readFile("c")).toBeUndefined();
});

it.each([
  ["bytes", { image_bytes_offsets: FILES.image_bytes_offsets }],
  ["bytes of this type", { ...FILES, image_bytes: tensor("BOOL", [1, 2, 3, 4, 5]) }],
  ["offsets", { image_bytes: FILES.image_bytes }],
  ["offsets of this type", { ...FILES, image_bytes_offsets: tensor("I32", [0, 2, 5]) }],
  ["an end", { ...FILES, image_bytes_offsets: tensor("I64", [0]) }],
  ["a start", { ...FILES, image_bytes_offsets: tensor("I64", []) }],
])("has no file without %s", async (_, tensors) => {
  expect(await new BatchImages(openTensors(tensors, METADATA)).readFile("a")).toBeUndefined();
});
