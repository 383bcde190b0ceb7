/*
 * An agent that goes on after a crash: its environment is a counter with one tool, and its state follows from the messages.
 *
 *   npx rolltape rollout --agent examples/resume/agent.ts#agent --data tasks.jsonl --out out/batch.safetensors --workers 2
 */
import OpenAI from "openai";
import type { Agent, AgentContext } from "rolltape";

interface Task {
  readonly goal: number;
  readonly turns: number;
}

type Messages = OpenAI.ChatCompletionMessageParam[];

export const agent: Agent<Task> = {
  run: (task, context) => play(task, [{ role: "user", content: `Count to ${task.goal}.` }], context),
  resume: (task, { messages }, context) => {
    const played = messages as Messages;
    // The newest message is the model's answer. What the tool said to it was lost with the process.
    return play(task, [...played, toolResult(task, played)], context);
  },
};

/** Plays the turns that are left. Returns the share of the goal that was reached. */
async function play(task: Task, messages: Messages, context: AgentContext): Promise<number> {
  const { base_url, api_key, http_client, signal } = context;
  const client = new OpenAI({ baseURL: base_url, apiKey: api_key, fetch: http_client, maxRetries: 0 });
  while (countTurns(messages) < task.turns) {
    const completion = await client.chat.completions.create({ model: "any", messages, max_tokens: 8 }, { signal });
    messages.push({ role: "assistant", content: completion.choices[0]?.message.content ?? "" });
    messages.push(toolResult(task, messages));
  }
  return countLetters(messages) / task.goal;
}

/** The tool: counts the letters that the model has written so far. */
function toolResult(task: Task, messages: Messages): Messages[number] {
  return { role: "user", content: `${countLetters(messages)} of ${task.goal}` };
}

function countTurns(messages: Messages): number {
  return messages.filter(({ role }) => role === "assistant").length;
}

function countLetters(messages: Messages): number {
  const written = messages.flatMap(({ role, content }) =>
    role === "assistant" && typeof content === "string" ? content : [],
  );
  return written.join("").replace(/[^a-z]/gi, "").length;
}
