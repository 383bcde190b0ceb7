// An example: rewards answers that contain the expected text. Replace it by your agent.
export const agent = {
  async run({ question, answer }, { base_url, api_key, http_client, signal }) {
    const reply = await http_client(`${base_url}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "any", max_tokens: 64, messages: [{ role: "user", content: question }] }),
      signal,
    });
    if (!reply.ok) throw new Error(`the model call failed with status ${reply.status}: ${await reply.text()}`);
    const { choices } = await reply.json();
    return choices[0].message.content.includes(answer) ? 1 : 0;
  },
};
