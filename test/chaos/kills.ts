import { setTimeout as sleep } from "node:timers/promises";
import type { KillableProcess } from "../helpers/killable-process.js";
import { Random } from "../helpers/random.js";
import type { Findings } from "../soak/check/findings.js";
import type { ChaosFinding } from "./check/findings.js";
import type { Ledger } from "./clients/ledger.js";
import type { Gate } from "./processes/gate.js";
import { chooseVictims, type Target } from "./processes/target.js";

export interface KillsOptions {
  readonly target: Target;
  readonly gate: Gate;
  readonly ledger: Ledger;
  readonly findings: Findings<ChaosFinding>;
  readonly seed: number;
  readonly maxPauseSeconds: number;
  /** Resolves during an operation that is so short that random kills rarely hit it. */
  readonly nextShortOperation: () => Promise<void>;
  /** Called immediately before a kill. */
  readonly beforeKill: () => void;
  /** Called while the server is dead. */
  readonly onDead: () => void;
  /** Resolves when no request is in flight. */
  readonly whenQuiet: () => Promise<void>;
  /** Compares the restarted server with what clients know, before it gets other requests. */
  readonly check: () => Promise<void>;
}

/** Share of the kills that wait for a short operation. */
const AIMED = 0.5;

/** Share of the starts that are killed before the server is ready. */
const KILLED_STARTS = 0.15;

/** Kills the server and starts it again. */
export class Kills {
  readonly #options: KillsOptions;
  readonly #random: Random;
  #kills = 0;
  #killedStarts = 0;

  constructor(options: KillsOptions) {
    this.#options = options;
    this.#random = new Random(options.seed, 5);
  }

  get kills(): number {
    return this.#kills;
  }

  /** Kills of a server that had not finished its start. */
  get killedStarts(): number {
    return this.#killedStarts;
  }

  /** False if sessions were lost. Then nothing else can be compared. */
  get isUseful(): boolean {
    const { findings } = this.#options;
    return findings.count("starts") === 0 && findings.count("sessions") === 0;
  }

  /** Kills the server, or what was chosen of a gateway and its servers, after a random time. Then starts it again. */
  async killUnderLoad(): Promise<void> {
    const { target, maxPauseSeconds, nextShortOperation } = this.#options;
    await sleep(this.#random.integer(200, maxPauseSeconds * 1000));
    const victims = chooseVictims(target, this.#random);
    if (this.#random.chance(AIMED)) await Promise.race([nextShortOperation(), sleep(1000)]);
    await this.#kill(victims);
    while (this.#random.chance(KILLED_STARTS)) await this.#killStart(victims);
    await this.restart(victims);
  }

  /** Starts processes and compares their sessions with what clients know. The clients go on if nothing is lost. */
  async restart(victims = this.#options.target.processes): Promise<void> {
    const { target, gate, ledger, findings, whenQuiet, check } = this.#options;
    try {
      for (const victim of victims) await victim.start();
    } catch (error) {
      findings.add("starts", error instanceof Error ? error.message : String(error));
      return;
    }
    // Now every client has read what the killed server sent.
    for (const { tag, process } of target.workers) if (victims.includes(process)) ledger.noteKill(tag);
    gate.close();
    await whenQuiet();
    await check();
    gate.isDisturbed = false;
    if (this.isUseful) gate.open();
  }

  async #kill(victims: readonly KillableProcess[]): Promise<void> {
    const { target, gate, beforeKill, onDead } = this.#options;
    gate.isDisturbed = true;
    // A gateway lets calls wait for its servers. Nothing lets them wait for a gateway or a server without one.
    if (!target.gateway || victims.includes(target.gateway)) gate.close();
    beforeKill();
    await Promise.all(victims.map((victim) => victim.kill()));
    this.#kills++;
    onDead();
  }

  async #killStart(victims: readonly KillableProcess[]): Promise<void> {
    const started = victims.map((victim) => victim.start().catch(() => undefined));
    await sleep(this.#random.integer(50, 1500));
    await this.#kill(victims);
    await Promise.all(started);
    this.#killedStarts++;
  }
}
