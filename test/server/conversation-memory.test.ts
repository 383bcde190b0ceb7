import { describe, expect, it } from "vitest";
import type { EncodedText } from "../../src/model/tokenizer/encoded-text.js";
import { ConversationMemory } from "../../src/server/memory/conversation-memory.js";
import type { KnownBody } from "../../src/server/memory/known-body.js";
import { MemorySlot } from "../../src/server/memory/memory-slot.js";
import type { Session } from "../../src/session/session.js";

const startSession = () => ({ lifecycle: { freed: false } }) as Session;

interface Item {
  readonly name: string;
  readonly bytes: number;
}

function createSlot() {
  const freed: string[] = [];
  const changed: Session[] = [];
  const slot = new MemorySlot<Item>({
    measure: ({ bytes }) => bytes,
    free: ({ name }) => void freed.push(name),
    onChange: (session) => void changed.push(session),
  });
  return { slot, freed, changed };
}

const item = (name: string, bytes = 10): Item => ({ name, bytes });

describe("a slot of the memory", () => {
  it("frees an item that a new one continues, and the oldest of more than four", () => {
    const { slot, freed } = createSlot();
    const session = startSession();
    const first = item("first");
    slot.forSession(session).add(first);
    slot.forSession(session).add(item("second"), first);
    expect(freed).toEqual(["first"]);
    for (const name of ["3", "4", "5", "6"]) slot.forSession(session).add(item(name));
    expect(freed).toEqual(["first", "second"]);
    expect(slot.forSession(session).items.map(({ name }) => name)).toEqual(["6", "5", "4", "3"]);
    expect([slot.bytes, slot.measure(session)]).toEqual([40, 40]);
  });

  it("adds nothing for a session whose data was freed", () => {
    const { slot, freed, changed } = createSlot();
    const session = startSession();
    const kept = item("kept");
    slot.forSession(session).add(kept);
    Object.assign(session.lifecycle, { freed: true });
    slot.forSession(session).add(item("new"), kept);
    expect(freed).toEqual([]);
    expect(changed).toEqual([session]);
  });

  it("does not free an item that is taken", () => {
    const { slot, freed, changed } = createSlot();
    const session = startSession();
    const [kept, taken] = [item("kept"), item("taken")];
    slot.forSession(session).add(kept);
    slot.forSession(session).add(taken);
    slot.forSession(session).take(taken);
    expect(slot.forSession(session).items).toEqual([kept]);
    expect(slot.bytes).toBe(10);
    expect(changed).toHaveLength(3);
    slot.drop(session);
    expect(freed).toEqual(["kept"]);
    expect(slot.bytes).toBe(0);
  });
});

/** A body that counts as `bytes` bytes. Its buffer is empty once it was freed. */
const body = (bytes: number) => ({ bytes: Buffer.alloc(bytes / 2), ends: [] }) as unknown as KnownBody;

const prompt = (characters: number) => ({ characters, idPieces: [], parts: [], cuts: [] }) as unknown as EncodedText;

describe("the memory of conversations", () => {
  it.each([0, 1, 7, 89_478_486])("is empty at first, with a limit of %i bytes", (bytes) => {
    expect(new ConversationMemory(bytes).bytes).toBe(0);
  });

  it("keeps nothing if it may have no memory", () => {
    const memory = new ConversationMemory(0);
    const kept = body(2);
    memory.bodies.forSession(startSession()).add(kept);
    expect(kept.bytes.length).toBe(0);
    expect(memory.bytes).toBe(0);
  });

  it("drops all items of the session that was used least recently", () => {
    const memory = new ConversationMemory(100);
    const [old, next] = [startSession(), startSession()];
    const dropped = body(20);
    memory.bodies.forSession(old).add(dropped);
    memory.prompts.forSession(next).add(prompt(30));
    memory.prompts.forSession(old).add(prompt(30));
    memory.bodies.forSession(next).add(body(10));
    expect(memory.bytes).toBe(90);
    memory.prompts.forSession(next).add(prompt(20));
    expect(dropped.bytes.length).toBe(0);
    expect(memory.prompts.forSession(old).items).toEqual([]);
    expect(memory.bytes).toBe(60);
  });

  it("drops prompts before bodies of a session that alone has too many, the oldest first", () => {
    const memory = new ConversationMemory(100);
    const session = startSession();
    const [first, second] = [prompt(30), prompt(40)];
    memory.prompts.forSession(session).add(first);
    memory.prompts.forSession(session).add(second);
    memory.bodies.forSession(session).add(body(60));
    expect(memory.prompts.forSession(session).items).toEqual([second]);
    memory.bodies.forSession(session).add(body(40));
    expect(memory.prompts.forSession(session).items).toEqual([]);
    expect(memory.bytes).toBe(100);
  });

  it("drops what is remembered of sessions whose data is freed, in the next sweep", () => {
    const memory = new ConversationMemory(100);
    const [freed, other] = [startSession(), startSession()];
    const dropped = body(20);
    memory.bodies.forSession(freed).add(dropped);
    memory.bodies.forSession(other).add(body(10));
    Object.assign(freed.lifecycle, { freed: true });
    expect(dropped.bytes.length).toBe(10);
    memory.sweep();
    expect(dropped.bytes.length).toBe(0);
    expect(memory.bytes).toBe(10);
    memory.clear();
    expect(memory.bytes).toBe(0);
  });
});
