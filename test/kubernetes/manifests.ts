import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { IPodSpec, IPodTemplateSpec } from "kubernetes-models/v1";
import { parse, parseAllDocuments } from "yaml";

export const KUBERNETES = "ops/kubernetes";
export const BASE = join(KUBERNETES, "base");
export const OVERLAYS = ["one-node", "spot"].map((name) => join(KUBERNETES, "overlays", name));

/** An object of Kubernetes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly template?: IPodTemplateSpec } & Readonly<Record<string, unknown>>;
}

interface Kustomization {
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
}

/** Returns the objects that are written out in the files of a kustomization and its components. This needs no kubectl. */
export function readManifests(folder: string): Manifest[] {
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const { resources = [], components = [] } = parse(read("kustomization.yaml")) as Kustomization;
  return [
    ...resources.flatMap((name) => parseManifests(read(name))),
    ...components.flatMap((name) => readManifests(join(folder, name))),
  ];
}

/** True if kubectl, which has kustomize, is installed. */
export const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;

/** Returns what `kubectl kustomize` makes of a folder. */
export function render(folder: string): Manifest[] {
  return parseManifests(execFileSync("kubectl", ["kustomize", folder], { encoding: "utf8" }));
}

export function findManifest(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (!found) throw new Error(`no ${kind} ${name}`);
  return found;
}

/** Returns the pods of StatefulSets, Deployments and Jobs by the name of their object. */
export function podSpecs(manifests: readonly Manifest[]): Map<string, IPodSpec> {
  return new Map(
    manifests.flatMap(({ metadata, spec }) => (spec?.template?.spec ? [[metadata.name, spec.template.spec]] : [])),
  );
}

function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text, { merge: true }).map((document) => document.toJS() as Manifest);
}
