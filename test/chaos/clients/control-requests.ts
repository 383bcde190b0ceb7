import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import type { Findings } from "../../soak/check/findings.js";
import type { ChaosFinding } from "../check/findings.js";
import type { Gate } from "../processes/gate.js";
import type { KnownSession, Ledger } from "./ledger.js";

export interface ControlRequest {
  readonly method?: "POST" | "DELETE" | "GET";
  readonly path: string;
  readonly body?: object;
  /** Default: the admin key. */
  readonly key?: string;
  /** Called for each attempt whose answer a kill cut. */
  readonly onCut?: () => void;
}

export interface ControlReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Earlier attempts whose answers a kill cut. */
  readonly cuts: number;
  readonly beganAt: number;
}

export interface ControlRequestsOptions {
  readonly pool: Dispatcher;
  readonly adminKey: string;
  readonly gate: Gate;
  readonly ledger: Ledger;
  readonly findings: Findings<ChaosFinding>;
  readonly behindGateway: boolean;
}

const BACK_OFF_MS = 50;

/** Sends control and export requests. A request whose connection breaks is sent again until it is answered. */
export class ControlRequests {
  readonly #options: ControlRequestsOptions;
  /** Requests that have no answer yet, without those that wait for the server. */
  readonly #inFlight = new Set<ControlRequest>();
  #cuts = 0;
  #onSent: (() => void)[] = [];

  constructor(options: ControlRequestsOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Requests whose answers were cut. */
  get cuts(): number {
    return this.#cuts;
  }

  /**
   * Notes that a kill may cut requests in flight. A gateway sends a start or a grant that a kill cut to another server. The client gets
   * one answer then, although both servers may have taken or given a slot.
   */
  noteKill(): void {
    if (this.#options.behindGateway) for (const { onCut } of this.#inFlight) onCut?.();
  }

  /** Resolves when the next request is sent. */
  nextSent(): Promise<void> {
    return new Promise((resolve) => this.#onSent.push(resolve));
  }

  async startSession(taskId: string): Promise<KnownSession> {
    const { slots } = this.#options.ledger;
    await this.#require({ path: "/grant_capacity", body: { slots: 1 }, onCut: () => slots.grantsCut++ });
    slots.granted++;
    const request = { path: "/rl/start_session", body: { task_id: taskId }, onCut: () => slots.startsCut++ };
    const reply = await this.#withCapacity(request);
    slots.started++;
    const { session_id, session_api_key } = JSON.parse(reply.body.toString()) as Record<string, string>;
    const session = this.#options.ledger.addSession(session_id ?? "", session_api_key ?? "");
    this.#options.ledger.noteStored(session, reply.beganAt);
    return session;
  }

  async setReward(session: KnownSession, interactionId: string, reward: number): Promise<void> {
    const body = { reward, interaction_id: interactionId };
    const { beganAt } = await this.#require({ path: "/rl/set_reward", key: session.key, body });
    session.rewards.set(interactionId, reward);
    this.#options.ledger.noteStored(session, beganAt);
  }

  async endSession(session: KnownSession): Promise<void> {
    session.states = ["active", "ended"];
    const { beganAt } = await this.#require({ path: "/rl/end_session", key: session.key, body: {} });
    session.states = ["ended"];
    this.#options.ledger.noteStored(session, beganAt);
  }

  /** Sends a request until it is answered. */
  async send(request: ControlRequest): Promise<ControlReply> {
    const { gate, findings } = this.#options;
    for (let cuts = 0; ; cuts++) {
      await gate.wait();
      const beganAt = performance.now();
      this.#inFlight.add(request);
      for (const resolve of this.#onSent.splice(0)) resolve();
      const reply = await this.#sendOnce(request).finally(() => this.#inFlight.delete(request));
      if (typeof reply !== "string" && !this.#isCut(reply)) return { ...reply, cuts, beganAt };
      const reason = typeof reply === "string" ? reply : reply.body.toString().slice(0, 200);
      if (!gate.isDisturbed) findings.add("lost", `${request.path}: ${reason}`);
      request.onCut?.();
      this.#cuts++;
      await sleep(BACK_OFF_MS);
    }
  }

  /** Returns why the connection broke, if it did. */
  async #sendOnce({
    method = "POST",
    path,
    body,
    key,
  }: ControlRequest): Promise<Omit<ControlReply, "cuts" | "beganAt"> | string> {
    const { pool, adminKey } = this.#options;
    const authorization = `Bearer ${key ?? adminKey}`;
    const headers = body ? { authorization, "content-type": "application/json" } : { authorization };
    try {
      const reply = await pool.request({ path, method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
      return { status: reply.statusCode, headers: reply.headers, body: Buffer.from(await reply.body.arrayBuffer()) };
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** A gateway answers with 503 if the connection to a server breaks. */
  #isCut({ status }: Pick<ControlReply, "status">): boolean {
    return this.#options.behindGateway && status === 503;
  }

  /** A start whose answer was cut may have taken the slot, so the next attempt may find none. */
  async #withCapacity(request: ControlRequest): Promise<ControlReply> {
    const { slots } = this.#options.ledger;
    for (;;) {
      const reply = await this.send(request);
      if (reply.status === 200) return reply;
      if (reply.status !== 429 || slots.startsCut === 0) throw refused(request, reply);
      await this.#require({ path: "/grant_capacity", body: { slots: 1 }, onCut: () => slots.grantsCut++ });
      slots.granted++;
    }
  }

  async #require(request: ControlRequest): Promise<ControlReply> {
    const reply = await this.send(request);
    if (reply.status !== 200) throw refused(request, reply);
    return reply;
  }
}

export function refused({ path }: ControlRequest, { status, body, cuts }: ControlReply): Error {
  return new Error(`${path} was answered with ${status} after ${cuts} cuts: ${body.toString().slice(0, 300)}`);
}
