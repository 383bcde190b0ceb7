import { type Config, type Starter, TEMPLATE_TYPE } from "../config/index.js";
import type { ChatModel, ContinuationFallback } from "../model/chat-model.js";

/** How a server makes prompts, and who decided it. */
export interface TemplateType {
  readonly value: "hf" | "concat";
  /** The program that started the server and chose the value. Undefined: the configuration. */
  readonly chosenBy: Starter | undefined;
  /** Why the chosen value is not `concat`. */
  readonly problem?: ContinuationFallback | undefined;
}

/**
 * Chooses the value of `rollout.agent.chat_template_type`: that of the configuration, or `concat` if a program starts the server for a
 * user who configured none. If the model's template does not let turns be continued, `hf` makes the same prompts, and says so.
 *
 * @param startedBy undefined if the configuration has a value
 */
export function chooseTemplateType(
  { rollout }: Config,
  model: Pick<ChatModel, "continuationProblem">,
  startedBy: Starter | undefined,
): TemplateType {
  if (startedBy === undefined) return { value: rollout.agent.chat_template_type, chosenBy: undefined };
  const problem = model.continuationProblem();
  return { value: problem === undefined ? "concat" : "hf", chosenBy: startedBy, problem };
}

/** Returns the configuration with the chosen value. */
export function withTemplateType(config: Config, { value }: TemplateType): Config {
  const { rollout } = config;
  return { ...config, rollout: { ...rollout, agent: { ...rollout.agent, chat_template_type: value } } };
}

/** Returns a text with the value that was chosen and the reason; undefined if the configuration has the value. */
export function describeTemplateType({ value, chosenBy, problem }: TemplateType): string | undefined {
  if (chosenBy === undefined) return undefined;
  const choice = `${TEMPLATE_TYPE} is \`${value}\`, because nothing else is configured`;
  return problem === undefined
    ? `${choice}: prompts continue recorded tokens exactly`
    : `${choice} and the chat template does not allow \`concat\` (${problem})`;
}
