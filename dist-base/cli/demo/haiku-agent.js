const TURNS = 4;
/** An agent: a chat program, and the reward for what it made. It uses only fetch; with an SDK, turn its retries off. */
export const haikuAgent = {
    async run(subject, { base_url, api_key, http_client }) {
        const ask = async (messages) => {
            const response = await http_client(`${base_url}/v1/chat/completions`, {
                method: "POST",
                headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
                body: JSON.stringify({ model: "tiny", messages, max_tokens: 24 }),
            });
            if (!response.ok)
                throw new Error(`The model's answer is ${response.status}: ${await response.text()}`);
            const { choices } = (await response.json());
            return choices[0]?.message.content ?? "";
        };
        return scoreHaiku(await writeHaiku(ask, subject, TURNS));
    },
};
/** An ordinary chat program: it asks a model for a poem, then has it revised, and knows nothing of training. */
async function writeHaiku(ask, subject, turns) {
    const messages = [
        { role: "system", content: "You write haiku. Answer with the poem only." },
        { role: "user", content: `Write a haiku about ${subject}.` },
    ];
    const drafts = [];
    for (let turn = 1;; turn++) {
        const draft = await ask(messages);
        drafts.push(draft);
        if (turn === turns)
            return drafts;
        messages.push({ role: "assistant", content: draft }, { role: "user", content: "Say it with fewer words." });
    }
}
/** The verifier: how much shorter the last draft is than the first, in [0, 1]. */
function scoreHaiku(drafts) {
    const [first = "", last = ""] = [drafts[0], drafts.at(-1)];
    if (first.length === 0)
        return 0;
    return Math.max(0, Math.min(1, 1 - last.length / first.length));
}
//# sourceMappingURL=haiku-agent.js.map