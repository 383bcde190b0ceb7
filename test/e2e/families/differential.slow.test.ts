import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { FAMILIES } from "../../../src/model/output/family-registry.js";
import { FamilyModel } from "../../helpers/family-model.js";
import { Proxy } from "../../helpers/proxy.js";
import { publishedStops } from "../../model/continuation/published-stops.js";
import { publishedTemplate } from "../../model/support/golden.js";
import { planConversation } from "./differential/conversations.js";
import { DIFFERENTIAL_FAMILIES, LEFT_OUT } from "./differential/differential-families.js";
import { Random } from "./differential/random.js";
import { chooseRenderer } from "./differential/renderer.js";
import { type Findings, noFindings, runScript } from "./differential/run-script.js";
import { writeScripts } from "./differential/scripts.js";

/**
 * Random conversations of each family against its template: `npm run test:differential` runs thousands and prints the counts.
 */
const CONVERSATIONS = Number(process.env["DIFFERENTIAL_CONVERSATIONS"] ?? 20);
const SEED = Number(process.env["DIFFERENTIAL_SEED"] ?? 1);

const renderer = chooseRenderer();
const counted: (readonly [name: string, findings: Findings])[] = [];

afterAll(() => {
  const lines = counted.map(
    ([name, { turns, tokens, rendered, continued, unwritten, differences }]) =>
      `| ${name} | ${CONVERSATIONS} | ${turns} | ${tokens} | ${rendered} | ${continued} | ${unwritten} | ${differences.length} |`,
  );
  const head = "| family | conversations | turns | tokens | first prompts | continued | turns left out | differences |";
  process.stdout.write(`\nRendered by ${renderer.name}, seed ${SEED}:\n${[head, ...lines].join("\n")}\n`);
});

describe("random conversations, sampled in odd but valid spelling", () => {
  it.each(DIFFERENTIAL_FAMILIES)(
    "$name: prompts, answers and exports have no difference to the template and the engine",
    async (family) => {
      const { name, template } = family;
      const random = new Random(SEED);
      const model = await FamilyModel.write(publishedTemplate(template), publishedStops(template), {});
      const plans = Array.from({ length: CONVERSATIONS }, () => planConversation(random, family));
      const scripts = writeScripts(model, plans, renderer.renderAll, random);
      const proxy = await Proxy.start({ folder: model.folder, settings: { chatTemplateType: "concat" } });
      onTestFinished(() => proxy.close());
      expect(model.families.tools).toBe(name);
      const findings = noFindings();
      counted.push([name, findings]);
      for (const script of scripts) await runScript(proxy, model, script, random, findings);
      expect(findings.differences.slice(0, 5)).toEqual([]);
      expect(findings.turns).toBeGreaterThan(0);
    },
    3_600_000,
  );

  it("covers every family of calls, or says why not", () => {
    const calls = FAMILIES.filter((family) => "calls" in family).map((family): string => family.name);
    const known = [...DIFFERENTIAL_FAMILIES.map(({ name }) => name), ...Object.keys(LEFT_OUT)];
    expect([...calls].sort()).toEqual(known.sort());
  });
});
