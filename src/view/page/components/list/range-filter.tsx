import type { Range } from "../../state/range.js";

interface RangeFilterProps {
  readonly label: string;
  readonly range: Range | undefined;
  readonly onChange: (range: Range | undefined) => void;
}

/** Two numbers. An empty field means no bound. */
export function RangeFilter({ label, range, onChange }: RangeFilterProps) {
  const low = range?.low ?? -Infinity;
  const high = range?.high ?? Infinity;
  const change = (next: { low?: number; high?: number }): void => {
    const changed = { low, high, ...(next.high === undefined && range?.open && { open: true }), ...next };
    onChange(changed.low === -Infinity && changed.high === Infinity ? undefined : changed);
  };
  return (
    <fieldset class="field range">
      <legend>{label}</legend>
      <Bound name={`${label}, lowest`} value={low} none={-Infinity} onChange={(value) => change({ low: value })} />
      <span aria-hidden="true">–</span>
      <Bound name={`${label}, highest`} value={high} none={Infinity} onChange={(value) => change({ high: value })} />
    </fieldset>
  );
}

interface BoundProps {
  readonly name: string;
  readonly value: number;
  readonly none: number;
  readonly onChange: (value: number) => void;
}

function Bound({ name, value, none, onChange }: BoundProps) {
  return (
    <input
      type="number"
      step="any"
      aria-label={name}
      value={value === none ? "" : value}
      onChange={({ currentTarget: { value: text } }) => onChange(text === "" ? none : Number(text))}
    />
  );
}
