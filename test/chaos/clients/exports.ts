import type { Random } from "../../helpers/random.js";
import type { Findings } from "../../soak/check/findings.js";
import { describeDifference } from "../check/compare-exports.js";
import type { ChaosFinding } from "../check/findings.js";
import { type ControlReply, type ControlRequest, type ControlRequests, refused } from "./control-requests.js";
import type { KnownSession, Ledger } from "./ledger.js";

/** The two exports of a batch of sessions. */
export interface ExportEvidence {
  readonly sessions: readonly KnownSession[];
  /** Exported with `include_undelivered`. */
  readonly full: Buffer;
  /** Exported with default options. */
  readonly byDefault: Buffer;
}

export interface ExportsOptions {
  readonly controlRequests: ControlRequests;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly findings: Findings<ChaosFinding>;
  readonly onBatch: (evidence: ExportEvidence) => void;
}

/** An export that was answered. The same request must get the same bytes as long as its sessions are retained. */
interface Answered {
  readonly request: ControlRequest;
  readonly body: Buffer;
}

/** Sessions of one batch. */
const BATCH = 6;
/** Earlier exports that are repeated after a restart. */
const REPEATED = 2;
/** Earlier exports that are kept to be repeated. */
const KEPT = 20;

/** A trainer that exports ended sessions in batches, half of them with an acknowledgement. */
export class Exports {
  readonly #options: ExportsOptions;
  #waiting: KnownSession[] = [];
  #running: Promise<void> = Promise.resolve();
  #answered: Answered[] = [];
  #exports = 0;
  #repeats = 0;

  constructor(options: ExportsOptions) {
    this.#options = options;
  }

  /** Batches that were exported. */
  get exports(): number {
    return this.#exports;
  }

  /** Exports that were repeated after their answer was complete. */
  get repeats(): number {
    return this.#repeats;
  }

  /** Adds an ended session. Exports a batch when there are enough sessions. */
  add(session: KnownSession): void {
    this.#waiting.push(session);
    if (this.#waiting.length >= BATCH) this.#exportWaiting();
  }

  /** Exports the rest. Rejects if an export failed. */
  async finish(): Promise<void> {
    if (this.#waiting.length > 0) this.#exportWaiting();
    await this.#running;
  }

  /** Repeats some of the exports that an earlier process of the server answered. */
  async repeatSome(): Promise<void> {
    const { random } = this.#options;
    for (let i = 0; i < REPEATED && this.#answered.length > 0; i++) {
      const index = random.integer(0, this.#answered.length - 1);
      const [answered] = this.#answered.splice(index, 1);
      if (answered) await this.#repeat(answered);
    }
  }

  #exportWaiting(): void {
    const sessions = this.#waiting;
    this.#waiting = [];
    const run = () =>
      this.#options.random.chance(0.5) ? this.#exportAcknowledged(sessions) : this.#exportTwice(sessions);
    this.#running = this.#running.then(run);
    this.#running.catch(() => undefined);
  }

  /** Exports a batch that the server keeps for its retention time. */
  async #exportTwice(sessions: readonly KnownSession[]): Promise<void> {
    const { random } = this.#options;
    const requests = this.#draw(sessions, {});
    const full = await this.#export(sessions, requests.full);
    const byDefault = await this.#export(sessions, requests.byDefault);
    this.#options.onBatch({ sessions, full: full.body, byDefault: byDefault.body });
    const answered = { request: requests.byDefault, body: byDefault.body };
    if (random.chance(0.3)) await this.#repeat(answered);
    this.#answered = [...this.#answered, answered].slice(-KEPT);
  }

  /** Exports a batch and acknowledges it. The acknowledgement is repeated if its answer is cut. */
  async #exportAcknowledged(sessions: readonly KnownSession[]): Promise<void> {
    const { controlRequests, findings, random } = this.#options;
    const requests = this.#draw(sessions, { acknowledge: true });
    const full = await this.#export(sessions, requests.full);
    const byDefault = await this.#export(sessions, requests.byDefault);
    this.#options.onBatch({ sessions, full: full.body, byDefault: byDefault.body });
    if (random.chance(0.3)) await this.#repeat({ request: requests.byDefault, body: byDefault.body });
    const path = `/export_batch/${String(byDefault.headers["x-rolltape-export-id"])}`;
    const reply = await controlRequests.send({ method: "DELETE", path });
    // An acknowledgement whose answer was cut may have been done.
    const isDone = reply.status === 200 || (reply.status === 404 && reply.cuts > 0);
    if (!isDone) findings.add("refused", refused({ path: `DELETE ${path}` }, reply).message);
    const again = await controlRequests.send(requests.full);
    if (again.status !== 410) findings.add("states", `an acknowledged batch was exported again with ${again.status}`);
  }

  async #export(sessions: readonly KnownSession[], request: ControlRequest): Promise<ControlReply> {
    if (sessions.some(({ states }) => states.includes("ended"))) setStates(sessions, ["ended", "exported"]);
    const reply = await this.#options.controlRequests.send(request);
    if (reply.status !== 200) throw refused(request, reply);
    setStates(sessions, ["exported"]);
    for (const session of sessions) this.#options.ledger.noteStored(session, reply.beganAt);
    this.#exports++;
    return reply;
  }

  async #repeat({ request, body }: Answered): Promise<void> {
    this.#repeats++;
    const reply = await this.#options.controlRequests.send(request);
    if (reply.status === 200 && reply.body.equals(body)) return;
    const found = reply.status === 200 ? describeDifference(body, reply.body) : refused(request, reply).message;
    this.#options.findings.add("repeated", found);
  }

  #draw(
    sessions: readonly KnownSession[],
    extra: object,
  ): { readonly full: ControlRequest; readonly byDefault: ControlRequest } {
    const layout = this.#options.random.pick(["padded", "packed"]);
    const body = { session_ids: sessions.map(({ id }) => id), layout, ...extra };
    const path = "/export_batch";
    return { full: { path, body: { ...body, include_undelivered: true } }, byDefault: { path, body } };
  }
}

function setStates(sessions: readonly KnownSession[], states: KnownSession["states"]): void {
  for (const session of sessions) session.states = states;
}
