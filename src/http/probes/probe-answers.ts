import { ApiError } from "../errors.js";

/** The answer of `GET /readyz`: 200 if the process accepts new work. */
export interface Readiness {
  readonly statusCode: 200 | 503;
  readonly body: object;
}

/** State of the main thread at the time of a probe. */
export interface MainThread {
  /** Its last report. Undefined until it accepts calls. */
  readonly readiness: Readiness | undefined;
  /** Time since its event loop last ran. */
  readonly silentMilliseconds: number;
  readonly stallSeconds: number;
}

export interface ProbeAnswer {
  readonly statusCode: number;
  readonly body: object;
}

const STARTING: Readiness = { statusCode: 503, body: { status: "starting" } };

/** Returns the answer to a probe. Stalls count only after the start, which may occupy the main thread for minutes. */
export function answerProbe(method: string | undefined, path: string, main: MainThread): ProbeAnswer {
  const isRead = method === "GET" || method === "HEAD";
  if (isRead && path === "/livez") return findStall(main) ?? { statusCode: 200, body: { status: "ok" } };
  if (isRead && (path === "/readyz" || path === "/health")) return findStall(main) ?? main.readiness ?? STARTING;
  const error = new ApiError("not_found", "The probe port answers only GET /livez, /readyz and /health.");
  return { statusCode: error.statusCode, body: error.toBody() };
}

function findStall({ readiness, silentMilliseconds, stallSeconds }: MainThread): Readiness | undefined {
  if (readiness === undefined || silentMilliseconds < stallSeconds * 1000) return undefined;
  const seconds = Number((silentMilliseconds / 1000).toFixed(1));
  const message = `The main thread has not run for ${seconds} s.`;
  return { statusCode: 503, body: { status: "stalled", message, stalled_seconds: seconds } };
}
