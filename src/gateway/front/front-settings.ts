/** A proxy in front of a gateway, HAProxy or Envoy: it sends calls with a session key straight to the worker that the key names. */
export interface FrontSettings {
  /** Where the proxy listens, such as `*:8080`. For HAProxy, the arguments of its `bind`. */
  readonly listen: string;
  /** Host and port of each gateway, which get all other calls. The first one that answers gets them. */
  readonly gateways: readonly string[];
  readonly workers: readonly FrontWorker[];
  /** Time without an answer after which calls no longer go to a worker, or to one of several gateways. */
  readonly unreachableMilliseconds: number;
}

export interface FrontWorker {
  /** Matches `WORKER_TAG`. */
  readonly tag: string;
  /** Host and port. */
  readonly address: string;
}

/** Failed checks after which a worker is down. */
export const CHECKS = 4;
/** Longest time between checks of a worker that is down. */
export const FAST_CHECK_MS = 500;
/** A call may take as long as the model needs. */
export const CALL_HOURS = 24;
/** Time for the head of a request. */
export const HEAD_SECONDS = 30;
export const CONNECT_SECONDS = 5;

export interface FrontError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** The worker may have received the call. */
export const BROKEN_CALL: FrontError = {
  status: 502,
  code: "worker_unavailable",
  message: "The worker of this session ended during the call, or hangs.",
};

/** Errors of the proxy itself. Clients retry those with 5xx. */
export const ERRORS: readonly FrontError[] = [
  { status: 400, code: "invalid_request", message: "The request cannot be read." },
  { status: 408, code: "request_timeout", message: "The request did not arrive in time." },
  BROKEN_CALL,
  {
    status: 503,
    code: "worker_unavailable",
    message: "Neither the worker of this session nor the gateway can be reached.",
  },
  { status: 504, code: "worker_unavailable", message: "The worker of this session did not answer in time." },
];

/** Returns the body of an error in OpenAI's form. */
export function writeErrorBody({ status, code, message }: FrontError): string {
  const type = status < 500 ? "invalid_request_error" : "server_error";
  return JSON.stringify({ error: { message, type, param: null, code } });
}
