import { z } from "zod";
/**
 * The calls between rollout workers and their controller, all with the admin key.
 *
 * A worker registers, asks for leases, announces the session of every episode before its agent runs, prolongs its leases, and reports
 * results. `updates` does in one call what a worker of many short episodes would need several for. Each call may be repeated.
 */
export declare const LEASE_PATHS: {
    readonly workers: "/rollout/workers";
    readonly leases: "/rollout/leases";
    readonly sessions: "/rollout/sessions";
    readonly heartbeats: "/rollout/heartbeats";
    readonly reports: "/rollout/reports";
    readonly updates: "/rollout/updates";
    readonly returns: "/rollout/returns";
    readonly status: "/rollout/status";
};
/** Maximum seconds that a call for leases waits. */
export declare const MAX_WAIT_SECONDS = 60;
/** Maximum number of entries of one call. */
export declare const MAX_ENTRIES = 4096;
export declare const workerFields: {
    readonly worker_id: z.ZodString;
    readonly name: z.ZodString;
};
/** Settings that a worker needs to run tasks of the job. */
export declare const workerReply: z.ZodObject<{
    job_id: z.ZodString;
    proxy_url: z.ZodString;
    lease_seconds: z.ZodNumber;
    workflow: z.ZodObject<{
        group_size: z.ZodInt;
        drop_incomplete_group: z.ZodBoolean;
        reward_scope: z.ZodEnum<{
            interaction: "interaction";
            session: "session";
        }>;
        timeout_seconds: z.ZodNullable<z.ZodNumber>;
        rejected_sessions: z.ZodDefault<z.ZodEnum<{
            delete: "delete";
            keep: "keep";
        }>>;
    }, z.core.$strip>;
}, z.core.$strip>;
export type JobSettings = z.output<typeof workerReply>;
export declare const leasesFields: {
    readonly worker_id: z.ZodString;
    readonly count: z.ZodInt;
    readonly max_held: z.ZodOptional<z.ZodInt>;
    readonly held: z.ZodOptional<z.ZodArray<z.ZodString>>;
    readonly wait_seconds: z.ZodDefault<z.ZodNumber>;
};
export declare const leasesReply: z.ZodObject<{
    state: z.ZodEnum<{
        done: "done";
        running: "running";
    }>;
    leases: z.ZodArray<z.ZodObject<{
        lease_id: z.ZodString;
        task: z.ZodInt;
        attempt: z.ZodInt;
        task_id: z.ZodString;
        group_id: z.ZodString;
        data: z.ZodUnknown;
    }, z.core.$strip>>;
}, z.core.$strip>;
export type Leases = z.output<typeof leasesReply>;
export type LeasedTask = Leases["leases"][number];
declare const wireSessions: z.ZodArray<z.ZodObject<{
    lease_id: z.ZodString;
    session_id: z.ZodString;
}, z.core.$strict>>;
export type WireSession = z.output<typeof wireSessions>[number];
export declare const sessionsFields: {
    readonly sessions: z.ZodArray<z.ZodObject<{
        lease_id: z.ZodString;
        session_id: z.ZodString;
    }, z.core.$strict>>;
};
export declare const heartbeatFields: {
    readonly worker_id: z.ZodString;
    readonly lease_ids: z.ZodArray<z.ZodString>;
};
/** Leases that are not held any more. The worker stops their episodes and deletes their sessions. */
export declare const lostReply: z.ZodObject<{
    lost: z.ZodArray<z.ZodString>;
}, z.core.$strip>;
export declare const wireRejection: z.ZodObject<{
    session_id: z.ZodNullable<z.ZodString>;
    group_id: z.ZodNullable<z.ZodString>;
    code: z.ZodString;
    message: z.ZodString;
    error: z.ZodNullable<z.ZodObject<{
        class: z.ZodString;
        message: z.ZodString;
        code: z.ZodNullable<z.ZodString>;
        stack: z.ZodNullable<z.ZodString>;
        cause: z.ZodNullable<z.ZodString>;
        standard_error: z.ZodNullable<z.ZodString>;
        subprocess: z.ZodBoolean;
    }, z.core.$strict>>;
}, z.core.$strict>;
export declare const wireAccepted: z.ZodObject<{
    session_id: z.ZodString;
    url: z.ZodString;
    group_id: z.ZodNullable<z.ZodString>;
    interaction_count: z.ZodInt;
    rewards: z.ZodArray<z.ZodTuple<[z.ZodString, z.ZodNumber], null>>;
}, z.core.$strict>;
export declare const wireResult: z.ZodObject<{
    accepted: z.ZodArray<z.ZodObject<{
        session_id: z.ZodString;
        url: z.ZodString;
        group_id: z.ZodNullable<z.ZodString>;
        interaction_count: z.ZodInt;
        rewards: z.ZodArray<z.ZodTuple<[z.ZodString, z.ZodNumber], null>>;
    }, z.core.$strict>>;
    rejected: z.ZodArray<z.ZodObject<{
        session_id: z.ZodNullable<z.ZodString>;
        group_id: z.ZodNullable<z.ZodString>;
        code: z.ZodString;
        message: z.ZodString;
        error: z.ZodNullable<z.ZodObject<{
            class: z.ZodString;
            message: z.ZodString;
            code: z.ZodNullable<z.ZodString>;
            stack: z.ZodNullable<z.ZodString>;
            cause: z.ZodNullable<z.ZodString>;
            standard_error: z.ZodNullable<z.ZodString>;
            subprocess: z.ZodBoolean;
        }, z.core.$strict>>;
    }, z.core.$strict>>;
}, z.core.$strict>;
export type WireResult = z.output<typeof wireResult>;
declare const wireReports: z.ZodArray<z.ZodObject<{
    lease_id: z.ZodString;
    task: z.ZodInt;
    attempt: z.ZodInt;
    result: z.ZodObject<{
        accepted: z.ZodArray<z.ZodObject<{
            session_id: z.ZodString;
            url: z.ZodString;
            group_id: z.ZodNullable<z.ZodString>;
            interaction_count: z.ZodInt;
            rewards: z.ZodArray<z.ZodTuple<[z.ZodString, z.ZodNumber], null>>;
        }, z.core.$strict>>;
        rejected: z.ZodArray<z.ZodObject<{
            session_id: z.ZodNullable<z.ZodString>;
            group_id: z.ZodNullable<z.ZodString>;
            code: z.ZodString;
            message: z.ZodString;
            error: z.ZodNullable<z.ZodObject<{
                class: z.ZodString;
                message: z.ZodString;
                code: z.ZodNullable<z.ZodString>;
                stack: z.ZodNullable<z.ZodString>;
                cause: z.ZodNullable<z.ZodString>;
                standard_error: z.ZodNullable<z.ZodString>;
                subprocess: z.ZodBoolean;
            }, z.core.$strict>>;
        }, z.core.$strict>>;
    }, z.core.$strict>;
}, z.core.$strict>>;
export type WireReport = z.output<typeof wireReports>[number];
export declare const reportsFields: {
    readonly reports: z.ZodArray<z.ZodObject<{
        lease_id: z.ZodString;
        task: z.ZodInt;
        attempt: z.ZodInt;
        result: z.ZodObject<{
            accepted: z.ZodArray<z.ZodObject<{
                session_id: z.ZodString;
                url: z.ZodString;
                group_id: z.ZodNullable<z.ZodString>;
                interaction_count: z.ZodInt;
                rewards: z.ZodArray<z.ZodTuple<[z.ZodString, z.ZodNumber], null>>;
            }, z.core.$strict>>;
            rejected: z.ZodArray<z.ZodObject<{
                session_id: z.ZodNullable<z.ZodString>;
                group_id: z.ZodNullable<z.ZodString>;
                code: z.ZodString;
                message: z.ZodString;
                error: z.ZodNullable<z.ZodObject<{
                    class: z.ZodString;
                    message: z.ZodString;
                    code: z.ZodNullable<z.ZodString>;
                    stack: z.ZodNullable<z.ZodString>;
                    cause: z.ZodNullable<z.ZodString>;
                    standard_error: z.ZodNullable<z.ZodString>;
                    subprocess: z.ZodBoolean;
                }, z.core.$strict>>;
            }, z.core.$strict>>;
        }, z.core.$strict>;
    }, z.core.$strict>>;
};
/** Reports that do not count. The worker deletes their sessions. */
export declare const reportsReply: z.ZodObject<{
    refused: z.ZodArray<z.ZodString>;
}, z.core.$strip>;
export declare const updatesFields: {
    readonly worker_id: z.ZodString;
    readonly sessions: z.ZodDefault<z.ZodArray<z.ZodObject<{
        lease_id: z.ZodString;
        session_id: z.ZodString;
    }, z.core.$strict>>>;
    readonly reports: z.ZodDefault<z.ZodArray<z.ZodObject<{
        lease_id: z.ZodString;
        task: z.ZodInt;
        attempt: z.ZodInt;
        result: z.ZodObject<{
            accepted: z.ZodArray<z.ZodObject<{
                session_id: z.ZodString;
                url: z.ZodString;
                group_id: z.ZodNullable<z.ZodString>;
                interaction_count: z.ZodInt;
                rewards: z.ZodArray<z.ZodTuple<[z.ZodString, z.ZodNumber], null>>;
            }, z.core.$strict>>;
            rejected: z.ZodArray<z.ZodObject<{
                session_id: z.ZodNullable<z.ZodString>;
                group_id: z.ZodNullable<z.ZodString>;
                code: z.ZodString;
                message: z.ZodString;
                error: z.ZodNullable<z.ZodObject<{
                    class: z.ZodString;
                    message: z.ZodString;
                    code: z.ZodNullable<z.ZodString>;
                    stack: z.ZodNullable<z.ZodString>;
                    cause: z.ZodNullable<z.ZodString>;
                    standard_error: z.ZodNullable<z.ZodString>;
                    subprocess: z.ZodBoolean;
                }, z.core.$strict>>;
            }, z.core.$strict>>;
        }, z.core.$strict>;
    }, z.core.$strict>>>;
    readonly max_held: z.ZodOptional<z.ZodInt>;
    readonly held: z.ZodOptional<z.ZodArray<z.ZodString>>;
};
export declare const updatesReply: z.ZodObject<{
    lost: z.ZodArray<z.ZodString>;
    refused: z.ZodArray<z.ZodString>;
    undecided: z.ZodArray<z.ZodString>;
    leases: z.ZodArray<z.ZodObject<{
        lease_id: z.ZodString;
        task: z.ZodInt;
        attempt: z.ZodInt;
        task_id: z.ZodString;
        group_id: z.ZodString;
        data: z.ZodUnknown;
    }, z.core.$strip>>;
}, z.core.$strip>;
export type Updates = z.output<typeof updatesReply>;
export declare const returnsFields: {
    readonly worker_id: z.ZodString;
    readonly lease_ids: z.ZodArray<z.ZodString>;
};
export declare const returnsReply: z.ZodObject<{
    returned: z.ZodInt;
}, z.core.$strip>;
export declare const statusReply: z.ZodObject<{
    job_id: z.ZodString;
    state: z.ZodEnum<{
        done: "done";
        running: "running";
    }>;
    version: z.ZodInt;
    tasks: z.ZodObject<{
        submitted: z.ZodInt;
        waiting: z.ZodInt;
        queued: z.ZodInt;
        leased: z.ZodInt;
        accepted: z.ZodInt;
        rejected: z.ZodInt;
    }, z.core.$strip>;
    lost_attempts: z.ZodInt;
    refused_reports: z.ZodInt;
    sessions_to_delete: z.ZodInt;
    workers: z.ZodArray<z.ZodObject<{
        name: z.ZodString;
        worker_id: z.ZodString;
        leases: z.ZodInt;
        seconds_since_call: z.ZodNumber;
    }, z.core.$strip>>;
}, z.core.$strip>;
export type RolloutStatus = z.output<typeof statusReply>;
export {};
