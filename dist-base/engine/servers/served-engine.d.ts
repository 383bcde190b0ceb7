import type { Engine, EngineSupport, GenerateCall, GenerateResult, ServerControl } from "../engine.js";
import type { EngineServer } from "./engine-server.js";
import { type ServerOptions } from "./server-options.js";
/** Properties that all servers of a type share. */
export interface ServedEngineType {
    readonly type: string;
    readonly supports: EngineSupport;
    readonly effectiveTemperature: (temperature: number) => number;
}
/** An engine that consists of servers of one type. */
export declare class ServedEngine implements Engine {
    #private;
    readonly type: string;
    readonly supports: EngineSupport;
    readonly servers: ServerControl;
    readonly effectiveTemperature: (temperature: number) => number;
    /** @throws RangeError if an option is out of range, TypeError if an address is not a URL. */
    constructor({ type, supports, effectiveTemperature }: ServedEngineType, options: ServerOptions, makeServer: (url: string) => EngineServer);
    /** Returns the shortest context length of all servers. They are asked once, and again if one did not answer. */
    contextLength(): Promise<number>;
    generate(call: GenerateCall): Promise<GenerateResult>;
    health(signal?: AbortSignal): Promise<void>;
    close(): Promise<void>;
}
