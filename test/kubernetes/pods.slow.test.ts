import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { IJobSpec } from "kubernetes-models/batch/v1";
import type { IPodSpec } from "kubernetes-models/v1";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { ensureTinyModel } from "../../src/engine/index.js";
import { readBatch, readTag } from "../cli/rollout/rollout-job.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { type DnsServer, startDnsAt } from "../helpers/dns-server.js";
import { hasHaproxy } from "../helpers/haproxy.js";
import { hasNamespaces } from "../helpers/machines.js";
import { type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";
import { until } from "../helpers/until.js";
import { BASE, findManifest, KUBERNETES, podSpecs, readManifests } from "./manifests.js";
import { Cluster, copyInto, HOST_ADDRESS, NETWORK, type Pod } from "./pods.js";

/** The pods of the base, as processes of this machine: what their manifests state is what runs. There is no Kubernetes. */

const KEY = "sk-admin-0123456789abcdef";
const SERVICES = { engine: 1, gateway: 20, controller: 30, rolltape: 40 };
const ANSWER = { object: "chat.completion" };
const FRONT = `http://${NETWORK}.${SERVICES.rolltape}:8080`;
const specs = podSpecs(readManifests(BASE));

/** The network with an engine, which the manifests do not have, and with its DNS server. */
class Service {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly dns: DnsServer;
  readonly engine: SglangServer;
  /** The newest pod of each number. */
  readonly proxies: Pod[] = [];
  front!: Pod;

  static async start({ proxies }: { readonly proxies: number }): Promise<Service> {
    const folder = temporaryFolder();
    const { folder: model } = await ensureTinyModel();
    const modelFiles = readdirSync(model).map((name) => join(model, name));
    const volumes = {
      config: copyInto(join(folder, "config"), [join(BASE, "rolltape.yaml")]),
      job: copyInto(join(folder, "job"), [join(BASE, "job/agent.mjs"), join(BASE, "job/tasks.jsonl")]),
      model: copyInto(join(folder, "model"), modelFiles),
    };
    const secrets = { "rolltape-admin": { key: KEY } };
    const cluster = new Cluster({ folder, volumes, secrets, services: SERVICES });
    const engine = await startSglangServer({ host: HOST_ADDRESS, port: 30_000 });
    onTestFinished(async () => {
      await cluster.close();
      await engine.close();
    });
    const dns = await startDnsAt({ host: HOST_ADDRESS, port: 53 }, []);
    dns.ttl = 1;
    const service = new Service(cluster, folder, dns, engine);
    for (let index = 0; index < proxies; index++) await service.startProxy(index);
    if (proxies > 0) await service.startPod("gateway", SERVICES.gateway);
    service.front = await service.startPod("front", SERVICES.rolltape);
    return service;
  }

  private constructor(cluster: Cluster, folder: string, dns: DnsServer, engine: SglangServer) {
    this.cluster = cluster;
    this.folder = folder;
    this.dns = dns;
    this.engine = engine;
  }

  startPod(kind: string, host: number, { name = kind, env = {} } = {}): Promise<Pod> {
    return this.cluster.start({ name, host, env }, specs.get(kind) as IPodSpec);
  }

  /** Starts a proxy, which DNS names when it is ready. */
  async startProxy(index: number, host = 10 + index): Promise<Pod> {
    const pod = await this.startPod("proxy", host, { name: `proxy-${index}` });
    this.dns.records = [...this.dns.records, pod.address];
    this.proxies[index] = pod;
    return pod;
  }

  forget(pod: Pod): void {
    this.dns.records = this.dns.records.filter((each) => each !== pod.address);
  }
}

/** Calls the Service `rolltape`. */
async function post(path: string, body: object, key = KEY) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(FRONT + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}
/** Starts a session on the proxy with the fewest. */
async function startSession() {
  await post("/grant_capacity", { slots: 4 });
  const { status, body } = await post("/rl/start_session", { task_id: "by-hand" });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}
/** Makes a model call as agents do: the SDK repeats a call whose connection breaks. */
const chat = ({ api_key: apiKey = "" }) =>
  new OpenAI({ baseURL: `${FRONT}/v1`, apiKey }).chat.completions.create({
    model: "any",
    messages: [{ role: "user", content: "hi" }],
    max_tokens: 4,
  });

/** Returns the workers that the running HAProxy knows: those of its file may be newer. */
async function listBackends(front: Pod): Promise<string[]> {
  const socket = connect(join(front.volume("haproxy"), "master.sock"));
  socket.end("@1 show stat\n");
  return [...(await text(socket)).matchAll(/^worker_(\w+),BACKEND,/gm)].map(([, tag = ""]) => tag).toSorted();
}

/** Runs the script with a kubectl that executes commands in the pods of the test. */
function runScaleIn({ cluster, proxies }: Service, replicas: number) {
  const calls = cluster.path("kubectl-calls");
  const enter = proxies.map((pod, index) => {
    return `*"exec proxy-${index} "*) shift 7; exec ${pod.commandLine("proxy", []).map(quote).join(" ")} "$@" ;;`;
  });
  const get = `*"get statefulset"*) echo ${proxies.length} ;;`;
  const script = ["#!/bin/sh", `echo "$*" >>${calls}`, 'case "$*" in', get, ...enter, "esac"].join("\n");
  writeFileSync(cluster.path("kubectl"), script, { mode: 0o755 });
  const env = { ...process.env, PATH: `${cluster.path(".")}:${process.env["PATH"]}` };
  const child = spawn(`${KUBERNETES}/scale-in.sh`, [String(replicas)], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => (log += part));
  return {
    child,
    ended: once(child, "close"),
    /** Resolves when it waits for the end of a session. */
    waits: () => until(() => log.includes("has 1 sessions")),
    calls: () => readFileSync(calls, "utf8"),
  };
}
const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

describe.skipIf(!hasNamespaces || !hasHaproxy)("the pods of ops/kubernetes", { timeout: 180_000 }, () => {
  it("run a job to its end", async () => {
    const service = await Service.start({ proxies: 2 });
    const { dns, engine } = service;
    expect(dns.questions).toContain("proxy.rolltape.svc.cluster.local A");
    const controller = await service.startPod("controller", SERVICES.controller);
    const workers: Pod[] = [];
    for (const index of ["0", "1"]) {
      const env = { JOB_COMPLETION_INDEX: index };
      workers.push(await service.startPod("workers", 50 + Number(index), { name: `workers-${index}`, env }));
    }
    const logs = () => [controller, ...workers].map((pod) => pod.log()).join("\n");
    // A worker that starts when the job is already over waits for the controller: one that ends is the success of the Job.
    const status = await Promise.race(workers.map((pod) => pod.ended("worker")));
    expect(status === 0 ? "" : logs()).toBe("");
    expect((await controller.ended("controller")) === 0 ? "" : logs()).toBe("");
    expect(logs()).toMatch(/"name":"worker-[01]"/);
    const { sessions } = readBatch(join(controller.volume("out"), "batch.safetensors"));
    expect(new Set(sessions.map(readTag))).toEqual(new Set(["proxy0", "proxy1"]));
    expect(engine.to("/generate")).toHaveLength(4);
  });

  it("have a root folder that is read-only, and user 1000", async () => {
    const service = await Service.start({ proxies: 1 });
    const front = await service.startPod("front", 41);
    for (const [pod, container] of [
      [service.front, "workers"],
      [front, "haproxy"],
    ] as const) {
      const { output } = pod.exec(container, ["sh", "-c", "id -u; touch /tmp/x /etc/x /rolltape/x /x /run/haproxy/x"]);
      expect(output).toMatch(/^1000\n/);
      expect(output).toContain("cannot touch '/x': Read-only file system");
      expect(output).toContain("cannot touch '/rolltape/x': Read-only file system");
      expect(output).not.toContain("/run/haproxy/x");
    }
  });

  it("keep sessions when a proxy moves with its volume, and use proxies that are added", async () => {
    const service = await Service.start({ proxies: 1 });
    const session = await startSession();
    expect(session["session_id"]).toBe("by-hand-proxy0-0");
    expect(await chat(session)).toMatchObject(ANSWER);
    const former = service.proxies[0] as Pod;
    service.forget(former);
    await former.stop("SIGKILL");
    const waiting = chat(session);
    await service.startProxy(0, 15);
    expect(await waiting).toMatchObject(ANSWER);

    await service.startProxy(1);
    await expect.poll(() => listBackends(service.front), { timeout: 30_000 }).toEqual(["proxy0", "proxy1"]);
    // The gateway asks DNS every two seconds.
    const startTag = async () => readTag((await startSession())["session_id"] ?? "");
    await expect.poll(startTag, { timeout: 30_000 }).toBe("proxy1");
  });

  it("are removed by scale-in.sh when they have no sessions left", async () => {
    const service = await Service.start({ proxies: 2 });
    const sessions = [await startSession(), await startSession()];
    const staying = sessions.find(({ session_id = "" }) => readTag(session_id) === "proxy1");
    expect(staying).toBeDefined();
    const { calls, ended, waits } = runScaleIn(service, 1);
    await waits();
    expect(readTag((await startSession())["session_id"] ?? "")).toBe("proxy0");
    expect(await chat(staying ?? {})).toMatchObject(ANSWER);
    expect(calls()).not.toContain("scale");
    const url = `/rl/sessions/${staying?.["session_id"]}`;
    await fetch(FRONT + url, { method: "DELETE", headers: { authorization: `Bearer ${KEY}` } });
    expect(await ended).toEqual([0, null]);
    expect(calls()).toContain("--namespace rolltape scale statefulset proxy --replicas=1");
  });

  it("start sessions again if scale-in.sh is interrupted", async () => {
    const service = await Service.start({ proxies: 2 });
    const sessions = [await startSession(), await startSession()];
    expect(sessions.map(({ session_id = "" }) => readTag(session_id)).toSorted()).toEqual(["proxy0", "proxy1"]);
    const { child, calls, ended, waits } = runScaleIn(service, 1);
    await waits();
    child.kill("SIGINT");
    expect(await ended).toEqual([1, null]);
    expect(calls()).not.toContain("scale");
    // The gateway learns of it with its next health check.
    const startedOn = async () => readTag((await startSession()).session_id ?? "");
    await expect.poll(startedOn, { timeout: 30_000 }).toBe("proxy1");
  });

  it("start a worker again that was stopped before the end of the job", async () => {
    const service = await Service.start({ proxies: 0 });
    const worker = await service.startPod("workers", 50, { env: { JOB_COMPLETION_INDEX: "0" } });
    const ended = worker.ended("worker");
    await expect.poll(() => worker.log(), { timeout: 30_000 }).toContain("the controller does not answer");
    await worker.stop("SIGTERM");
    const status = await ended;
    const { podFailurePolicy } = findManifest(readManifests(BASE), "Job", "workers").spec as IJobSpec;
    const ignored = podFailurePolicy?.rules.find(({ action, onExitCodes }) => action === "Ignore" && onExitCodes);
    expect(ignored?.onExitCodes?.values).toContain(status);
  });
});
