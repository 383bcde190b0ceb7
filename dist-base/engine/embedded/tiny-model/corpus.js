/** The text on which the tiny tokenizer is trained: words that occur in prompts of agents. */
export const CORPUS = `You are a helpful assistant. Answer the question of the user in one short sentence.
The quick brown fox jumps over the lazy dog, and then it stops. What is the weather in Paris today? It is sunny.
user assistant system tool function arguments name content type object string number properties required description
{"name": "get_weather", "arguments": {"city": "Paris", "unit": "celsius"}}
{"type": "function", "function": {"name": "search", "description": "Search the web", "parameters": {"type": "object"}}}
<tool_call>
{"name": "search", "arguments": {"query": "model context protocol"}}
</tool_call>
<tool_response>
the result of the call
</tool_response>
<think>
I have to add the numbers first, then compare the sum with the total.
</think>
Question: how many apples are there? Think step by step and give the final answer. The answer is 42.
def main(): return value; const x = 1; let y = await fetch(url); for (let i = 0; i < n; i++) console.log(i);
The model returned a result and then it stopped. The agent calls the tool, reads the output, and writes the next message.
A reward is given at the end of the episode. Each turn of the conversation is stored with its tokens and probabilities.
hello world, thanks for the help! please try again. that was right, this is wrong. yes or no. more or less. first and last.
When the session ends, the trainer reads the batch. One step after another the policy becomes better at the task.
`;
//# sourceMappingURL=corpus.js.map