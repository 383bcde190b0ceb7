import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { pino } from "pino";
import { parseConfig } from "../../config/index.js";
import { connectProxy } from "../../rollout/connect.js";
import { resolveWorkflow } from "../../rollout/resolve-workflow.js";
import { startServer } from "../../server/start.js";
import { describeDemo } from "./demo-report.js";
import { haikuAgent } from "./haiku-agent.js";
const SUBJECTS = [
    "rain",
    "a frog",
    "the moon",
    "old roads",
    "a kettle",
    "snow",
    "crows",
    "the sea",
    "moss",
    "a clock",
    "ash",
    "dew",
];
const DISCOUNT = 0.9;
/**
 * Runs the main job from end to end, using the library as a program would: start a proxy with the tiny model, run an agent on
 * each subject, export one discounted batch to `file`. Returns the text that describes the batch.
 */
export async function runDemo(file, showProgress) {
    const started = performance.now();
    const adminKey = `sk-admin-${randomBytes(24).toString("base64url")}`;
    const config = parseConfig({ server: { port: 0 }, rollout: { agent: { chat_template_type: "concat" } } });
    const server = await startServer(config, { adminKey, logger: pino({ level: "warn" }, pino.destination(2)) });
    const proxy = connectProxy({ url: server.url, adminKey });
    try {
        const episodes = await runEpisodes(proxy, showProgress);
        const sessionIds = episodes.map(({ sessionId }) => sessionId);
        const batch = await proxy.admin.exportBatch(sessionIds, { discount: DISCOUNT, pad_to_multiple_of: 8 });
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, batch);
        const rewards = episodes.map(({ reward }) => reward);
        return describeDemo({ batch, file, rewards, discount: DISCOUNT, seconds: (performance.now() - started) / 1000 });
    }
    finally {
        await proxy.close();
        await server.close();
    }
}
/** Runs as many episodes at once as there are cores, and returns them in the order of the subjects. */
async function runEpisodes(proxy, showProgress) {
    const workflow = await resolveWorkflow(haikuAgent);
    const episodes = [];
    const queue = SUBJECTS.entries();
    const worker = async () => {
        for (const [index, subject] of queue) {
            // Its session keeps its data for the batch.
            const options = { taskId: "haiku", export: "deferred" };
            const { accepted, rejected } = await workflow.arunEpisode(proxy, subject, options);
            for (const { reason } of rejected)
                throw reason;
            for (const { sessionId, rewards } of accepted)
                episodes[index] = { sessionId, reward: [...rewards.values()].at(-1) ?? 0 };
            showProgress(describeProgress(Object.values(episodes)));
        }
    };
    await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
    return episodes;
}
/** @param done The episodes that have ended. */
function describeProgress(done) {
    const mean = done.reduce((sum, { reward }) => sum + reward, 0) / done.length;
    return `episodes ${done.length}/${SUBJECTS.length}  reward mean ${mean.toFixed(3)}`;
}
//# sourceMappingURL=run-demo.js.map