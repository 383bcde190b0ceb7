import { Pool } from "undici";
import { beforeAll, expect, it } from "vitest";
import { createSglangEngine } from "../../src/engine/index.js";
import { ADMIN_KEY, Proxy } from "../helpers/proxy.js";
import { Random } from "../helpers/random.js";
import { changeValue } from "../helpers/safetensors-edits.js";
import { until } from "../helpers/until.js";
import type { Attempt } from "../soak/agents/attempt.js";
import { Findings } from "../soak/check/findings.js";
import { type Row, readBatch } from "../soak/check/read-rows.js";
import { FaultyEngine } from "../soak/engine/faulty-engine.js";
import { GenerationLog } from "../soak/engine/generation-log.js";
import { loadDecoder } from "../soak/run-soak.js";
import { checkExport } from "./check/check-export.js";
import { CHAOS_FINDINGS, type ChaosFinding } from "./check/findings.js";
import { ControlRequests } from "./clients/control-requests.js";
import { type ExportEvidence, Exports } from "./clients/exports.js";
import { type KnownSession, Ledger } from "./clients/ledger.js";
import { Load } from "./load.js";
import { Gate } from "./processes/gate.js";

/** Checks that the checker of the chaos test notices each kind of fault. The faults are put into the data of a correct run. */

let evidence: ExportEvidence;
let otherBatch: ExportEvidence;
let rows: readonly Row[];
let log: GenerationLog;
let decode: (ids: readonly number[]) => string;
const ledger = new Ledger();

beforeAll(async () => {
  decode = await loadDecoder();
  const faulty = await FaultyEngine.start(1);
  const engine = createSglangEngine({ urls: faulty.urls, timeoutSeconds: 1, maxInflight: 64 });
  const proxy = await Proxy.start({ engine, workerTag: "w0" });
  const pool = new Pool(await proxy.app.listen({ host: "127.0.0.1", port: 0 }));
  const [gate, findings, batches] = [new Gate(), new Findings(CHAOS_FINDINGS), new Array<ExportEvidence>()];
  gate.open();
  gate.isDisturbed = false;
  const controlRequests = new ControlRequests({
    pool,
    adminKey: ADMIN_KEY,
    gate,
    ledger,
    findings,
    behindGateway: false,
  });
  const onBatch = (batch: ExportEvidence) => void batches.push(batch);
  const exports = new Exports({ controlRequests, ledger, random: new Random(1), findings, onBatch });
  const load = new Load({ pool, gate, controlRequests, exports, ledger, seed: 1, concurrency: 6, onAttempt: () => {} });
  await until(() => load.sessions > 12);
  await load.stop();
  await pool.close();
  await proxy.close();
  await engine.close();
  await faulty.close();
  if (findings.total > 0) throw new Error(findings.examples().join("\n"));
  const [batch, other] = batches;
  if (!batch || !other) throw new Error("two batches expected");
  evidence = batch;
  otherBatch = other;
  log = faulty.log;
  rows = readBatch(batch.full).rows;
});

function check(changes: Partial<ExportEvidence> = {}, changedLog = log): ChaosFinding[] {
  const findings = new Findings(CHAOS_FINDINGS);
  checkExport({ ...evidence, ...changes }, { log: changedLog, ledger, findings, decode, behindGateway: false });
  return findings.kinds;
}

/** Changes what an agent knows of its answered calls without a child, in a copy of the evidence. */
function changeLeaves(change: (attempt: Attempt, session: KnownSession) => Partial<Attempt>): Partial<ExportEvidence> {
  const parents = new Set(rows.map(({ parent }) => parent));
  const sessions = evidence.sessions.map((session) => {
    const attempts = session.attempts.map((attempt) => {
      const isLeaf = attempt.outcome.kind === "answered" && !parents.has(attempt.outcome.id);
      return isLeaf ? { ...attempt, ...change(attempt, session) } : attempt;
    });
    return { ...session, attempts };
  });
  return { sessions };
}

it("accepts a correct run", () => {
  expect(check()).toEqual([]);
  expect(rows.length).toBeGreaterThan(10);
});

it("notices an answered call that is missing in the export", () => {
  const [session] = evidence.sessions;
  const [attempt] = session?.attempts ?? [];
  if (!session || !attempt) throw new Error("a call expected");
  const outcome = { kind: "answered", id: "chatcmpl-x", text: "x" } as const;
  const attempts = [...session.attempts, { ...attempt, call: 999_999, outcome }];
  expect(check({ sessions: [{ ...session, attempts }, ...evidence.sessions.slice(1)] })).toEqual(["missing"]);
});

it("notices a row of a call that nobody made", () => {
  const sessions = evidence.sessions.map((session) => ({ ...session, attempts: session.attempts.slice(1) }));
  expect(check({ sessions })).toContain("unexplained");
});

it("notices rewards that were answered and are not in the export", () => {
  const answers = evidence.sessions.map((session) => ({ ...session, rewards: new Map([...session.rewards].slice(1)) }));
  expect(check({ sessions: answers })).toEqual(["rewards"]);
});

it("notices a cut call whose row is not left out, if its text was not complete", () => {
  const cut = changeLeaves(() => ({ outcome: { kind: "lost", reason: "reset", received: "" } }));
  expect(check(cut)).toEqual(["unmarked"]);
});

it("notices another text than that of the recorded tokens", () => {
  const changed = changeLeaves(({ outcome }) =>
    outcome.kind === "answered" ? { outcome: { ...outcome, text: `${outcome.text}!` } } : {},
  );
  expect(check(changed)).toEqual(["texts"]);
});

it("notices tokens that the engine never sampled", () => {
  expect(check({}, new GenerationLog())).toEqual(["tokens"]);
});

it("notices an answered call that is left out, though the server was not killed after it", () => {
  const answered = new Set(
    evidence.sessions.flatMap(({ attempts }) =>
      attempts.flatMap(({ outcome }) => (outcome.kind === "answered" ? [outcome.id] : [])),
    ),
  );
  const row = rows.findIndex(({ id }) => answered.has(id));
  const full = changeValue(evidence.full, "row_undelivered", { row }, 1);
  expect(check({ full: Buffer.from(full) })).toEqual(["markedAnswered", "defaultRows"]);
});

it("notices that the default export has other rows", () => {
  expect(check({ byDefault: otherBatch.byDefault })).toEqual(["defaultRows"]);
});
