import { plural } from "../../state/format.js";

interface ExpertMapProps {
  /** Ids of experts, layer after layer. */
  readonly values: readonly number[];
  /** Number of experts per layer. */
  readonly topK: number;
  /** Indices of the layers with experts; undefined if they are not known. */
  readonly layers: readonly number[] | undefined;
}

/** Degrees between the colours of neighbouring ids: the golden angle, so that no two of a few ids look alike. */
const HUE_STEP = 137.508;

/**
 * The experts of each layer. A layer is a column, and columns wrap, so the map fits any width. It has the roles of a table whose rows are
 * layers, because an HTML table cannot wrap.
 */
export function ExpertMap({ values, topK, layers }: ExpertMapProps) {
  const all = Array.from({ length: Math.floor(values.length / topK) }, (_, layer) => layer);
  const shown = layers ? all.filter((layer) => layers.includes(layer)) : all;
  const dense = all.length - shown.length;
  const ranks = Array.from({ length: topK }, (_, rank) => rank);
  return (
    <>
      <div class="experts" role="table" aria-label="Experts by layer">
        <div class="expert-layer" role="row">
          <span role="columnheader">layer</span>
          {ranks.map((rank) => (
            <span key={rank} role="columnheader">
              {rank + 1}.
            </span>
          ))}
        </div>
        {shown.map((layer) => (
          <div key={layer} class="expert-layer" role="row">
            <span role="rowheader">{layer}</span>
            {ranks.map((rank) => (
              <Expert key={rank} id={values[layer * topK + rank] ?? 0} layer={layer} rank={rank} />
            ))}
          </div>
        ))}
      </div>
      {dense > 0 && <p class="quiet">Not shown: {plural(dense, "layer")} without experts.</p>}
    </>
  );
}

interface ExpertProps {
  readonly id: number;
  readonly layer: number;
  readonly rank: number;
}

function Expert({ id, layer, rank }: ExpertProps) {
  const style = { "--hue": String(Math.round((id * HUE_STEP) % 360)) };
  return (
    <span role="cell" class="expert" style={style} title={`Layer ${layer}, expert ${rank + 1} of the token: ${id}`}>
      {id}
    </span>
  );
}
