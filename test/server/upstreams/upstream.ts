import type { ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import type { Upstream, UpstreamRule } from "../../../src/config/index.js";
import type { ServerSettings } from "../../../src/server/settings.js";
import { type ListeningProxy, listeningProxy } from "../../helpers/listening-proxy.js";
import { Proxy } from "../../helpers/proxy.js";
import { type RecordedRequest, type RecordingServer, startRecordingServer } from "../../helpers/recording-server.js";
import type { ScriptedEngine } from "../../helpers/scripted-engine.js";

export const UPSTREAM_KEY = "sk-upstream-0123456789";
export const JUDGE = "gpt-4o-judge";

/** Returns an upstream for the judge and all models of a family. */
export const upstreamAt = (url: string, extra: Partial<Upstream> = {}): Upstream => ({
  models: [JUDGE, "gpt-4o-*"],
  refuse: false,
  url,
  apiKey: UPSTREAM_KEY,
  model: undefined,
  timeoutSeconds: 30,
  ...extra,
});

export const NO_UPSTREAM_LIMITS = {
  calls: Number.POSITIVE_INFINITY,
  concurrentCalls: Number.POSITIVE_INFINITY,
};

type Answer = (request: RecordedRequest, response: ServerResponse) => Promise<void> | void;

/** Starts a scripted upstream. It is closed when the test ends. */
export async function startUpstream(answer: Answer): Promise<RecordingServer> {
  const server = await startRecordingServer({}, async (request, response) => answer(request, response));
  onTestFinished(() => server.close());
  return server;
}

/** Answers with a status and JSON. */
export const answerJson =
  (body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

export async function startProxy(
  rules: readonly UpstreamRule[],
  settings: Partial<ServerSettings> = {},
): Promise<Proxy> {
  const proxy = await Proxy.start({ settings: { upstreams: rules, ...settings } });
  onTestFinished(() => proxy.close());
  return proxy;
}

export const listenProxy = (
  rules: readonly UpstreamRule[],
  settings: Partial<ServerSettings> = {},
): Promise<ListeningProxy<ScriptedEngine>> => listeningProxy({ settings: { upstreams: rules, ...settings } });

/** The sample that counts calls with an outcome. */
export const series = (outcome: string) =>
  `rolltape_upstream_calls_total{models="${JUDGE}, gpt-4o-*",outcome="${outcome}"}`;
