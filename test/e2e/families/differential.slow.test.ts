import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { FAMILIES } from "../../../src/model/output/family-registry.js";
import { FamilyModel } from "../../helpers/family-model.js";
import { Proxy } from "../../helpers/proxy.js";
import { planConversation } from "./differential/conversations.js";
import { DIFFERENTIAL_FAMILIES } from "./differential/differential-families.js";
import { Random } from "./differential/random.js";
import { chooseRenderer } from "./differential/renderer.js";
import { type Findings, noFindings, runScript } from "./differential/run-script.js";
import { writeScripts } from "./differential/scripts.js";
import { findTemplate } from "./templates.js";

/**
 * Random conversations of each family against its template: `npm run test:differential` runs thousands and prints the counts.
 */
const CONVERSATIONS = Number(process.env["DIFFERENTIAL_CONVERSATIONS"] ?? 20);
const SEED = Number(process.env["DIFFERENTIAL_SEED"] ?? 1);

const renderer = chooseRenderer();

/** Prints a row of the table when its family is done, so that an interrupted run shows its results so far. */
const print = (line: string): boolean => process.stdout.write(`${line}\n`);

function printRow(name: string, { turns, tokens, rendered, continued, unwritten, differences }: Findings): void {
  const counts = [CONVERSATIONS, turns, tokens, rendered, continued, unwritten, differences.length];
  print(`| ${[name, ...counts].join(" | ")} |`);
}

beforeAll(() => {
  print(`Rendered by ${renderer.name}, seed ${SEED}:`);
  print("| family | conversations | turns | tokens | first prompts | continued | turns left out | differences |");
});

describe("random conversations, sampled in odd but valid spelling", () => {
  it.each(DIFFERENTIAL_FAMILIES)(
    "$name ($template): prompts match the template, answers match the sampled text, and exports match the engine's log",
    async (family) => {
      const { name, template, templateArgs = {} } = family;
      const random = new Random(SEED);
      const { source, stops } = findTemplate(template);
      const model = await FamilyModel.write(source, stops, { templateArgs });
      const plans = Array.from({ length: CONVERSATIONS }, () => planConversation(random, family));
      const scripts = writeScripts(model, plans, renderer.renderAll, random);
      const proxy = await Proxy.start({
        folder: model.folder,
        model: { templateArgs },
        settings: { chatTemplateType: "concat" },
      });
      onTestFinished(() => proxy.close());
      expect(model.families.tools).toBe(name);
      const findings = noFindings();
      for (const script of scripts) await runScript(proxy, model, script, random, findings);
      printRow(`${name} (${template})`, findings);
      expect(findings.differences.slice(0, 5)).toEqual([]);
      expect(findings.turns).toBeGreaterThan(0);
      expect(findings.continued).toBe(findings.turns - findings.rendered);
    },
    3_600_000,
  );

  it("covers every family of calls", () => {
    const calls = FAMILIES.filter((family) => "calls" in family).map((family): string => family.name);
    expect(calls.sort()).toEqual([...new Set(DIFFERENTIAL_FAMILIES.map(({ name }) => name))].sort());
  });
});
