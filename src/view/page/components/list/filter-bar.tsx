import { useMemo, useState } from "preact/hooks";
import { countValues } from "../../state/aggregate.js";
import {
  RANGE_FIELDS,
  RANGE_KEYS,
  type RangeKey,
  VALUE_FIELDS,
  VALUE_KEYS,
  type ValueKey,
} from "../../state/fields.js";
import { type Filters, NO_FILTERS, withRange, withText, withValue } from "../../state/filters.js";
import { formatRange, type Range } from "../../state/range.js";
import type { Route } from "../../state/route.js";
import type { Store } from "../../state/store.js";
import { InertText } from "../inert-text.js";

interface FilterBarProps {
  readonly store: Store;
  readonly route: Extract<Route, { view: "episodes" }>;
}

/** Maximum number of values that a filter suggests. */
const SUGGESTED = 200;

export function FilterBar({ store, route }: FilterBarProps) {
  const set = (filters: Filters): void => store.navigate({ ...route, filters });
  const { filters } = route;
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="filters">
      <details class="filter-panel" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="button">Filters</summary>
        {isOpen && (
          <div class="filter-fields">
            {VALUE_KEYS.map((key) => (
              <ValueFilter key={key} field={key} store={store} filters={filters} onChange={set} />
            ))}
            {RANGE_KEYS.filter((key) => key !== "started").map((key) => (
              <RangeFilter
                key={key}
                label={RANGE_FIELDS[key].label}
                range={filters.ranges[key]}
                onChange={(range) => set(withRange(filters, key, range))}
              />
            ))}
          </div>
        )}
      </details>
      <Chips filters={filters} onChange={set} />
    </div>
  );
}

interface ChipsProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

/** The active filters, each with a button that removes it. */
function Chips({ filters, onChange }: ChipsProps) {
  const chips = [
    ...(filters.text ? [{ label: "Text", value: filters.text, without: withText(filters, "") }] : []),
    ...Object.entries(filters.values).map(([key, value]) => ({
      label: VALUE_FIELDS[key as ValueKey].label,
      value,
      without: withValue(filters, key as ValueKey, undefined),
    })),
    ...Object.entries(filters.ranges).map(([key, range]) => ({
      label: RANGE_FIELDS[key as RangeKey].label,
      value: formatRange(range),
      without: withRange(filters, key as RangeKey, undefined),
    })),
  ];
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters that are set">
      {chips.map(({ label, value, without }) => (
        <li key={label}>
          <button type="button" class="chip" onClick={() => onChange(without)}>
            <span class="quiet">{label}</span> <InertText text={value} />
            <span aria-hidden="true"> ×</span>
            <span class="visually-hidden">, remove this filter</span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" class="chip clear" onClick={() => onChange(NO_FILTERS)}>
          Remove all
        </button>
      </li>
    </ul>
  );
}

interface ValueFilterProps extends ChipsProps {
  readonly field: ValueKey;
  readonly store: Store;
}

function ValueFilter({ field, store, filters, onChange }: ValueFilterProps) {
  const { label, read } = VALUE_FIELDS[field];
  const episodes = store.data.value?.episodes ?? [];
  const values = useMemo(() => countValues(episodes, read).slice(0, SUGGESTED), [episodes]);
  return (
    <label class="field">
      {label}
      <input
        list={`values-${field}`}
        value={filters.values[field] ?? ""}
        placeholder="any"
        onChange={(event) => onChange(withValue(filters, field, event.currentTarget.value || undefined))}
      />
      <datalist id={`values-${field}`}>
        {values.map(([value, count]) => (
          <option key={value} value={value}>
            {count}
          </option>
        ))}
      </datalist>
    </label>
  );
}

interface RangeFilterProps {
  readonly label: string;
  readonly range: Range | undefined;
  readonly onChange: (range: Range | undefined) => void;
}

/** Two numbers. An empty field means no bound. */
function RangeFilter({ label, range, onChange }: RangeFilterProps) {
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
