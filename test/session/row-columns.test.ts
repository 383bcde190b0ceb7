import { expect, it } from "vitest";
import { FACT_COLUMNS } from "../../src/facts/call-facts.js";
import { ROW_COLUMNS } from "../../src/session/batch/row-columns.js";

it("has the value of a call that was stored without the fact, as a word of the tensor's type", () => {
  const plain = FACT_COLUMNS.filter(({ labels }) => !labels);
  expect(new Set(plain.map(({ dtype }) => dtype))).toEqual(new Set(["F32", "I32", "BOOL"]));
  for (const { name, dtype, none } of plain) {
    const { missing, slot } = ROW_COLUMNS.find((column) => column.name === name) ?? {};
    const word = Uint32Array.of(missing ?? 0).buffer;
    const [value] = dtype === "F32" ? new Float32Array(word) : new Int32Array(word);
    expect([name, slot === undefined, Object.is(value, dtype === "F32" ? Math.fround(none) : none)]).toEqual([
      name,
      false,
      true,
    ]);
  }
});
