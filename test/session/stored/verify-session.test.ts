import { describe, expect, it } from "vitest";
import { SessionRegistry } from "../../../src/session/session-registry.js";
import { describeDamage, describeRestoreError } from "../../../src/session/stored/damaged-session-error.js";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import { groupBySession } from "../../../src/session/stored/offline-sessions.js";
import { decodeOutcome, encodeOutcome, type Outcome } from "../../../src/session/stored/outcome-record.js";
import { nameRecord } from "../../../src/session/stored/read-session.js";
import { openJson, sealJson } from "../../../src/session/stored/sealed-json.js";
import { SessionRecords, type StoredHead } from "../../../src/session/stored/session-records.js";
import { verifySession } from "../../../src/session/stored/verify-session.js";
import { LocalSession } from "../../../src/session/trajectory-store.js";
import type { Change, Entry, Storage } from "../../../src/storage/index.js";
import { assistant, turn, user } from "../../helpers/turn.js";

/** The head and the records of a session with four interactions, each a child of the one before it. The last two are rewarded. */
async function store(): Promise<{ head: StoredHead; records: Entry[] }> {
  const table = new Map<string, Entry>();
  let head: Buffer | undefined;
  const write = (changes: readonly Change[]): number => {
    for (const { table: name, key, value } of changes) {
      if (name === "sessions") head = value && Buffer.from(value);
      if (name === "records")
        table.set(Buffer.from(key).toString("hex"), { key: Buffer.from(key), value: Buffer.from(value ?? "") });
    }
    return 0;
  };
  const records = new SessionRecords({ write, committed: async () => undefined } as unknown as Storage);
  const registry = new SessionRegistry({
    adminKey: "sk-admin-0123456789",
    timeoutMilliseconds: 60_000,
    retention: { milliseconds: 60_000, bytes: 1e9 },
    records,
  });
  registry.grant(1);
  const { session } = registry.start({});
  const local = new LocalSession(session);
  const messages = [user("0")];
  for (let index = 0; index < 4; index++) {
    local.record(turn([...messages], [index], [9]));
    messages.push(assistant("ok"), user(`${index + 1}`));
  }
  for (const index of [2, 3]) session.setReward(index, session.interaction(index).id);
  session.data.addChannels(0, 1, [
    { channel: { name: "scores", dtype: "F32", shape: [], of: "sequence" }, values: Float32Array.of(0.5) },
  ]);
  await records.committed();
  const sorted = [...table.keys()].sort().flatMap((key) => table.get(key) ?? []);
  return { head: openJson(head ?? Buffer.alloc(0)) as StoredHead, records: sorted };
}

const isAt = (key: Buffer) => (entry: Entry) => entry.key.equals(key);

/** Returns the entry with a bit of its value changed. */
function flip(entry: Entry, at: number): Entry {
  const value = Buffer.from(entry.value);
  value[at] = (value[at] ?? 0) ^ 1;
  return { ...entry, value };
}

describe("the records of a session", () => {
  const interaction = (index: number) => recordKey(0, "interaction", index);

  it.each<[string, (records: Entry[]) => Entry[], object[]]>([
    ["nothing if they are whole", (records) => records, []],
    [
      "a missing interaction",
      (records) => records.filter((entry) => !isAt(interaction(1))(entry)),
      [{ what: "interaction 1", reason: "missing", dependents: 2 }],
    ],
    [
      "several missing interactions as one problem",
      (records) => records.filter((entry) => ![0, 1].some((index) => isAt(interaction(index))(entry))),
      [{ what: "interactions 0 to 1", reason: "missing", dependents: 2 }],
    ],
    [
      "a damaged interaction, and the number of those that depend on it",
      (records) => records.map((entry) => (isAt(interaction(2))(entry) ? flip(entry, 20) : entry)),
      [{ what: "interaction 2", reason: "its checksum is wrong", dependents: 1 }],
    ],
    [
      "damaged tokens, which only restoring shows",
      (records) => records.map((entry) => (isAt(interaction(1))(entry) ? flip(entry, entry.value.length - 1) : entry)),
      [{ what: "interaction 1", reason: "the checksum of its tokens is wrong", dependents: 2 }],
    ],
    [
      "damaged tokens of the last interaction, on which none depends",
      (records) => records.map((entry) => (isAt(interaction(3))(entry) ? flip(entry, entry.value.length - 1) : entry)),
      [{ what: "interaction 3", reason: "the checksum of its tokens is wrong" }],
    ],
    [
      "an outcome without its interaction",
      (records) => records.filter((entry) => !isAt(interaction(3))(entry)),
      [{ what: "outcome 3", reason: "interaction 3 does not exist" }],
    ],
    [
      "a missing reward",
      (records) => records.filter((entry) => !isAt(recordKey(0, "outcome", 3))(entry)),
      [{ what: "the data", reason: "rewards of interactions: 1 instead of 2" }],
    ],
    [
      "a damaged outcome",
      (records) => records.map((entry) => (isAt(recordKey(0, "outcome", 2))(entry) ? flip(entry, 3) : entry)),
      [{ what: "outcome 2", reason: "its checksum is wrong" }],
    ],
    [
      "a response that is no JSON",
      (records) => [...records, { key: recordKey(0, "response", 1), value: Buffer.from("x") }],
      [{ what: "response 1", reason: "its checksum is wrong", spare: expect.anything() }],
    ],
    [
      "no response that can be read",
      (records) => [...records, { key: recordKey(0, "response", 1), value: sealJson({}) }],
      [],
    ],
    [
      "damaged scores of teachers, without which the session can be restored",
      (records) => records.map((entry) => (isAt(recordKey(0, "channels", 0))(entry) ? flip(entry, 0) : entry)),
      [{ what: "channels 0", reason: "its checksum is wrong", spare: expect.anything() }],
    ],
    [
      "scores that are too short for a checksum",
      (records) =>
        records.map((entry) =>
          isAt(recordKey(0, "channels", 0))(entry) ? { ...entry, value: Buffer.from("abc") } : entry,
        ),
      [{ what: "channels 0", reason: "its checksum is wrong", spare: expect.anything() }],
    ],
    [
      "damaged images",
      (records) => [...records, { key: recordKey(0, "images", 0), value: Buffer.from("x") }],
      [expect.objectContaining({ what: "images 0" })],
    ],
    [
      "a record of an unknown kind",
      (records) => [...records, { key: Buffer.concat([sessionKey(0), Buffer.of(9, 0, 0, 0, 0)]), value: Buffer.of(1) }],
      [
        {
          what: "record with key 0000000000000900000000",
          reason: "the kind of record must be below 5; received 9",
        },
      ],
    ],
  ])("are checked, which finds %s", async (_, change, problems) => {
    const { head, records } = await store();
    expect([...verifySession(head, change(records))]).toEqual(problems);
  });

  it("may be absent once the session was freed", async () => {
    const { head } = await store();
    const freed = { ...head, summary: { ...head.summary, freed: true } };
    expect([...verifySession(freed, [])]).toEqual([]);
    expect([...verifySession(head, [])]).toEqual([{ what: "the data", reason: "interactions: 0 instead of 4" }]);
  });

  it("are grouped by their sessions", () => {
    const entries = [0, 0, 3, 4, 4].map((number, index) => ({
      key: recordKey(number, "interaction", index),
      value: Buffer.alloc(0),
    }));
    expect([...groupBySession(entries)].map(({ number, records }) => [number, records.length])).toEqual([
      [0, 2],
      [3, 1],
      [4, 2],
    ]);
    expect([...groupBySession([])]).toEqual([]);
  });

  it("have names, also if their key is damaged", () => {
    expect([nameRecord(recordKey(7, "channels", 12)), nameRecord(Buffer.of(1, 2))]).toEqual([
      "channels 12",
      "record with key 0102",
    ]);
  });
});

describe("an outcome", () => {
  const none = { reward: undefined, answered: false, repeatedBy: undefined, referenced: false };

  it.each<Outcome>([
    none,
    { ...none, reward: 0 },
    { ...none, reward: -0.1 },
    { ...none, answered: true },
    { ...none, repeatedBy: 0 },
    { ...none, repeatedBy: 70_000 },
    { ...none, referenced: true },
    { reward: 1e300, answered: true, repeatedBy: 1, referenced: true },
  ])("%j is read as it was written", (outcome) => {
    const bytes = encodeOutcome(outcome);
    expect(decodeOutcome(bytes)).toEqual(outcome);
    for (const damaged of [bytes.subarray(1), Buffer.concat([bytes, Buffer.of(0)])]) {
      expect(() => decodeOutcome(damaged)).toThrow("its checksum is wrong");
    }
  });
});

describe("the damage of a session", () => {
  it.each<[unknown, string, number | undefined]>([
    [new Error("parts[3]: checksum: the bytes are damaged"), "interaction 3: the checksum of its tokens is wrong", 3],
    [new Error("restore: parts[0]: too short"), "interaction 0: its tokens cannot be read: too short", 0],
    [new Error("something else"), "something else", undefined],
    ["a text", "a text", undefined],
  ])("is described from %s", (error, text, interaction) => {
    const damage = describeRestoreError(error);
    expect([describeDamage(damage), damage.interaction]).toEqual([text, interaction]);
  });
});
