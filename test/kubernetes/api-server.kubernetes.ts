import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BASE, findManifest, type Manifest, OVERLAYS, podSpecs, render } from "./manifests.js";

/** An API server of Kubernetes, without nodes and controllers, checks and stores the objects of ops/kubernetes. */

const SCRIPT = "scripts/kube-apiserver.sh";
const STRICT = ["--server-side", "--validate=strict"];
const DRY = [...STRICT, "--dry-run=server"];

const folder = mkdtempSync(join(tmpdir(), "rolltape-kubernetes-"));
const env = { ...process.env, KUBECONFIG: join(folder, "kubeconfig") };

/** Applies objects, and returns what kubectl printed. */
function apply(manifests: readonly Manifest[], ...options: readonly string[]) {
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: manifests });
  const { status, stdout, stderr } = spawnSync("kubectl", ["apply", ...options, "--filename", "-"], {
    input,
    encoding: "utf8",
    env,
  });
  return { status, stderr, objects: stdout.split("\n").filter((line) => line !== "") };
}

/** Changes the value at a path of an object. */
function change(manifest: Manifest, path: readonly (string | number)[], value: unknown): Manifest {
  const copy = structuredClone(manifest);
  const parent = path.slice(0, -1).reduce((at, key) => at[key] as never, copy as unknown as Record<string, unknown>);
  parent[path.at(-1) ?? ""] = value;
  return copy;
}

beforeAll(() => {
  execFileSync(SCRIPT, ["up", folder], { stdio: "inherit" });
  execFileSync("kubectl", ["apply", ...STRICT, "--filename", join(BASE, "namespace.yaml")], { env });
});

afterAll(() => {
  execFileSync(SCRIPT, ["down", folder]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

describe("the API server", () => {
  it.each([BASE, ...OVERLAYS])("accepts all objects of %s", (name) => {
    const manifests = render(name);
    const { status, stderr, objects } = apply(manifests, ...DRY);
    expect([status, stderr]).toEqual([0, ""]);
    expect(objects).toHaveLength(manifests.length);
  });

  it("stores all objects, and finds nothing to change in them afterwards", () => {
    expect(apply(render(BASE), ...STRICT)).toMatchObject({ status: 0, stderr: "" });
    const manifests = { apiVersion: "v1", kind: "List", items: render(BASE) };
    const diff = ["diff", "--server-side", "--filename", "-"];
    const { status, stdout } = spawnSync("kubectl", diff, { input: JSON.stringify(manifests), encoding: "utf8", env });
    expect([status, stdout]).toEqual([0, ""]);
  });

  it("lets the pods of all objects into the namespace, which is restricted", () => {
    const pods = [...podSpecs(render(BASE))].map(([name, { volumes = [], ...spec }]): Manifest => {
      // A StatefulSet adds the volumes of its claims.
      const claim = { name: "data", persistentVolumeClaim: { claimName: "data" } };
      const all = name === "proxy" ? [...volumes, claim] : volumes;
      return {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "rolltape" },
        spec: { ...spec, volumes: all },
      } as Manifest;
    });
    expect(pods.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      "controller",
      "front",
      "gateway",
      "proxy",
      "workers",
    ]);
    expect(apply(pods, ...DRY)).toMatchObject({ status: 0, stderr: "" });
    for (const pod of pods) {
      const { status, stderr } = apply([change(pod, ["spec", "securityContext", "runAsNonRoot"], false)], ...DRY);
      expect([status, stderr]).toEqual([1, expect.stringContaining('violates PodSecurity "restricted:latest"')]);
    }
  });

  it.each([
    [["spec", "serviceNamee"], "proxy", "unknown field"],
    [["spec", "replicas"], "three", 'expected "integer"'],
    [
      ["spec", "template", "spec", "containers", 0, "livenessProbe", "periodSeconds"],
      -1,
      "must be greater than or equal to 0",
    ],
    [["spec", "template", "spec", "containers", 0, "volumeMounts", 0, "name"], "none", "Not found"],
  ] as const)("refuses a StatefulSet with %j = %j", (path, value, message) => {
    const proxy = findManifest(render(BASE), "StatefulSet", "proxy");
    const { status, stderr } = apply([change(proxy, path, value)], ...DRY);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
