import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export { publishedTemplate } from "./published-templates.js";

const FIXTURES = fileURLToPath(new URL("../../fixtures/conversation/jinja/", import.meta.url));

export const fixture = <T>(name: string): T => JSON.parse(readFileSync(FIXTURES + name, "utf8")) as T;
export const fixtureTemplate = (name: string): string => readFileSync(`${FIXTURES}templates/${name}.jinja`, "utf8");

export function fixtureTemplates(): string[] {
  const files = readdirSync(`${FIXTURES}templates`).filter((name) => name.endsWith(".jinja"));
  return files.map((name) => name.slice(0, -".jinja".length)).sort();
}

/** Digests of a published template and of what Python renders from it, by conversation; "ERR" stands for an exception. */
export interface PublishedDigests {
  readonly template: string;
  readonly renderings: Readonly<Record<string, string>>;
}

export const publishedDigests = fixture<Readonly<Record<string, PublishedDigests>>>("published.digests.json");

/** Published templates whose renderings are known. */
export const publishedTemplates = Object.keys(publishedDigests);

/** Published templates of which only the renderings are tested: the tests do not know their stop tokens and output formats. */
const RENDERED_ONLY = [
  "Bielik-11B-v3.0-Instruct",
  "GLM-4.7-Flash",
  "GigaChat3-10B-A1.8B",
  "HuggingFaceTB-SmolLM3-3B",
  "Kimi-K2-Thinking",
  "Mistral-Small-3.2-24B-Instruct-2506",
  "Spark2.5",
  "StepFun3.5-Flash",
  "deepseek-ai-DeepSeek-V3.2",
  "google-gemma-4-31B-it-interleaved",
  "ibm-granite-granite-4.1",
  "meta-llama-Llama-3.2-3B-Instruct",
  "muse-glimmer",
  "poolside-Laguna-XS.2",
  "unsloth-mistral-Devstral-Small-2507",
  "upstage-Solar-Open-100B",
];
export const publishedModels = publishedTemplates.filter((name) => !RENDERED_ONLY.includes(name));

/** This template requires variables that no request has, so no chat model can be loaded with it. */
export const UNLOADABLE = "fireworks-ai-llama-3-firefunction-v2";
export const loadableModels = publishedModels.filter((name) => name !== UNLOADABLE);

/** The first 64 bits of a text's SHA-256: enough to notice a change, small enough to commit by the thousand. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
