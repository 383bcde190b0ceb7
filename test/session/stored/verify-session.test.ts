import { describe, expect, it } from "vitest";
import { SessionRegistry } from "../../../src/session/session-registry.js";
import { describeDamage, describeRestoreError } from "../../../src/session/stored/damaged-session-error.js";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import { groupBySession } from "../../../src/session/stored/offline-sessions.js";
import { decodeOutcome, encodeOutcome, type Outcome } from "../../../src/session/stored/outcome-record.js";
import { nameRecord, readStoredSession } from "../../../src/session/stored/read-session.js";
import { openJson, sealJson } from "../../../src/session/stored/sealed-json.js";
import { SessionRecords, type StoredHead } from "../../../src/session/stored/session-records.js";
import { verifySession } from "../../../src/session/stored/verify-session.js";
import { verifySessions } from "../../../src/session/stored/verify-sessions.js";
import { LocalSession } from "../../../src/session/trajectory-store.js";
import type { Change, Damage, Entry, ReportDamage, Storage, StorageReader, Table } from "../../../src/storage/index.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
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
  it("are read with what was added to its calls", async () => {
    const stored = runAtOnce(readStoredSession("task-0", (await store()).records));
    expect(stored.interactions).toHaveLength(4);
    expect(stored.outcomes.map(({ reward }) => reward)).toEqual([undefined, undefined, 2, 3]);
    expect([stored.added.length, stored.images]).toEqual([1, []]);
  });

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

describe("a folder", () => {
  type Tables = Partial<Record<Table, readonly Entry[]>>;
  const entry = (key: string, value: Buffer): Entry => ({ key: Buffer.from(key), value });
  const damaged = Buffer.from("no JSON");
  const lease = { sessions: [], part: { shards: 1, shard: 0 }, expiresAt: 0, readerPid: undefined };

  /** Verifies tables, of which a scan reports `lost`, and the log `unread`. */
  function verify(
    tables: Tables,
    { unread = [], lost = {} }: { unread?: Damage[]; lost?: Partial<Record<Table, Damage>> },
  ) {
    const reader = {
      checkRecords: (report: ReportDamage) => unread.forEach(report),
      *scan(table: Table, report: ReportDamage) {
        if (lost[table]) report(lost[table]);
        yield* tables[table] ?? [];
      },
    } as unknown as StorageReader;
    const problems: string[] = [];
    const totals: number[] = [];
    const verified = verifySessions(
      reader,
      ({ what, reason }) => problems.push(`${what}: ${reason}`),
      (total) => totals.push(total),
    );
    return { ...verified, problems, totals };
  }

  it("is verified with its sessions, its exports and its values", async () => {
    const { head, records } = await store();
    const held = { ...lease, acknowledged: false, over: false };
    const { damaged: parts, ...verified } = verify(
      {
        meta: [entry("registry", sealJson({}))],
        leases: [held, { ...held, over: true }, { ...held, acknowledged: true }].map((each, at) =>
          entry(`b-${at}`, sealJson(each)),
        ),
        sessions: [{ key: sessionKey(0), value: sealJson(head) }],
        records,
      },
      {},
    );
    expect(verified).toEqual({ sessions: 1, records: records.length, heldExports: 1, problems: [], totals: [1] });
    expect([parts.hasUnknown, [...parts.sessions]]).toEqual([false, []]);
  });

  it("has each damaged part reported, and the sessions that need it named", async () => {
    const { head, records } = await store();
    const summary = { ...head.summary, id: "empty" };
    const of = (number: number) =>
      records.map(({ value, key }) => ({ value, key: Buffer.concat([sessionKey(number), key.subarray(6)]) }));
    const spare = { key: recordKey(0, "response", 1), value: damaged };
    const {
      damaged: parts,
      problems,
      totals,
      sessions,
    } = verify(
      {
        meta: [entry("registry", damaged)],
        leases: [entry("b", damaged)],
        sessions: [
          { key: sessionKey(0), value: sealJson(head) },
          { key: sessionKey(1), value: damaged },
          { key: sessionKey(3), value: sealJson({ ...head, summary }) },
        ],
        records: [...records, spare, ...of(1), ...of(2)],
      },
      {
        unread: [{ table: undefined, key: undefined, reason: "is cut" }],
        lost: {
          meta: { table: "meta", key: Buffer.from("state"), reason: "r" },
          leases: { table: "leases", key: Buffer.from("c"), reason: "r" },
          sessions: { table: "sessions", key: sessionKey(4), reason: "r" },
          records: { table: "records", key: recordKey(3, "interaction", 0), reason: "r" },
        },
      },
    );
    expect(problems).toEqual([
      "the log: is cut",
      "value state: r",
      "value registry: its checksum is wrong",
      "export c: r",
      "export b: its checksum is wrong",
      expect.stringMatching(/^the head of .*4.*: r$/),
      expect.stringMatching(/^the head of .*1.*: its checksum is wrong$/),
      "interaction 0 of session empty: r",
      `response 1 of session ${head.summary.id}: its checksum is wrong`,
      expect.stringMatching(/^the head of .*2.*: it is missing, but the session has records$/),
    ]);
    expect([parts.hasUnknown, [...parts.sessions].toSorted((a, b) => a - b), sessions, totals]).toEqual([
      true,
      [1, 2, 3, 4],
      2,
      [2, 2, 2, 2],
    ]);
    const intact = [
      ["meta", "registry"],
      ["meta", "state"],
      ["meta", "other"],
      ["leases", "b"],
      ["leases", "c"],
      ["leases", "a"],
    ] as const;
    expect(intact.map(([table, key]) => parts.isIntact(table, Buffer.from(key)))).toEqual([
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
    expect(
      [spare, ...records.slice(0, 1), ...of(1).slice(0, 1)].map(({ key }) => parts.isIntact("records", key)),
    ).toEqual([false, true, false]);
    expect([0, 3].map((number) => parts.isIntact("sessions", sessionKey(number)))).toEqual([true, false]);
  });

  it("lacks the data of a session without records", async () => {
    const { head } = await store();
    const {
      problems,
      totals,
      damaged: parts,
    } = verify({ sessions: [{ key: sessionKey(0), value: sealJson(head) }] }, {});
    expect([problems.length > 0, totals, [...parts.sessions]]).toEqual([true, [1], [0]]);
    expect(problems[0]).toContain(`of session ${head.summary.id}`);
  });
});
