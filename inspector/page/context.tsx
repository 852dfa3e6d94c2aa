/** The context after a row, and what that row changed of it. */
import type { WireContext } from '../../src/inspector/course-data.ts';
import { Lines, useRead, Waiting } from './parts.tsx';

export function ContextAt({ id, seq }: { id: string; seq: number }) {
  const { value, problem } = useRead<WireContext>(`/api/runs/${id}/context/${seq}`);
  if (value === null) return <Waiting problem={problem} />;
  const { actor, state, changes, context, event } = value;
  return (
    <section class="card" aria-labelledby="context">
      <h2 id="context">
        After row {seq}: {actor} in <code>{state}</code>
      </h2>
      <h3>Changed by it</h3>
      {changes.length === 0 ? (
        <p class="empty">Nothing of the context.</p>
      ) : (
        <table class="changes">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ op, path, before, after }) => (
              <tr>
                <th scope="row">
                  <code>{path}</code> <span class="quiet">{op}</span>
                </th>
                <td>
                  <del>{before}</del>
                </td>
                <td>
                  <ins>{after}</ins>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <h3>Event</h3>
      <Lines lines={event} label="The event" />
      <h3>Context</h3>
      <Lines lines={context} label="The whole context" />
    </section>
  );
}
