import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { loadChatModel } from "../../src/model/load-chat-model.js";
import { chooseTemplateType, describeTemplateType, withTemplateType } from "../../src/server/template-type.js";
import { publishedStops } from "../model/continuation/published-stops.js";
import { loadableModels, publishedTemplate } from "../model/support/golden.js";
import { writeModelFolder } from "../model/support/model-folder.js";

const load = (name: string) => loadChatModel(writeModelFolder(publishedTemplate(name), publishedStops(name)));
const NEMO = "mistralai-Mistral-Nemo-Instruct-2407";

describe("the template type of a server", () => {
  it("is that of the configuration without a program that chooses it", async () => {
    const model = await load("Qwen-Qwen3-0.6B");
    const choice = chooseTemplateType(parseConfig({}), model, undefined);
    expect(choice).toEqual({ value: "hf", chosenBy: undefined });
    expect(describeTemplateType(choice)).toBeUndefined();
  });

  it("is concat if a program chooses it", async () => {
    const choice = chooseTemplateType(parseConfig({}), await load("Qwen-Qwen3-0.6B"), "rollout");
    expect(choice).toEqual({ value: "concat", chosenBy: "rollout", problem: undefined });
    expect(withTemplateType(parseConfig({}), choice).rollout.agent.chat_template_type).toBe("concat");
    expect(describeTemplateType(choice)).toBe(
      "rollout.agent.chat_template_type is `concat`, because nothing else is configured: prompts continue recorded tokens exactly",
    );
  });

  it("is hf if the template does not let turns be continued, and says so", async () => {
    const choice = chooseTemplateType(parseConfig({}), await load(NEMO), "python");
    expect(choice).toEqual({ value: "hf", chosenBy: "python", problem: "template_moves_context" });
    expect(describeTemplateType(choice)).toBe(
      "rollout.agent.chat_template_type is `hf`, because nothing else is configured and the chat template does not allow " +
        "`concat` (template_moves_context)",
    );
  });

  it("is concat with most published templates", async () => {
    const problems = await Promise.all(
      loadableModels.map(async (name) => [name, (await load(name)).continuationProblem()] as const),
    );
    expect(problems.filter(([, problem]) => problem !== undefined)).toEqual([
      ["CohereForAI-c4ai-command-r-plus-tool_use", "no_end_of_turn"],
      ["deepseek-ai-DeepSeek-R1-Distill-Llama-8B", "no_end_of_turn"],
      ["llama-cpp-rwkv-world", "no_end_of_turn"],
      [NEMO, "template_moves_context"],
    ]);
  });
});
