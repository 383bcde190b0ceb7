/** The JSON response of /export_trajectories. */
export interface WireTensor {
  readonly type: "tensor";
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: string;
}

export interface WireInteraction {
  readonly interaction_id: string;
  readonly parent_id: string | null;
  readonly compacted_from: string | null;
  readonly token_exact: boolean;
  readonly cause: string | null;
  readonly reward: number;
  readonly own_reward: number | null;
  readonly api: string;
  readonly created_at: number;
  readonly finish_reason: string;
  readonly agent_id: string | null;
  readonly parent_agent_id: string | null;
  readonly turn_id: string | null;
  readonly request_kind: string | null;
  readonly tensor_dict: Readonly<Record<string, WireTensor>>;
  readonly messages?: readonly object[];
  readonly output_message_list?: readonly object[];
}

export interface WireExport {
  readonly session_id: string;
  readonly task_id: string;
  readonly group_id: string | null;
  readonly style: string;
  readonly discount: number;
  readonly rewards_missing: boolean;
  readonly incomplete_calls: number;
  readonly aborted_calls: number;
  readonly interactions: Readonly<Record<string, WireInteraction>>;
}

/** Decodes the numbers of an interaction's tensor. */
export function numbers({ tensor_dict }: WireInteraction, name: string): number[] {
  const tensor = tensor_dict[name];
  if (!tensor) throw new Error(`no tensor ${name}`);
  const bytes = new Uint8Array(Buffer.from(tensor.data, "base64"));
  if (tensor.dtype === "torch.bool") return [...bytes];
  return tensor.dtype === "torch.float32" ? [...new Float32Array(bytes.buffer)] : [...new Int32Array(bytes.buffer)];
}
