import type { Attempt } from "../soak/agents/attempt.js";
import type { Findings } from "../soak/check/findings.js";
import { type ExportCounts, newCounts } from "./check/check-export.js";
import { type ChaosFinding, LOSSES } from "./check/findings.js";
import type { ControlRequests } from "./clients/control-requests.js";
import type { Exports } from "./clients/exports.js";
import type { Kills } from "./kills.js";
import type { Load } from "./load.js";
import type { PowerLoss } from "./power/power-loss.js";
import type { Gate } from "./processes/gate.js";

/** Codes of calls that failed because of the engine's faults, or because their session ended. */
const EXPECTED_REFUSALS = /^(502|503|504|stream) /;

export interface Parts {
  readonly kills: Kills;
  readonly load: Load;
  readonly exports: Exports;
  readonly controlRequests: ControlRequests;
}

/** Counts what happened. */
export class ChaosTally {
  readonly findings: Findings<ChaosFinding>;
  readonly outcomes = new Map<string, number>();
  readonly exported = newCounts();
  readonly powerLoss: PowerLoss | undefined;
  #parts: Parts | undefined;

  constructor(findings: Findings<ChaosFinding>, powerLoss?: PowerLoss) {
    this.findings = findings;
    this.powerLoss = powerLoss;
  }

  /** Takes the parts of the run whose counts are reported. */
  watch(parts: Parts): void {
    this.#parts = parts;
  }

  get kills(): number {
    return this.#parts?.kills.kills ?? 0;
  }

  get parts(): Parts | undefined {
    return this.#parts;
  }

  get answered(): number {
    return this.#sum(/^answered/);
  }

  /** Answered data that is gone. */
  get lost(): number {
    return [...LOSSES].reduce((sum, finding) => sum + this.findings.count(finding), 0);
  }

  /** All other findings. */
  get wrong(): number {
    return this.findings.total - this.lost;
  }

  /** Unanswered calls whose row is in default batches beside that of their retry, though the server could know. */
  get duplicated(): number {
    return this.findings.count("unmarked");
  }

  get problems(): string[] {
    const nothing = this.exported.rows === 0 ? ["no row was exported"] : [];
    return [...this.findings.examples(), ...nothing];
  }

  addAttempt(gate: Gate, { outcome, api, streamed, call, attempt }: Attempt): void {
    if (outcome.kind === "answered") this.#count(`answered, ${api}${streamed ? ", streamed" : ""}`);
    else if (outcome.kind === "left") this.#count("left by the agent");
    else if (outcome.kind === "failed") {
      this.#count(`refused with ${outcome.code}`);
      if (!EXPECTED_REFUSALS.test(outcome.code))
        this.findings.add("refused", `call ${call}.${attempt}: ${outcome.code}`);
    } else {
      this.#count("cut by a kill");
      if (!gate.isDisturbed) this.findings.add("lost", `call ${call}.${attempt}: ${outcome.reason}`);
    }
  }

  addBatch(counts: ExportCounts): void {
    for (const name of Object.keys(counts) as (keyof ExportCounts)[]) this.exported[name] += counts[name];
  }

  describe(): string {
    const { rows } = this.exported;
    const results = `${this.answered} calls answered, ${rows} rows checked, ${this.lost} lost, ${this.wrong} wrong`;
    return `${this.kills} kills, ${results}`;
  }

  #sum(name: RegExp): number {
    return [...this.outcomes].reduce((sum, [outcome, count]) => sum + (name.test(outcome) ? count : 0), 0);
  }

  #count(name: string): void {
    this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1);
  }
}
