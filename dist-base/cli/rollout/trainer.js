import { RolloutJobError } from "./errors.js";
/** Returns the environment of a trainer: this process's own, and where the proxy is. */
export function createTrainerEnvironment({ url, adminKey }, version) {
    const { env } = process;
    return { ...env, ROLLTAPE_URL: url, ROLLTAPE_ADMIN_KEY: adminKey, ROLLTAPE_VERSION: String(version) };
}
export function trainerFailed(why) {
    return new RolloutJobError("trainer_failed", `the trainer failed: ${why}`);
}
//# sourceMappingURL=trainer.js.map