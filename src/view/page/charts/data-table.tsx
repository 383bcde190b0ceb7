import { useState } from "preact/hooks";
import { InertText } from "../components/inert-text.js";

interface DataTableProps {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly { readonly link: string; readonly cells: readonly string[] }[];
}

/** The numbers of a chart as a table, for screen readers among others. It is rendered when opened. */
export function DataTable({ caption, head, rows }: DataTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="data-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Table</summary>
      {isOpen && (
        <div class="scroll-box" tabIndex={0} role="region" aria-label={`Table: ${caption}`}>
          <table>
            <caption class="visually-hidden">
              <InertText text={caption} />
            </caption>
            <thead>
              <tr>
                {head.map((label) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ link, cells }) => (
                <tr key={link}>
                  {cells.map((cell, at) =>
                    at === 0 ? (
                      <th key={at} scope="row">
                        <a href={link}>{cell}</a>
                      </th>
                    ) : (
                      <td key={at}>{cell}</td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
