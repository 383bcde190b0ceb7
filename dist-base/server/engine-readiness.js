import { openServers } from "./open-engine.js";
/** A machine that cannot be reached may never answer, not even with an error. */
const READINESS_SECONDS = 5;
/** Asks the servers of an engine whether they can serve calls. The embedded engine has no servers, and so no problems. */
export async function engineReadiness({ servers }, config) {
    const answers = (await servers?.readiness(AbortSignal.timeout(READINESS_SECONDS * 1000))) ?? [];
    const problems = [];
    const warnings = [];
    for (const { url, problem } of answers) {
        if (!problem)
            continue;
        const list = problem.about === "unanswered" ? warnings : problems;
        list.push(describeProblem(url, problem, config));
    }
    return { problems, warnings, none: problems.length > 0 && problems.length === answers.length };
}
function describeProblem(url, problem, { engine }) {
    const { origin } = new URL(url);
    const message = problem.about === "unanswered"
        ? `The engine did not report its model within ${READINESS_SECONDS} s. It may be busy with a long prompt.`
        : problem.message;
    return { key: findConfigKey(problem, engine), message: message.includes(origin) ? message : `${origin}: ${message}` };
}
/** Returns the configuration key that the user must correct. */
function findConfigKey({ about }, engine) {
    if (about === "key")
        return "engine.api_key";
    return about === "model" && engine.served_model !== null ? "engine.served_model" : "engine.urls";
}
/** Asks the engine servers of a configuration, without starting a proxy. The embedded engine has no problems. */
export async function configuredReadiness(config) {
    const engine = openServers(config);
    if (!engine)
        return { problems: [], warnings: [], none: false };
    try {
        return await engineReadiness(engine, config);
    }
    finally {
        await engine.close();
    }
}
//# sourceMappingURL=engine-readiness.js.map