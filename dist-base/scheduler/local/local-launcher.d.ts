import type { LaunchedProcess, Launcher, Place, ProcessPlan } from "../launcher.js";
/** Starts every process on this machine. */
export declare class LocalLauncher implements Launcher {
    #private;
    place(): Place;
    launch({ role, index, command, env, output, errors }: ProcessPlan): Promise<LaunchedProcess>;
}
