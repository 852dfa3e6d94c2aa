/** The machines of a run, by the states and edges that it travelled. */
import { useMemo } from 'preact/hooks';
import type { WireDiagram } from '../../src/inspector/course-data.ts';
import { heads } from './api.ts';
import { Drawing } from './drawing.tsx';
import { count, useRead, Waiting } from './parts.tsx';

export function DiagramView({ id }: { id: string }) {
  const { value, problem } = useRead<WireDiagram>(`/api/runs/${id}/diagram`, heads.value[id]);
  if (value === null) return <Waiting problem={problem} />;
  return (
    <>
      <p class="quiet">
        Drawn from the journal alone: the states that this run was in and the edges that it took, with how often. The
        machine may have states and edges that no step has reached. Child machines of one kind are one drawing.
      </p>
      {value.machines.map((machine) => (
        <Machine key={machine.actor} machine={machine} />
      ))}
      {value.machines.length === 0 ? <p class="empty">No machine has taken a step.</p> : null}
      {value.left === 0 ? null : <p class="quiet">{count(value.left, 'more machine')} not drawn.</p>}
    </>
  );
}

function Machine({ machine: { actor, nodes, edges } }: { machine: WireDiagram['machines'][number] }) {
  const boxes = useMemo(
    () =>
      nodes.map(({ id, name, active, visits }) => ({
        id,
        kind: active ? 'active' : 'state',
        lines: [active ? `▸ ${name}` : name, ...(visits > 1 ? [`entered ${visits} times`] : [])],
      })),
    [nodes],
  );
  const arrows = useMemo(
    () =>
      edges.map(({ from, to, label, times, last }) => ({
        from,
        to,
        label: times > 1 ? `${label} ×${times}` : label,
        strong: last,
      })),
    [edges],
  );
  const named = (id: string) => nodes.find((each) => each.id === id)?.name ?? '';
  return (
    <section class="card" aria-label={`Machine ${actor}`}>
      <h2>{actor}</h2>
      <Drawing
        boxes={boxes}
        arrows={arrows}
        direction="TB"
        label={`${actor}: ${count(nodes.length, 'state')}; the list below says the same`}
      />
      <p class="quiet">
        <span class="key active">▸ active</span> A thick arrow is the newest step. Drag, or use the arrow keys and + and
        -, to move and zoom.
      </p>
      <details>
        <summary>The same as a list</summary>
        <ul class="why">
          {edges.map(({ from, to, label, times }) => (
            <li>
              <code>{named(from)}</code> to <code>{named(to)}</code> by {label}, {count(times, 'time')}
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
