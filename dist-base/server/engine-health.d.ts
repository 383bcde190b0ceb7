import type { Engine } from "../engine/engine.js";
/** The engine works, or the reason why it does not. */
export type HealthResult = {
    readonly ok: true;
} | {
    readonly ok: false;
    readonly message: string;
};
/** Health of the engine for probes. However many probes ask, the engine is checked once a second at most. */
export declare class EngineHealth {
    #private;
    constructor(engine: Engine);
    check(): Promise<HealthResult>;
}
