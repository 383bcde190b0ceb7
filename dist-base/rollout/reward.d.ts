/** The reward that an agent returned: one number, or one reward per interaction id. */
export type ReturnedReward = {
    readonly number: number;
} | {
    readonly byId: ReadonlyMap<string, number>;
};
/**
 * Validates an agent's return value.
 *
 * @throws Rejection `invalid_reward` if it is not a reward
 */
export declare function readReward(value: unknown): ReturnedReward;
