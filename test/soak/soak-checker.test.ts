import { beforeAll, describe, expect, it } from "vitest";
import { createSglangEngine } from "../../src/engine/index.js";
import { ADMIN_KEY, Proxy } from "../helpers/proxy.js";
import { changeRows, changeValue } from "../helpers/safetensors-edits.js";
import type { Attempt } from "./agents/attempt.js";
import { type BatchEvidence, checkBatch } from "./check/check-batch.js";
import { FINDINGS, type Finding, Findings } from "./check/findings.js";
import { type Row, readBatch } from "./check/read-rows.js";
import { FaultyEngine } from "./engine/faulty-engine.js";
import { type Generation, GenerationLog } from "./engine/generation-log.js";
import { loadDecoder } from "./run-soak.js";
import { soak } from "./soak.js";

/** Checks that the soak's checker notices each kind of fault. The faults are put into the data of a correct run. */

let evidence: BatchEvidence;
let log: GenerationLog;
let decode: (ids: readonly number[]) => string;
let rows: readonly Row[];

beforeAll(async () => {
  decode = await loadDecoder();
  const faulty = await FaultyEngine.start(1);
  const engine = createSglangEngine({ urls: faulty.urls, timeoutSeconds: 1, maxInflight: 64 });
  const proxy = await Proxy.start({ engine });
  const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
  const batches: BatchEvidence[] = [];
  const options = { calls: 40, sessions: 3, seed: 1, concurrency: 4, duration: 20, gateway: false, settleSeconds: 0 };
  const listeners = {
    onAttempt: () => {},
    onSession: () => {},
    onBatch: (batch: BatchEvidence) => void batches.push(batch),
  };
  await soak({ url, adminKey: ADMIN_KEY }, faulty, options, listeners);
  await proxy.close();
  await engine.close();
  await faulty.close();
  const [batch] = batches;
  if (!batch) throw new Error("one batch expected");
  evidence = batch;
  log = faulty.log;
  rows = readBatch(batch.full).rows;
});

/** Returns what the checker finds in this data after some changes. */
function check(changes: Partial<BatchEvidence> = {}, changedLog: GenerationLog = log): Findings {
  const findings = new Findings(FINDINGS);
  checkBatch({ ...evidence, ...changes }, { log: changedLog, findings, decode });
  return findings;
}

const kinds = (...args: Parameters<typeof check>): Finding[] => check(...args).kinds;

/** The row of an answered call that another call continues. */
function answeredParent(): { readonly row: Row; readonly index: number } {
  const answered = new Set(
    evidence.attempts.flatMap(({ outcome }) => (outcome.kind === "answered" ? [outcome.id] : [])),
  );
  const index = rows.findIndex(({ id }) => answered.has(id) && rows.some(({ parent }) => parent === id));
  const row = rows[index];
  if (!row) throw new Error("a row with a child expected");
  return { row, index };
}

/** Changes what the agent knows of the call of a row. */
function changeAttempt(row: Row, changes: Partial<Attempt>): readonly Attempt[] {
  return evidence.attempts.map((each) =>
    each.call === row.call && each.attempt === row.attempt ? { ...each, ...changes } : each,
  );
}

const left = { kind: "left", begun: false } as const;

/** The engine's log with every generation changed. */
class ChangedLog extends GenerationLog {
  readonly #change: (generation: Generation) => Generation;

  constructor(change: (generation: Generation) => Generation) {
    super();
    this.#change = change;
  }

  override of(prompt: readonly number[]): readonly Generation[] {
    return log.of(prompt).map(this.#change);
  }
}

describe("the soak's checker", () => {
  it("finds nothing wrong in the exports of a correct run", () => {
    const findings = check();
    expect(findings.examples()).toEqual([]);
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.some(({ parent }) => parent !== undefined)).toBe(true);
  });

  it("notices one changed output token", () => {
    const { index, row } = answeredParent();
    const full = changeValue(evidence.full, "input_ids", { row: index, at: row.prompt.length }, 7);
    expect(check({ full }).count("tokens")).toBe(1);
  });

  it("notices one changed prompt token", () => {
    const { index } = answeredParent();
    const full = changeValue(evidence.full, "input_ids", { row: index, at: 0 }, 7);
    expect(check({ full }).count("tokens")).toBe(1);
  });

  it("notices one wrong log probability, in the export or in the engine's log", () => {
    const { index, row } = answeredParent();
    const full = changeValue(evidence.full, "logprobs", { row: index, at: row.prompt.length }, -0.1);
    expect(check({ full }).count("logprobs")).toBe(1);
    const changed = new ChangedLog((generation) => ({
      ...generation,
      tokens: generation.tokens.map((token) => ({ ...token, logprob: token.logprob - 1 })),
    }));
    const outputs = rows.reduce((sum, { output }) => sum + output.length, 0);
    expect(check({}, changed).count("logprobs")).toBe(outputs);
  });

  it("notices one wrong version, also at a prompt token", () => {
    const { index, row } = answeredParent();
    for (const at of [0, row.prompt.length]) {
      const full = changeValue(evidence.full, "versions", { row: index, at }, 77);
      expect(check({ full }).count("versions")).toBe(1);
    }
  });

  it("notices a dropped row of an answered call", () => {
    const { row } = answeredParent();
    const full = changeRows(evidence.full, (each) =>
      each.interaction_id === row.id ? { ...each, interaction_id: "x" } : each,
    );
    expect(kinds({ full })).toContain("missing");
    const dropped = changeRows(evidence.full, (each, index) => (index === rows.length - 1 ? undefined : each));
    expect(kinds({ full: dropped })).toContain("defaultRows");
  });

  it("notices an answered call that no export contains", () => {
    const [attempt] = evidence.attempts;
    if (!attempt) throw new Error("attempts expected");
    const extra: Attempt = { ...attempt, call: 999_999, outcome: { kind: "answered", id: "chatcmpl-x", text: "" } };
    expect(kinds({ attempts: [...evidence.attempts, extra] })).toEqual(["missing"]);
  });

  it("notices an unmarked row whose agent had left before the answer was sampled", () => {
    const { row } = answeredParent();
    expect(kinds({ attempts: changeAttempt(row, { outcome: left, knownAt: 0 }) })).toEqual(["unmarked"]);
  });

  it("accepts an unmarked row whose agent left later, because the server could not know", () => {
    const { row } = answeredParent();
    const attempts = changeAttempt(row, { outcome: left, knownAt: Number.POSITIVE_INFINITY });
    expect(kinds({ attempts })).toEqual([]);
  });

  /** When the engine got the first attempt, and when it had sampled the answer. */
  interface Times {
    readonly arrived: number;
    readonly sampled?: number;
  }

  describe("given an unmarked row whose agent continued from the answer to a later retry", () => {
    /** Another row of the session becomes the first attempt, and a row with a child becomes its retry. Returns what is found. */
    const checkRepeated = (changes: Partial<Attempt>, { arrived, sampled = 2000 }: Times) => {
      const { row, index } = answeredParent();
      const other = rows.findIndex(
        ({ session, id, call }) => session === row.session && id !== row.id && call !== row.call,
      );
      const first = rows[other];
      if (!first) throw new Error("a second row of the session expected");
      let full = changeValue(evidence.full, "row_seed", { row: other }, row.call);
      full = changeValue(full, "row_attempt", { row: other }, 0);
      full = changeValue(full, "row_attempt", { row: index }, 1);
      const attempts = changeAttempt(row, { attempt: 1, beganAt: 1000 }).map((each) =>
        each.call === first.call && each.attempt === first.attempt
          ? { ...each, call: row.call, attempt: 0, outcome: left, knownAt: undefined, keyed: false, ...changes }
          : each,
      );
      const changedLog = new ChangedLog((generation) => {
        if (generation.call === row.call) return { ...generation, beganAt: 1500 };
        return generation.call === first.call ? { ...generation, beganAt: arrived, endedAt: sampled } : generation;
      });
      return kinds({ full, attempts }, changedLog);
    };

    it("notices it if the engine got the call before the retry was sent", () => {
      expect(checkRepeated({}, { arrived: 999 })).toContain("unmarked");
    });

    it("accepts it if the call may have arrived after the retry", () => {
      expect(checkRepeated({}, { arrived: 1001 })).not.toContain("unmarked");
    });

    it("accepts it if the answer was sampled before the retry arrived", () => {
      expect(checkRepeated({}, { arrived: 999, sampled: 1200 })).not.toContain("unmarked");
    });

    it("notices it in any order if the attempts have the same idempotency-key", () => {
      expect(checkRepeated({ keyed: true }, { arrived: 1001 })).toContain("unmarked");
    });

    it("notices it if the agent read a part of the answer before the retry was sent", () => {
      expect(checkRepeated({ outcome: { kind: "left", begun: true } }, { arrived: 1001 })).toContain("unmarked");
    });
  });

  it("notices an answered row that is marked", () => {
    const { index } = answeredParent();
    expect(kinds({ full: changeValue(evidence.full, "row_undelivered", { row: index }, 1) })).toContain(
      "markedAnswered",
    );
  });

  it("notices rows of refused calls, and of calls that no agent made", () => {
    const { row } = answeredParent();
    const refused = changeAttempt(row, { outcome: { kind: "failed", code: "502 engine_error" } });
    expect(kinds({ attempts: refused })).toEqual(["unexplained"]);
    const unknown = evidence.attempts.filter(({ call }) => call !== row.call);
    expect(kinds({ attempts: unknown })).toContain("unexplained");
  });

  it("notices rows of incomplete replies", () => {
    const broken = new ChangedLog((generation) => ({ ...generation, sent: "broken" }));
    expect(check({}, broken).count("unexplained")).toBe(rows.length);
  });

  it("notices a text that does not match its tokens, and a wrong parent", () => {
    const { row } = answeredParent();
    const outcome = { kind: "answered", id: row.id, text: "other" } as const;
    expect(kinds({ attempts: changeAttempt(row, { outcome }) })).toEqual(["texts"]);
    expect(kinds({ attempts: changeAttempt(row, { parent: "chatcmpl-x" }) })).toEqual(["parents"]);
  });

  it("notices a connection that broke although the agent did not close it", () => {
    const [attempt] = evidence.attempts;
    if (!attempt) throw new Error("attempts expected");
    const extra: Attempt = { ...attempt, call: 999_999, outcome: { kind: "lost", reason: "reset", received: "" } };
    expect(kinds({ attempts: [...evidence.attempts, extra] })).toEqual(["lost"]);
  });
});
