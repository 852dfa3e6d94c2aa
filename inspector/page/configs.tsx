/** The configs: their boundaries over the machine, who has reviewed them, and the matrix of a rehearsal. */
import { useMemo } from 'preact/hooks';
import type { WireConfigs } from '../../src/inspector/files-data.ts';
import { changes } from './api.ts';
import { Drawing } from './drawing.tsx';
import { count, Title, useRead, Waiting } from './parts.tsx';

type Config = WireConfigs['configs'][number];
type Matrix = WireConfigs['matrices'][number];

export function ConfigsPage() {
  const { value, problem } = useRead<WireConfigs>('/api/configs', changes.value);
  return (
    <>
      <div class="head">
        <Title>Configs</Title>
      </div>
      {value === null || problem !== null ? <Waiting problem={problem} /> : null}
      {value === null ? null : (
        <>
          {value.configs.length === 0 ? (
            <p class="empty">No config was named: belay inspect --config boundaries/ shows those of a folder.</p>
          ) : null}
          {value.configs.map((config) => (
            <ConfigCard key={config.file} config={config} />
          ))}
          {value.others.length === 0 ? null : (
            <section class="card" aria-labelledby="others">
              <h2 id="others">Digests of runs that no config here has</h2>
              <ul class="why">
                {value.others.map(({ digest, runs }) => (
                  <li>
                    <code>{digest.slice(0, 16)}</code>: {count(runs, 'run')}. Their config is not named, or has been
                    changed since.
                  </li>
                ))}
              </ul>
            </section>
          )}
          {value.matrices.map((matrix) => (
            <MatrixCard key={matrix.file} matrix={matrix} />
          ))}
        </>
      )}
    </>
  );
}

function ConfigCard({ config }: { config: Config }) {
  const { file, agent, digest, problem, boundaries, runs, machine } = config;
  return (
    <section class="card" aria-label={`Config ${file}`}>
      <h2>{file}</h2>
      {problem === null ? null : <p class="problem">{problem}</p>}
      {digest === null ? null : (
        <p>
          agent {agent}, digest <code>{digest.slice(0, 16)}</code>: {reviewText(config)}. {count(runs, 'run')} of this
          file {runs === 1 ? 'goes' : 'go'} by it.
        </p>
      )}
      {boundaries.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th scope="col">Unit of work</th>
              <th scope="col">Boundary</th>
              <th scope="col">Kind</th>
              <th scope="col">Where</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {boundaries.map(({ skeleton, id, kind, at, when }) => (
              <tr>
                <td>{skeleton}</td>
                <th scope="row">{id}</th>
                <td class="short">{kind}</td>
                <td>
                  <code>{at}</code>
                </td>
                <td>
                  <code>{when}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {machine !== null ? (
        <MachineOf config={config} machine={machine} />
      ) : digest === null ? null : (
        <p class="quiet">
          No machine was given: --machines FILE has its boundaries drawn over it, with the edges that are not
          recoverable.
        </p>
      )}
    </section>
  );
}

function reviewText({ review }: Config): string {
  if (review === null) return 'not reviewed yet';
  const who = `${JSON.stringify(review.by)} on ${review.when.slice(0, 10)}`;
  return review.holds ? `reviewed by ${who}` : `changed since the review by ${who}`;
}

function MachineOf({ config: { boundaries }, machine }: { config: Config; machine: NonNullable<Config['machine']> }) {
  const { boxes, arrows } = useMemo(() => {
    const ids = new Map(machine.states.map((state, index) => [state, `s${index}`]));
    // An edge may end in a state that has others in it, which stands for the first of those.
    const idOf = (path: string) => ids.get(path) ?? [...ids].find(([state]) => state.startsWith(`${path}.`))?.[1];
    return {
      boxes: machine.states.map((state) => {
        const own = boundaries.filter(({ at, edge }) => edge === null && within(state, at));
        return {
          id: ids.get(state) as string,
          kind: own.length > 0 ? 'committed' : 'state',
          lines: [state, ...own.map(({ id, kind }) => `${kind} ${id}`)],
        };
      }),
      arrows: machine.edges.flatMap(({ from, to, event, lost }) => {
        const [source, target] = [idOf(from), idOf(to)];
        const on = boundaries.filter(({ edge }) => edge !== null && within(from, edge.from) && within(to, edge.to));
        const name = event.replace(/^xstate\.(done|error)\.actor\.(\d+\.)?/, '$1 ');
        const label = on.length === 0 ? name : on.map(({ id, kind }) => `◆ ${kind} ${id}`).join(', ');
        return source === undefined || target === undefined
          ? []
          : [{ from: source, to: target, label, strong: lost !== null }];
      }),
    };
  }, [machine, boundaries]);
  const lost = machine.edges.filter((edge) => edge.lost !== null);
  return (
    <>
      <h3>The machine</h3>
      <Drawing
        boxes={boxes}
        arrows={arrows}
        direction="LR"
        label={`The machine with its boundaries: ${count(boxes.length, 'state')}; ◆ is a boundary, a thick arrow is not recoverable`}
      />
      {lost.length === 0 ? (
        <p class="quiet">Every edge that ends a unit of work can be certified.</p>
      ) : (
        <>
          <h3>Legal, but not recoverable (thick)</h3>
          <ul class="why">
            {lost.map(({ from, to, event, lost: why }) => (
              <li>
                <code>{from}</code> to <code>{to}</code> by {event === '' ? 'always' : event}: {why}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Says whether a state is another, or lies in it. */
function within(state: string, outer: string): boolean {
  return state === outer || state.startsWith(`${outer}.`);
}

const LETTERS: Readonly<Record<string, string>> = { same: '=', parked: 'P', harm: 'X', unreached: '-' };

function MatrixCard({ matrix: { file, agent, totals, tables } }: { matrix: Matrix }) {
  return (
    <section class="card" aria-label={`Rehearsal of ${agent}`}>
      <h2>Rehearsal of {agent}</h2>
      <p class="quiet">
        {file}: {totals.same} as without faults (=), {totals.parked} parked (P), {totals.harm} harm (X),{' '}
        {totals.unreached} not reached (-)
      </p>
      {tables.map(({ title, columns, rows }) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide matrix is scrolled by keyboard, too
        <section class="wide" tabIndex={0} aria-label={title}>
          <table>
            <caption>{title}</caption>
            <thead>
              <tr>
                <th scope="col">place</th>
                {columns.map((name) => (
                  <th scope="col">{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ place, cells }) => (
                <tr>
                  <th scope="row">
                    <code>{place}</code>
                  </th>
                  {cells.map((some) => (
                    <td class="short">
                      {some.map(({ is, text }) => (
                        <span class={`cell ${is}`} title={`${text}: ${is}`}>
                          {LETTERS[is] ?? '?'}
                        </span>
                      ))}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </section>
  );
}
