import { randomUUID } from "node:crypto";
import type { InFlightCall } from "../../session/delivery/calls-in-flight.js";
import type { Turn } from "../../session/turn/turn.js";
import { AbortSwitch } from "../../support/async/abort-switch.js";
import type { AdmittedCall } from "../limits/admission.js";
import type { ModelCall } from "./model-call.js";
import { computeRequestKey } from "./request-key.js";

/** One of the answers that a call asks for. Each becomes an interaction. */
export interface Choice {
  readonly index: number;
  readonly id: string;
  readonly inFlight: InFlightCall;
  readonly admitted: AdmittedCall | null;
}

/** The choices of a call. */
export interface Choices {
  readonly all: readonly Choice[];
  /** Aborts all of them. */
  readonly aborting: AbortSwitch;
}

/**
 * Begins the choices of a call. Each is a separate attempt, which the same choice of a retry repeats.
 *
 * @throws ApiError if the session has no room for all of them
 */
export function beginChoices(call: ModelCall, turn: Turn): Choices {
  const { session, admitted, idPrefix, request, retry } = call;
  const { choices: count = 1 } = request;
  const admittedChoices = count > 1 ? [admitted, ...(admitted?.admitChoices(count - 1) ?? [])] : [admitted];
  const key = computeRequestKey(call, turn);
  const aborting = new AbortSwitch();
  const { retryCount, idempotencyKey } = retry;
  const all: Choice[] = [];
  for (let index = 0; index < count; index++) {
    const requestKey = index === 0 ? key : `${key}:${index}`;
    all.push({
      index,
      id: `${idPrefix}${randomUUID().replaceAll("-", "")}`,
      inFlight: session.calls.begin({ requestKey, retryCount, idempotencyKey }, aborting),
      admitted: admittedChoices[index] ?? null,
    });
  }
  return { all, aborting };
}
