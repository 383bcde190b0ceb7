import type { ApiError } from "../../http/errors.js";
import type { GatewayContext } from "../context.js";
import type { UpstreamReply } from "../upstream.js";
import { namedRefusal, silentWorker } from "./failures.js";
import type { Member } from "./fleet.js";

/** What a worker is asked. */
export interface WorkerCall {
  readonly member: Member;
  readonly body: object;
}

/** What became of it: `reply` is undefined without an answer. */
export interface WorkerOutcome {
  readonly member: Member;
  readonly reply: UpstreamReply | undefined;
}

/** Calls workers at once, on behalf of one caller. A worker that does not answer in time is down. */
export class WorkerCalls {
  readonly #context: GatewayContext;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param headers the caller's key */
  constructor(context: GatewayContext, headers: Readonly<Record<string, string>>) {
    this.#context = context;
    this.#headers = headers;
  }

  call(path: string, calls: readonly WorkerCall[], milliseconds: number): Promise<WorkerOutcome[]> {
    return Promise.all(
      calls.map(async ({ member, body }) => {
        const signal = AbortSignal.timeout(milliseconds);
        const call = { path, headers: this.#headers, body, signal };
        const reply = await this.#context.upstream.call(member.worker.url, call).catch(() => undefined);
        if (!reply) member.worker.state = "down";
        return { member, reply };
      }),
    );
  }
}

export function isDone({ reply }: WorkerOutcome): boolean {
  return reply !== undefined && reply.status < 300;
}

/** Returns the error for a call that failed. A refusal says more than silence, so it comes first. */
export function failureOf(outcomes: readonly WorkerOutcome[], rest: string): ApiError | undefined {
  const failed = outcomes.filter((outcome) => !isDone(outcome));
  const first = failed.find(({ reply }) => reply !== undefined) ?? failed[0];
  if (!first) return undefined;
  const { member, reply } = first;
  return reply ? namedRefusal(member.worker, reply, rest) : silentWorker(member.worker, rest);
}
