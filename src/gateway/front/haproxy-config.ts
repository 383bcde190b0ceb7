import { RUN_WORKER_HEADER } from "../../http/session-name.js";
import {
  CALL_HOURS,
  CHECKS,
  CONNECT_SECONDS,
  ERRORS,
  FAST_CHECK_MS,
  type FrontError,
  type FrontSettings,
  type FrontWorker,
  HEAD_SECONDS,
  writeErrorBody,
} from "./front-settings.js";

/** A session key up to the end of its tag. Calls with a tag that no backend has go to the gateway. */
const TAGGED_KEY = "sk-[a-z0-9]+[.]";
/** A complete run key, as the gateway reads it. */
const RUN_KEY = "rk-[A-Za-z0-9_-]+[.][A-Za-z0-9_-]{43}$";

interface KeyPlace {
  /** Prefix of the names of its ACLs. */
  readonly name: string;
  /** HAProxy's expression for the text that contains the key. */
  readonly sample: string;
  /** Selects the key in that text. */
  readonly converter?: string;
  /** Regular expression for what precedes the key in that text. */
  readonly before?: string;
  /** Further conditions. */
  readonly only: string;
}

/**
 * The places of a key, in the order in which servers read them. A key in the path replaces those in headers. A key in the query is only
 * for Google's API.
 */
const KEYS: readonly KeyPlace[] = [
  { name: "path", sample: "path,field(3,/)", only: "in_path" },
  {
    name: "bearer",
    // Servers read the first one.
    sample: "req.fhdr(authorization,1)",
    converter: ",word(2,' ')",
    before: "[Bb][Ee][Aa][Rr][Ee][Rr]\\ +",
    only: "!in_path",
  },
  { name: "x_api", sample: "req.fhdr(x-api-key)", only: "!in_path" },
  { name: "x_goog_api", sample: "req.fhdr(x-goog-api-key)", only: "!in_path" },
  { name: "query", sample: "url_param(key)", only: "!in_path google" },
];

/**
 * Returns a configuration for HAProxy. It is tested with HAProxy 2.6.
 *
 * A call goes to the backend of its key's tag. A worker is checked by its own tag, because another server may have its address. While
 * it is away, calls go to the gateway, which waits for it and answers as without HAProxy. So do calls without a tag, and calls whose
 * tag has no backend.
 *
 * A run key has no tag. The gateway's answer to the first call of a session names the worker. HAProxy remembers it by a hash of run key
 * and `X-Session-ID`, and sends later calls there.
 */
export function writeHaproxyConfig(settings: FrontSettings): string {
  const { listen, workers } = settings;
  const sections = [
    [
      "# Written by `rolltape proxy-config haproxy`.",
      "defaults",
      "    mode http",
      `    timeout connect ${CONNECT_SECONDS}s`,
      `    timeout http-request ${HEAD_SECONDS}s`,
      "    # Longer than clients keep an idle connection.",
      "    timeout http-keep-alive 75s",
      "    # A call may take as long as the model needs.",
      `    timeout client ${CALL_HOURS}h`,
      `    timeout server ${CALL_HOURS}h`,
      "    # The engine stops when a client disconnects.",
      "    option abortonclose",
      "    option http-no-delay",
      "    # A reload does not close connections that a client may be sending a call on.",
      "    option idle-close-on-response",
      "    # Connections only: a call that was sent is not sent again.",
      "    retries 5",
      "    option redispatch 1",
      "    default-server init-addr libc,none",
      ...ERRORS.map(writeError),
    ],
    [
      "frontend rolltape",
      `    bind ${listen}`,
      "    acl in_path path_reg -i ^/+s/",
      "    acl google path_beg /v1beta/",
      "    acl google path -m reg -i ^/v1/models/.+(:|%3a)[a-z]+$",
      ...KEYS.flatMap(writeKey),
      ...writeRunRules(workers),
      "    use_backend worker_%[var(txn.tag)] if { var(txn.tag) -m found }",
      "    default_backend gateway",
    ],
    writeGateways(settings),
    ["backend runs", `    stick-table type binary len 20 ${RUN_TABLE} store gpt0`],
    ...workers.map((worker) => writeBackend(worker, settings)),
  ];
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function writeError(error: FrontError): string {
  const { status } = error;
  const retry = status >= 500 ? " hdr retry-after 1" : "";
  return `    http-error status ${status} content-type application/json string '${writeErrorBody(error)}'${retry}`;
}

/** Sessions with a run key whose worker is remembered, and for how long after their last call. The gateway finds that of any other. */
const RUN_TABLE = "size 100k expire 24h";

/** `gpt0` of a session is the position of its worker in this file, from 1; 0: not known yet. As in the gateway, a run key precedes session keys. */
function writeRunRules(workers: readonly FrontWorker[]): string[] {
  return [
    "    http-request set-var(txn.session) req.fhdr(x-session-id) if { var(txn.run) -m found } { req.fhdr(x-session-id) -m reg . }",
    "    http-request unset-var(txn.tag) if { var(txn.session) -m found }",
    "    http-request track-sc0 var(txn.run),concat(.,txn.session),sha1 table runs if { var(txn.session) -m found }",
    ...workers.map(
      ({ tag }, index) => `    http-request set-var(txn.tag) str(${tag}) if { sc0_get_gpt0(runs) eq ${index + 1} }`,
    ),
    ...workers.map(
      ({ tag }, index) =>
        `    http-response sc-set-gpt0(0) ${index + 1} if { res.hdr(${RUN_WORKER_HEADER}) -m str ${tag} }`,
    ),
    "    # The session is gone, or cannot start there: the gateway looks for a place.",
    "    http-response sc-set-gpt0(0) 0 if { status 404 429 }",
    `    http-response del-header ${RUN_WORKER_HEADER}`,
  ];
}

function writeKey({ name, sample, converter = "", before = "", only }: KeyPlace): string[] {
  const write = (variable: "tag" | "run", key: string, select: string) => [
    `    acl ${name}_${variable} ${sample} -m reg ^${before}${key}`,
    `    http-request set-var(txn.${variable}) ${sample}${converter}${select} ` +
      `if ${only} ${name}_${variable} !{ var(txn.${variable}) -m found }`,
  ];
  return [...write("tag", TAGGED_KEY, ",field(1,.),bytes(3)"), ...write("run", RUN_KEY, "")];
}

/** A single gateway is not checked: there is nowhere else to send its calls. */
function writeGateways({ gateways, unreachableMilliseconds }: FrontSettings): string[] {
  const [first = "", ...others] = gateways;
  if (others.length === 0) return ["backend gateway", `    server gateway1 ${first}`];
  const { check, timeout } = writeCheck(unreachableMilliseconds);
  return [
    "backend gateway",
    "    option httpchk GET /livez",
    timeout,
    ...gateways.map(
      (address, index) =>
        `    server gateway${index + 1} ${address} ${check} on-marked-down shutdown-sessions${index === 0 ? "" : " backup"}`,
    ),
  ];
}

function writeCheck(unreachableMilliseconds: number): { readonly check: string; readonly timeout: string } {
  const interval = Math.max(1, Math.round(unreachableMilliseconds / CHECKS));
  const fast = Math.max(1, Math.min(Math.round(interval / 5), FAST_CHECK_MS));
  const check = `check inter ${interval}ms fastinter ${fast}ms downinter ${fast}ms fall ${CHECKS} rise 1`;
  return { check, timeout: `    timeout check ${interval}ms` };
}

function writeBackend({ tag, address }: FrontWorker, { gateways, unreachableMilliseconds }: FrontSettings): string[] {
  const { check, timeout } = writeCheck(unreachableMilliseconds);
  const track = (index: number) => (gateways.length === 1 ? "" : ` track gateway/gateway${index + 1}`);
  return [
    `backend worker_${tag}`,
    "    option httpchk GET /health",
    timeout,
    `    http-check expect rstring \\"worker\\":[{][^}]*\\"tag\\":\\"${tag}\\"`,
    "    # A failed connection and one failed check: the worker is down.",
    `    server worker ${address} ${check} observe layer4 error-limit 1 on-error sudden-death on-marked-down shutdown-sessions`,
    ...gateways.map((gateway, index) => `    server gateway${index + 1} ${gateway} backup${track(index)}`),
  ];
}
