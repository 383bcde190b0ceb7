import { describe, expect, it } from "vitest";
import { EntryBlocks } from "../../src/storage/index.js";

const key = (text: string) => Buffer.from(text);

describe("a block of entries", () => {
  it("holds copies of all values, however large, in their order", () => {
    const block = new EntryBlocks().take();
    const sizes = [0, 1, 1 << 18, 3, 1 << 20];
    const source = Buffer.alloc(1 << 20);
    sizes.forEach((size, i) => {
      source.fill(i + 1);
      block.add(key(`k${i}`), source.subarray(0, size));
    });
    const entries = block.entries();
    expect(entries.map((entry) => entry.key.toString())).toEqual(["k0", "k1", "k2", "k3", "k4"]);
    expect(entries.map(({ value }, i) => value.equals(Buffer.alloc(sizes[i] ?? 0, i + 1)))).not.toContain(false);
  });

  it("is empty and has its memory when it is used again", () => {
    const blocks = new EntryBlocks();
    const block = blocks.take();
    block.add(key("first"), Buffer.alloc(1 << 20));
    const { capacity } = block;
    blocks.giveBack(block);
    const again = blocks.take();
    expect(again.entries()).toEqual([]);
    expect(again.capacity).toBe(capacity);
  });

  it("grows to twice its size, or to what is needed if that is more", () => {
    const block = new EntryBlocks().take();
    block.add(key("a"), Buffer.alloc(1 << 18));
    expect(block.capacity).toBe(1 << 18);
    block.add(key("b"), Buffer.alloc(1));
    expect(block.capacity).toBe(1 << 19);
    block.add(key("c"), Buffer.alloc(1 << 20));
    expect(block.capacity).toBe((1 << 18) + 1 + (1 << 20));
  });

  it("is kept for later if it has at most 16 MiB, and at most four are", () => {
    const blocks = new EntryBlocks();
    const taken = Array.from({ length: 6 }, () => blocks.take());
    taken[0]?.add(key("a"), Buffer.alloc((1 << 24) + 1));
    taken[1]?.add(key("a"), Buffer.alloc(1 << 24));
    for (const block of taken) blocks.giveBack(block);
    const again = Array.from({ length: 5 }, () => blocks.take());
    expect(again.map((block) => taken.indexOf(block))).toEqual([4, 3, 2, 1, -1]);
  });

  it("is used by one reader at a time", () => {
    const blocks = new EntryBlocks();
    const [one, other] = [blocks.take(), blocks.take()];
    one.add(key("a"), Buffer.from("1"));
    other.add(key("a"), Buffer.from("2"));
    expect(one.entries()[0]?.value.toString()).toBe("1");
  });
});
