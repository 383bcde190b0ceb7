/**
 * Rewards the members of a group with `data.rewards`, in the order in which they run. `data.limit` limits the tokens of the answer. With
 * seed 1, the tiny model reaches the limit.
 */
const started = new Map();

export const agent = {
  async run({ rewards, limit }, { base_url, api_key, task_id }) {
    const member = started.get(task_id) ?? 0;
    started.set(task_id, member + 1);
    const response = await fetch(`${base_url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body: JSON.stringify({
        messages: [{ role: "user", content: "?" }],
        ...(limit && { max_tokens: limit, seed: 1 }),
      }),
    });
    if (!response.ok) throw new Error(await response.text());
    return rewards[member % rewards.length];
  },
};
