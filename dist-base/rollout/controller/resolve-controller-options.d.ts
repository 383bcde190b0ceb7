import type { Config } from "../../config/index.js";
import type { ConfiguredOptions, ControllerOptions } from "./controller-options.js";
/**
 * Returns the options of a controller. A configuration fills in the options that are not set.
 *
 * @throws ControllerError `invalid_option` if neither sets the number of rollouts in a batch
 */
export declare function resolveControllerOptions<Data>(input: ControllerOptions<Data> | ConfiguredOptions<Data> | Config): ControllerOptions<Data>;
