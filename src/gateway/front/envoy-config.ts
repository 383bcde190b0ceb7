import { join } from "node:path";
import { stringify } from "yaml";
import {
  BROKEN_CALL,
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

/** A message of Envoy's API, in the form that Envoy reads from YAML. */
type Message = Readonly<Record<string, unknown>>;

/** Shorter than the time that a server keeps an idle connection, which is 72 s: a call must not meet a connection that closes. */
const IDLE = "60s";
/** Envoy closes no connection and refuses no call because of their number. */
const UNLIMITED = 1_000_000_000;
const RETRIES = 10;
/** Of a body that has arrived when the worker refuses the connection. Then the gateway gets the call. */
const RETRY_BUFFER_BYTES = 4 << 20;
/** Envoy's default of 1 KiB can be less than a health report has. */
const HEALTH_REPORT_BYTES = 64 << 10;
/** Errors of Envoy with status 503 whose call the worker may have received: the connection ended or was reset. */
const BROKEN_FLAGS = ["UC", "UR"];

/**
 * Returns the cluster of a request: that of the tag of its key, if Envoy has one. The places of a key are in the order in which servers read
 * them. A key in the path replaces those in headers. A key in the query is only for Google's API.
 */
const FIND_CLUSTER = `local TAG = "sk%-([a-z0-9]+)%."
local RUN = "rk%-"

local function is_google(path)
  if path:find("^/v1beta/") then return true end
  path = path:lower()
  return path:find("^/v1/models/[^?]+:[a-z]+%?") or path:find("^/v1/models/[^?]+%%3a[a-z]+%?")
end

local function find_key(headers, key)
  local path = headers:get(":path") or ""
  if path:find("^/+[sS]/") then return path:match("^/s/" .. key) end
  return (headers:get("authorization") or ""):match("^[Bb][Ee][Aa][Rr][Ee][Rr] +" .. key)
    or (headers:get("x-api-key") or ""):match("^" .. key)
    or (headers:get("x-goog-api-key") or ""):match("^" .. key)
    or is_google(path) and path:match("[?&]key=" .. key)
end

function envoy_on_route(route)
  local headers = route:headers()
  if (headers:get("x-session-id") or "") ~= "" and find_key(headers, RUN) then return "gateway" end
  local tag = find_key(headers, TAG)
  local name = tag and "worker_" .. tag
  return name and route:getCluster(name) and name or "gateway"
end
`;

/**
 * Returns the files of a configuration for Envoy by their paths: `envoy.yaml`, with which it is started, and `workers.yaml`, which it loads
 * again whenever another file is moved to its place. It is tested with Envoy 1.40.
 *
 * Each worker is a cluster named after its tag, with the gateways as its lower priorities. A call goes to the cluster of its key's tag. A
 * worker is checked by its own tag, because another server may have its address. While it is away, calls go to the gateway, which waits for
 * it and answers as without Envoy. So do calls without a tag, and calls whose tag has no cluster. Lua looks for the cluster at each call:
 * routes in a file of their own would fail while Envoy has not loaded or checked their clusters yet.
 *
 * @param folder absolute path, as Envoy sees it
 */
export function writeEnvoyConfig(settings: FrontSettings, folder: string): Map<string, string> {
  const workersFile = join(folder, "workers.yaml");
  const resources = settings.workers.map((worker) => ({
    "@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster",
    ...writeWorker(worker, settings),
  }));
  const bootstrap = {
    node: { id: "rolltape", cluster: "rolltape" },
    static_resources: { listeners: [writeListener(settings.listen)], clusters: [writeGateways(settings)] },
    dynamic_resources: { cds_config: { resource_api_version: "V3", path_config_source: { path: workersFile } } },
  };
  // The last one is the one that Envoy is started with.
  return new Map([
    [workersFile, write({ resources })],
    [join(folder, "envoy.yaml"), write(bootstrap)],
  ]);
}

function write(message: Message): string {
  const options = { aliasDuplicateObjects: false, lineWidth: 0 };
  return `# Written by \`rolltape proxy-config envoy\`.\n${stringify(message, options)}`;
}

function writeListener(listen: string): Message {
  const connections = typed("envoy.filters.network.http_connection_manager", HTTP_CONNECTIONS, {
    stat_prefix: "rolltape",
    route_config: { virtual_hosts: [writeVirtualHost()] },
    http_filters: [
      typed("envoy.filters.http.router", "envoy.extensions.filters.http.router.v3.Router", {
        suppress_envoy_headers: true,
      }),
    ],
    http_protocol_options: { accept_http_10: true },
    request_headers_timeout: `${HEAD_SECONDS}s`,
    stream_idle_timeout: `${CALL_HOURS * 3600}s`,
    server_header_transformation: "PASS_THROUGH",
    generate_request_id: false,
    skip_xff_append: true,
    local_reply_config: { mappers: writeErrors() },
  });
  return { name: "rolltape", address: writeAddress(listen), filter_chains: [{ filters: [connections] }] };
}

const HTTP_CONNECTIONS = "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

function writeVirtualHost(): Message {
  const specifier = typed(
    "envoy.router.cluster_specifier_plugin.lua",
    "envoy.extensions.router.cluster_specifiers.lua.v3.LuaConfig",
    { source_code: { inline_string: FIND_CLUSTER }, default_cluster: "gateway" },
  );
  // No limit: a call may take as long as the model needs.
  const route = { inline_cluster_specifier_plugin: { extension: specifier }, timeout: "0s" };
  return {
    name: "all",
    domains: ["*"],
    routes: [{ match: { prefix: "/" }, route }],
    request_body_buffer_limit: RETRY_BUFFER_BYTES,
    // Connections only: a call that was sent is not sent again.
    retry_policy: {
      retry_on: "connect-failure",
      num_retries: RETRIES,
      retry_back_off: { base_interval: "0.1s", max_interval: "1s" },
      retry_priority: typed(
        "envoy.retry_priorities.previous_priorities",
        "envoy.extensions.retry.priority.previous_priorities.v3.PreviousPrioritiesConfig",
        { update_frequency: 1 },
      ),
    },
  };
}

/** The first error whose filter matches replaces Envoy's own. */
function writeErrors(): Message[] {
  const broken = writeError(BROKEN_CALL, { response_flag_filter: { flags: BROKEN_FLAGS } });
  const others = ERRORS.map((error) => {
    const value = { default_value: error.status, runtime_key: `rolltape.status_${error.status}` };
    return writeError(error, { status_code_filter: { comparison: { op: "EQ", value } } });
  });
  return [broken, ...others];
}

function writeError(error: FrontError, filter: Message): Message {
  const retry = { header: { key: "retry-after", value: "1" }, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" };
  return {
    filter,
    status_code: error.status,
    headers_to_add: error.status >= 500 ? [retry] : [],
    body_format_override: {
      text_format_source: { inline_string: writeErrorBody(error) },
      content_type: "application/json",
    },
  };
}

/** A single gateway is not checked: there is nowhere else to send its calls. */
function writeGateways(settings: FrontSettings): Message {
  const { gateways } = settings;
  const check = { path: "/livez" };
  return {
    ...writeCluster("gateway", gateways.map(writeEndpoint)),
    ...(gateways.length > 1 ? { health_checks: [writeCheck(check, settings)] } : {}),
  };
}

function writeWorker({ tag, address }: FrontWorker, settings: FrontSettings): Message {
  const backups = settings.gateways.map((gateway) => ({
    ...writeEndpoint(gateway),
    health_check_config: { disable_active_health_check: true },
  }));
  const check = {
    path: "/health",
    // Only the report matters: a worker that starts no sessions goes on with those that it has.
    expected_statuses: [{ start: 200, end: 600 }],
    receive: ['"worker":{', `"tag":"${tag}"`].map((text) => ({ text: Buffer.from(text).toString("hex") })),
    response_buffer_size: HEALTH_REPORT_BYTES,
  };
  return {
    ...writeCluster(`worker_${tag}`, [writeEndpoint(address), ...backups]),
    health_checks: [writeCheck(check, settings)],
    ...writeLossDetection(settings),
  };
}

/**
 * Ends the calls of a worker whose machine or network is lost. Health checks only keep new calls from a worker: Envoy ends no HTTP call that
 * is in progress because of them.
 */
function writeLossDetection({ unreachableMilliseconds }: FrontSettings): Message {
  const wait = Math.max(1, Math.round(unreachableMilliseconds / 1000 / (CHECKS + 1)));
  const timeout = { description: "TCP_USER_TIMEOUT", level: 6, name: 18, int_value: unreachableMilliseconds };
  return {
    upstream_connection_options: {
      tcp_keepalive: { keepalive_probes: CHECKS, keepalive_time: wait, keepalive_interval: wait },
    },
    // Keep-alive probes are sent only while nothing waits for an acknowledgement.
    upstream_bind_config: { socket_options: [timeout] },
  };
}

/** @param endpoints the first one that can be reached gets the calls */
function writeCluster(name: string, endpoints: readonly Message[]): Message {
  const limits = ["max_connections", "max_pending_requests", "max_requests", "max_retries"];
  return {
    name,
    type: "STRICT_DNS",
    dns_lookup_family: "V4_PREFERRED",
    connect_timeout: `${CONNECT_SECONDS}s`,
    circuit_breakers: { thresholds: [Object.fromEntries(limits.map((limit) => [limit, UNLIMITED]))] },
    // Otherwise Envoy sends calls to servers that are down, if all are.
    common_lb_config: { healthy_panic_threshold: { value: 0 } },
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
        "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
        common_http_protocol_options: { idle_timeout: IDLE },
        explicit_http_config: { http_protocol_options: {} },
      },
    },
    load_assignment: {
      cluster_name: name,
      endpoints: endpoints.map((endpoint, priority) => ({ priority, lb_endpoints: [{ endpoint }] })),
    },
  };
}

/** A server that hangs is down when the last of the checks has timed out. */
function writeCheck(check: Message, { unreachableMilliseconds }: FrontSettings): Message {
  const milliseconds = Math.max(1, Math.round(unreachableMilliseconds / (2 * CHECKS)));
  const interval = seconds(milliseconds);
  return {
    interval,
    timeout: interval,
    no_traffic_interval: interval,
    unhealthy_interval: seconds(Math.min(milliseconds, FAST_CHECK_MS)),
    unhealthy_threshold: CHECKS,
    healthy_threshold: 1,
    http_health_check: check,
  };
}

const seconds = (milliseconds: number) => `${milliseconds / 1000}s`;

const writeEndpoint = (address: string): Message => ({ address: writeAddress(address) });

/** @param address host and port; the host can be `*`, all addresses of IPv4 */
function writeAddress(address: string): Message {
  const { hostname, port } = new URL(`http://${address}`);
  const host = hostname === "*" ? "0.0.0.0" : hostname.replace(/^\[(.*)\]$/, "$1");
  // A URL leaves out port 80.
  return { socket_address: { address: host, port_value: Number(port || 80) } };
}

function typed(name: string, type: string, message: Message): Message {
  return { name, typed_config: { "@type": `type.googleapis.com/${type}`, ...message } };
}
