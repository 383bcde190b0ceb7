import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { IContainer, IPodSpec, IProbe, IVolume } from "kubernetes-models/v1";

/** First three bytes of the addresses of all pods, and of this machine, which is number 1. */
export const NETWORK = "10.231.3";
export const HOST_ADDRESS = `${NETWORK}.1`;
const USER = 1000;

/** Where a pod of the manifests finds what is not in them. */
export interface ClusterFiles {
  /** An empty folder for volumes and logs. */
  readonly folder: string;
  /** Folders that are volumes, by the names of their ConfigMaps and claims. */
  readonly volumes: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Numbers of the hosts in the network, by the names of their Services. */
  readonly services: Readonly<Record<string, number>>;
}

/** A pod to start: its name, its number in the network, and variables that Kubernetes sets. */
export interface PodPlace {
  readonly name: string;
  readonly host: number;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts the containers of pods as processes of this machine, as their manifests state them: command line, environment, host name, volumes,
 * user, and a read-only root folder with what ops/Containerfile copies. Each pod has an address of its own. It needs root, and takes the
 * place of kubelet; it schedules and restarts nothing.
 */
export class Cluster {
  readonly #files: ClusterFiles;
  readonly #bridge = `rt${process.pid}`;
  readonly #pods: Pod[] = [];

  constructor(files: ClusterFiles) {
    this.#files = files;
    ip("link", "add", this.#bridge, "type", "bridge");
    ip("address", "add", `${HOST_ADDRESS}/24`, "dev", this.#bridge);
    ip("link", "set", this.#bridge, "up");
    const hosts = Object.entries(files.services).map(([name, host]) => `${NETWORK}.${host} ${name}\n`);
    writeFileSync(this.path("hosts"), `127.0.0.1 localhost\n${hosts.join("")}`);
    writeFileSync(this.path("resolv.conf"), `nameserver ${HOST_ADDRESS}\n`);
  }

  /** Starts a pod. Resolves when its containers are started, and ready as far as they have probes. */
  async start(place: PodPlace, spec: IPodSpec): Promise<Pod> {
    const namespace = `${this.#bridge}-${place.name}-${place.host}`;
    const address = `${NETWORK}.${place.host}`;
    ip("netns", "add", namespace);
    const cable = `${this.#bridge}-${place.host}`;
    const folder = this.path(`pods/${place.name}`);
    const pod = new Pod(this.#files, place, spec, { address, namespace, cable, folder });
    this.#pods.push(pod);
    ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", namespace);
    ip("link", "set", cable, "master", this.#bridge, "up");
    ip("-n", namespace, "link", "set", "lo", "up");
    ip("-n", namespace, "address", "add", `${address}/24`, "dev", "eth0");
    ip("-n", namespace, "link", "set", "eth0", "up");
    await pod.start();
    return pod;
  }

  path(name: string): string {
    return join(this.#files.folder, name);
  }

  /** Kills everything and removes the network. */
  async close(): Promise<void> {
    await Promise.all(this.#pods.map((pod) => pod.stop("SIGKILL")));
    ip("link", "del", this.#bridge);
  }
}

interface PodNetwork {
  readonly address: string;
  readonly namespace: string;
  /** The end of its connection on this machine. */
  readonly cable: string;
  readonly folder: string;
}

export class Pod {
  readonly address: string;
  readonly #files: ClusterFiles;
  readonly #place: PodPlace;
  readonly #spec: IPodSpec;
  readonly #network: PodNetwork;
  readonly #running = new Map<string, { child: ChildProcess; ended: Promise<number | null>; log: () => string }>();
  #removed = false;

  constructor(files: ClusterFiles, place: PodPlace, spec: IPodSpec, network: PodNetwork) {
    this.#files = files;
    this.#place = place;
    this.#spec = spec;
    this.#network = network;
    this.address = network.address;
  }

  /** Starts sidecars in order, each after the start of the one before, and then the containers. */
  async start(): Promise<void> {
    const { initContainers = [], containers } = this.#spec;
    for (const container of initContainers) {
      this.#run(container);
      await this.#passes(container, container.startupProbe);
    }
    for (const container of containers) this.#run(container);
    await Promise.all(containers.map((container) => this.#passes(container, container.readinessProbe)));
  }

  /** Resolves with the exit status of a container; null after a signal that it did not handle. */
  ended(container: string): Promise<number | null> {
    return this.#of(container).ended;
  }

  /** The output of all containers. */
  log(): string {
    return [...this.#running.values()].map(({ log }) => log()).join("");
  }

  /** Sends a signal to the containers, and waits until they have ended. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    for (const { child } of this.#running.values()) child.kill(signal);
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    if (this.#removed) return;
    this.#removed = true;
    ip("link", "del", this.#network.cable);
    ip("netns", "del", this.#network.namespace);
  }

  /** Runs a command in a container, as `kubectl exec` does. */
  exec(name: string, command: readonly string[]): { readonly status: number | null; readonly output: string } {
    const [program, args] = this.#enter(this.#find(name), command);
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
    return { status, output: stdout + stderr };
  }

  /** The command line that {@link exec} runs. */
  commandLine(name: string, command: readonly string[]): string[] {
    const [program, args] = this.#enter(this.#find(name), command);
    return [program, ...args];
  }

  /** Folder of a volume on this machine. */
  volume(name: string): string {
    const volume = this.#spec.volumes?.find((each) => each.name === name) ?? { name };
    return volumeFolder(volume, this.#files, this.#network.folder);
  }

  #of(name: string) {
    const running = this.#running.get(name);
    if (!running) throw new Error(`${this.#place.name} has no container ${name}`);
    return running;
  }

  #find(name: string): IContainer {
    const { initContainers = [], containers } = this.#spec;
    const found = [...initContainers, ...containers].find((each) => each.name === name);
    if (!found) throw new Error(`${this.#place.name} has no container ${name}`);
    return found;
  }

  #run(container: IContainer): void {
    const { entrypoint } = readContainerfile();
    const command = [...(container.command ?? entrypoint), ...(container.args ?? [])];
    const [program, args] = this.#enter(container, command);
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (log += text));
    }
    const ended = once(child, "close").then(([code]) => code as number | null);
    this.#running.set(container.name, { child, ended, log: () => log });
  }

  /** Returns the program and its arguments that run a command in a container. */
  #enter(container: IContainer, command: readonly string[]): [string, string[]] {
    const env = this.#environment(container);
    const expand = (text: string) => text.replace(/\$\((\w+)\)/g, (whole, name: string) => env[name] ?? whole);
    const root = join(this.#network.folder, "roots", container.name);
    mkdirSync(root, { recursive: true });
    const { runAsUser = USER, runAsGroup = USER } = this.#spec.securityContext ?? {};
    const identity = [`--reuid=${runAsUser}`, `--regid=${runAsGroup}`, "--clear-groups", "--no-new-privs"];
    const inside = [
      "sh",
      "test/kubernetes/enter-container.sh",
      this.#place.name,
      root,
      ...this.#mounts(container),
      "--",
    ];
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const process = ["env", "-i", "-C", readContainerfile().folder, ...variables, "setpriv", ...identity];
    const namespaces = ["netns", "exec", this.#network.namespace, "unshare", "--uts", "--ipc", "--mount"];
    return ["ip", [...namespaces, ...inside, ...process, ...command.map(expand)]];
  }

  #environment({ env = [] }: IContainer): Record<string, string> {
    const values = env.map(({ name, value, valueFrom }) => {
      const { name: secret = "", key = "" } = valueFrom?.secretKeyRef ?? {};
      return [name, value ?? this.#files.secrets[secret]?.[key] ?? ""];
    });
    return {
      PATH: `${dirname(process.execPath)}:/usr/sbin:/usr/bin`,
      ...this.#place.env,
      ...Object.fromEntries(values),
    };
  }

  #mounts({ volumeMounts = [] }: IContainer): string[] {
    const volumes = volumeMounts.map(({ name, mountPath, readOnly }) => {
      return `${this.volume(name)}:${mountPath}:${readOnly ? "ro" : "rw"}`;
    });
    const { folder, copied } = readContainerfile();
    const { folder: files } = this.#files;
    return [
      "/usr:/usr:ro",
      ...["hosts", "resolv.conf"].map((name) => `${join(files, name)}:/etc/${name}:ro`),
      ...copied.map((path) => `${realpathSync(path)}:${join(folder, path)}:ro`),
      ...volumes,
    ];
  }

  /** Waits until a probe succeeds. Rejects if the container ends before. */
  async #passes(container: IContainer, probe: IProbe | undefined): Promise<void> {
    if (!probe) return;
    const { child, log } = this.#of(container.name);
    while (!(await this.#probe(container, probe))) {
      if (child.exitCode !== null)
        throw new Error(`${this.#place.name}/${container.name} ended with ${child.exitCode}: ${log()}`);
      await sleep(100);
    }
  }

  async #probe(container: IContainer, { exec, httpGet, tcpSocket }: IProbe): Promise<boolean> {
    if (exec) return this.exec(container.name, exec.command ?? []).status === 0;
    const named = httpGet?.port ?? tcpSocket?.port;
    const port = container.ports?.find(({ name }) => name === named)?.containerPort ?? Number(named);
    if (!httpGet) return accepts(this.address, port);
    const answer = await fetch(`http://${this.address}:${port}${httpGet.path}`).catch(() => undefined);
    return answer?.ok ?? false;
  }
}

/** Returns the folder on this machine that a volume is. Those of a pod are made when it first needs them. */
function volumeFolder(volume: IVolume, { volumes, folder: files }: ClusterFiles, pod: string): string {
  const shared = volume.configMap?.name ?? volume.persistentVolumeClaim?.claimName;
  const given = shared === undefined ? undefined : volumes[shared];
  if (given !== undefined) return given;
  const folder = shared === undefined ? join(pod, volume.name) : join(files, "claims", shared);
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    chownSync(folder, USER, USER);
  }
  return folder;
}

/** Returns what the image has in its working folder, and what it starts. */
function readContainerfile() {
  const text = readFileSync("ops/Containerfile", "utf8");
  const [, folder = ""] = [...text.matchAll(/^WORKDIR (.+)$/gm)].at(-1) ?? [];
  const [, entrypoint = "[]"] = /^ENTRYPOINT (.+)$/m.exec(text) ?? [];
  const copied = [...text.matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(([, paths = ""]) => paths.split(" "));
  return {
    folder,
    entrypoint: JSON.parse(entrypoint) as string[],
    copied: copied.map((path) => path.replace(`${folder}/`, "")),
  };
}

/** Copies files into a folder that pods may read. */
export function copyInto(folder: string, files: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  for (const file of files) {
    const copy = join(folder, basename(file));
    cpSync(file, copy);
    chmodSync(copy, 0o644);
  }
  return folder;
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}
