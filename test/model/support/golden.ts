import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const FIXTURES = fileURLToPath(new URL("../../fixtures/conversation/jinja/", import.meta.url));

/**
 * Published templates and tokenizers with what Python makes of them: in the folder that ROLLTAPE_TEST_DATA names, else
 * in `shared/data` beside the checkout.
 */
const SHARED = `${process.env["ROLLTAPE_TEST_DATA"] ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url))}/`;

export const hasSharedTemplates = existsSync(`${SHARED}chat-templates/golden.json`);

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;

export const fixture = <T>(name: string): T => readJson<T>(FIXTURES + name);
export const fixtureTemplate = (name: string): string => readFileSync(`${FIXTURES}templates/${name}.jinja`, "utf8");
export const fixtureTemplates = (): string[] => templateNames(`${FIXTURES}templates`);

export const sharedJson = <T>(name: string): T => readJson<T>(`${SHARED}chat-templates/${name}`);
export const sharedTemplate = (name: string): string =>
  readFileSync(`${SHARED}chat-templates/templates/${name}.jinja`, "utf8");
export const sharedTemplates = (): string[] => templateNames(`${SHARED}chat-templates/templates`);

export const hasSharedTokenizers = existsSync(`${SHARED}tokenizers/texts.json.gz`);
export const sharedGzip = <T>(name: string): T =>
  JSON.parse(gunzipSync(readFileSync(`${SHARED}tokenizers/${name}.json.gz`)).toString()) as T;

function templateNames(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".jinja"));
  return files.map((name) => name.slice(0, -".jinja".length)).sort();
}
