import { expect, it } from "vitest";
import type { Message } from "../../../src/conversation/message.js";
import { digestCallIds, digestRecordedCallIds } from "../../../src/session/turn/call-ids.js";

const KEY = new Uint8Array(16);
const user: Message = { role: "user", content: "a" };
const calling = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: "look", arguments: "{}" })),
});

const digest = (added: readonly Message[], before: BigUint64Array | number = 0) => digestCallIds(added, before, KEY);

it("hashes the ids of tool calls from the first message that has some", () => {
  expect([digest([user, calling()]), digest([]), digest([user], 3)]).toEqual([undefined, undefined, undefined]);
  const hashes = digest([user, calling("a"), user, calling("b")]) ?? [];
  const [none, first, same, second] = hashes;
  expect([hashes.length, none, first === same, first === second, first === 0n]).toEqual([4, 0n, true, false, false]);
  expect(digest([user, calling("b"), user, calling("a")])?.[3]).not.toBe(second);
  expect(digest([user, calling("c"), user, calling("b")])?.[3]).not.toBe(second);
});

it("has the same hashes if it goes on from those of the messages before", () => {
  const messages = [user, calling("a"), user, calling("b", "c"), calling()];
  const whole = digest(messages);
  for (const cut of [2, 3, 4]) expect(digest(messages.slice(cut), digest(messages.slice(0, cut)))).toEqual(whole);
  expect(digest([calling("a")], 1)).toEqual(digest([user, calling("a")]));
  expect(digest([user], digest([calling("a")]))).toEqual(digest([calling("a"), user]));
});

it("records the hash of the input, and of input and output", () => {
  const record = (input: BigUint64Array | undefined, ...output: Message[]) => digestRecordedCallIds(input, output, KEY);
  const [input] = [digest([user, calling("a")])];
  const last = input?.at(-1);
  expect(record(undefined, user)).toBeUndefined();
  expect(record(input, user)).toEqual(BigUint64Array.of(last ?? 0n, last ?? 0n));
  expect(record(input, calling("b"))?.[1]).toBe(digest([user, calling("a"), calling("b")])?.[2]);
  expect(record(undefined, calling("b"))).toEqual(BigUint64Array.of(0n, digest([calling("b")])?.[0] ?? 0n));
});
