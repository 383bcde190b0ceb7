/**
 * Control bodies that AReaL's `OpenAIProxyClient` sends. Optional fields are sent as null, and later releases send
 * fields that only AReaL's own server needs.
 */
export interface ArealBodies {
  readonly start: object;
  readonly reward: object;
  readonly rewardOf: (interactionId: string) => object;
  readonly exported: (sessionId: string) => object;
}

const reward = { interaction_id: null, reward: 0.5 };
const rewardOf = (interaction_id: string) => ({ interaction_id, reward: 1 });

/** The client of May 2026 (4aef98d). */
const first: ArealBodies = {
  start: { task_id: "7", api_key: null },
  reward,
  rewardOf,
  exported: (session_id) => ({ session_id, discount: 1, style: "individual" }),
};

/**
 * Later versions of the client, which share the work of image processors in a group and drop the orphans of retries.
 */
const later: ArealBodies = {
  start: { task_id: "7", api_key: null, processor_cache_group_id: "group-1", processor_cache_group_size: 4 },
  reward,
  rewardOf,
  exported: (session_id) => ({
    ...first.exported(session_id),
    drop_retry_orphans: false,
    supports_shared_tensor_references: true,
  }),
};

export const AREAL_BODIES: readonly (readonly [name: string, bodies: ArealBodies])[] = [
  ["May 2026", first],
  ["later", later],
];

/** Bodies without fields: grant_capacity sends no body, and end_session sends `{}`. */
export const AREAL_EMPTY: readonly { readonly headers?: Record<string, string>; readonly body?: string }[] = [
  {},
  { headers: { "content-type": "application/octet-stream" } },
  { headers: { "content-type": "application/json" } },
  { headers: { "content-type": "application/json" }, body: "{}" },
  { headers: { "content-type": "application/json" }, body: '{"slots": null}' },
];
