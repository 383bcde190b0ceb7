import fc from "fast-check";
import { expect, it } from "vitest";
import { LinkedList } from "../../src/support/linked-list.js";

function values(list: LinkedList<number>): number[] {
  const found: number[] = [];
  for (let item = list.first; item; item = item.next) found.push(item.value);
  return found;
}

it("keeps its values in order while items are added, moved to the end and removed, like an array", () => {
  const step = fc.record({ do: fc.constantFrom("push", "move", "remove"), pick: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const list = new LinkedList<number>();
      let items: ReturnType<typeof list.push>[] = [];
      for (const [index, { do: action, pick }] of steps.entries()) {
        const picked = items[pick % Math.max(1, items.length)];
        if (action === "push") items.push(list.push(index));
        else if (picked) {
          items = items.filter((item) => item !== picked);
          if (action === "remove") list.remove(picked);
          else {
            list.moveToEnd(picked);
            items.push(picked);
          }
        }
        expect(values(list)).toEqual(items.map(({ value }) => value));
      }
    }),
  );
});
