import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { IContainer } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseConfig } from "../../src/config/index.js";
import { temporaryFolder } from "../cli/rolltape.js";
import {
  BASE,
  findManifest,
  hasKubectl,
  type Manifest,
  OVERLAYS,
  podSpecs,
  readManifests,
  render,
} from "./manifests.js";

/** Returns what is wrong with the fields of objects: TypeScript knows their types, and refuses unknown ones in literals. */
function checkFields(manifests: readonly Manifest[]): string {
  const folder = temporaryFolder();
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const statements = manifests.map((manifest, index) => {
    const { apiVersion, kind } = manifest;
    const library = apiVersion.startsWith("monitoring.")
      ? "@kubernetes-models/prometheus-operator"
      : "kubernetes-models";
    const type = `import("${library}/${apiVersion}/${kind}").I${kind}`;
    return `export const object${index} = ${JSON.stringify(manifest)} satisfies ${type};\n`;
  });
  writeFileSync(join(folder, "manifests.mts"), statements.join(""));
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", "", "manifests.mts"];
  return spawnSync(resolve("node_modules/.bin/tsc"), options, { cwd: folder, encoding: "utf8" }).stdout;
}

const base = readManifests(BASE);
const config = parseConfig(parse(readFileSync(join(BASE, "rolltape.yaml"), "utf8")));
const containers = [...podSpecs(base)].flatMap(([pod, { initContainers = [], containers }]) =>
  [...initContainers, ...containers].map((container) => ({ pod, container })),
);

describe("the objects of ops/kubernetes/base", () => {
  it("have only fields that Kubernetes has, with their types", () => {
    expect(base.length).toBeGreaterThan(15);
    expect(checkFields(base)).toBe("");
  });

  it("would be refused with an unknown field, or with a wrong type", () => {
    const proxy = findManifest(base, "StatefulSet", "proxy");
    const change = (spec: object) => checkFields([{ ...proxy, spec: { ...proxy.spec, ...spec } }]);
    expect(change({ serviceNamee: "proxy" })).toMatch(/serviceNamee.* does not exist in type/);
    expect(change({ replicas: "3" })).toContain("Type 'string' is not assignable to type 'number'");
    const monitor = findManifest(base, "ServiceMonitor", "rolltape");
    expect(checkFields([{ ...monitor, spec: { ...monitor.spec, endpoint: [] } }])).toMatch(
      /endpoint.* does not exist in type/,
    );
  });

  it("have containers that may do no more than they need", () => {
    expect(containers).toHaveLength(6);
    const [, user = ""] = /^USER (.+)$/m.exec(readFileSync("ops/Containerfile", "utf8")) ?? [];
    for (const [, { securityContext }] of podSpecs(base)) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: Number(user) });
    }
    for (const { container } of containers) {
      const { readOnlyRootFilesystem, capabilities } = container.securityContext ?? {};
      expect([readOnlyRootFilesystem, capabilities]).toEqual([true, { drop: ["ALL"] }]);
      expect(container.resources?.limits).toHaveProperty("memory");
    }
  });

  it("give servers the time that they need to stop", () => {
    for (const name of ["proxy", "gateway"]) {
      const seconds = podSpecs(base).get(name)?.terminationGracePeriodSeconds;
      expect(seconds).toBeGreaterThan(config.server.shutdown_seconds + 10);
    }
  });

  it("connect to Services and ports that exist", () => {
    const open = ({ metadata, spec }: Manifest) => {
      const { ports = [] } = spec as { ports?: readonly { readonly port: number }[] };
      return ports.map(({ port }) => `${metadata.name}:${port}`);
    };
    const addresses = base.filter(({ kind }) => kind === "Service").flatMap(open);
    const urls = ({ args = [] }: IContainer) =>
      [...args.join(" ").matchAll(/http:\/\/([\w.:]+)/g)].map(([, url]) => url);
    const used = containers.flatMap(({ container }) => urls(container));
    expect(new Set(used)).toEqual(new Set(["gateway:8090", "rolltape:8080", "controller:8095"]));
    expect(addresses).toEqual(expect.arrayContaining(used));
    const { namespace } = parse(readFileSync(join(BASE, "kustomization.yaml"), "utf8")) as { namespace: string };
    expect(config.gateway.discover).toBe(`dns:proxy.${namespace}.svc.cluster.local:8090`);
    expect(addresses).toContain("proxy:8090");
    expect(config.server.port).toBe(8090);
  });
});

describe.skipIf(!hasKubectl)("kubectl kustomize", () => {
  it.each([BASE, ...OVERLAYS])("renders %s", (folder) => {
    const manifests = render(folder);
    expect(checkFields(manifests)).toBe("");
    for (const { metadata } of manifests.filter(({ kind }) => kind !== "Namespace")) {
      expect(metadata).toMatchObject({ namespace: "rolltape" });
    }
    const dashboard = findManifest(manifests, "ConfigMap", "grafana-dashboard") as unknown as { data: object };
    const json = "grafana-dashboard.json";
    expect(dashboard.data).toEqual({ [json]: readFileSync(join("ops/monitoring", json), "utf8") });
  });

  it("leaves out what one node has no use for", () => {
    const kinds = render(OVERLAYS[0] ?? "").map(({ kind }) => kind);
    expect(kinds).toContain("StatefulSet");
    expect(kinds).not.toContain("ServiceMonitor");
    expect(kinds).not.toContain("PodDisruptionBudget");
  });

  it("sends only workers to spot machines", () => {
    const specs = podSpecs(render(OVERLAYS[1] ?? ""));
    expect([...specs].filter(([, { tolerations }]) => tolerations).map(([name]) => name)).toEqual(["workers"]);
  });
});
