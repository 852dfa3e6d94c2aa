/** The list of runs: those that need a person first; searched and filtered while they are typed. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { WireRunRow, WireRuns } from '../../src/inspector/page-data.ts';
import { changes } from './api.ts';
import { Ago, Badge, clock, count, useRead, Waiting } from './parts.tsx';

const FILTERS = [
  ['all', 'all'],
  ['needs', 'need a person'],
  ['going', 'under way'],
  ['done', 'done'],
] as const;
type Filter = (typeof FILTERS)[number][0];

/** Rows that are shown; a search finds the others. */
const SHOWN = 300;

export function RunsPage() {
  const { value, problem } = useRead<WireRuns>('/api/runs', changes.value);
  const search = useSignal('');
  const filter = useSignal<Filter>('all');
  if (value === null)
    return (
      <>
        <h1>Runs</h1>
        <Waiting problem={problem} />
      </>
    );
  const { runs, file, now } = value;
  const found = runs.filter((row) => fits(row, filter.value) && says(row, search.value));
  return (
    <>
      <div class="head">
        <h1>Runs</h1>
        <span class="quiet">
          <code>{file}</code>, {count(runs.length, 'run')},{' '}
          {count(runs.filter(({ state }) => state.needs).length, 'needs', 'need')} a person
        </span>
      </div>
      {problem === null ? null : <Waiting problem={problem} />}
      {runs.length === 0 ? (
        <p class="empty">
          No runs yet. A run appears here as soon as an agent writes its first entry into <code>{file}</code>.
        </p>
      ) : (
        <>
          <search class="filters">
            <label>
              Search{' '}
              <input
                type="search"
                value={search.value}
                onInput={(event) => {
                  search.value = event.currentTarget.value;
                }}
              />
            </label>
            <fieldset>
              <legend>Show</legend>
              {FILTERS.map(([name, text]) => (
                <label>
                  <input
                    type="radio"
                    name="filter"
                    checked={filter.value === name}
                    onChange={() => {
                      filter.value = name;
                    }}
                  />{' '}
                  {text}
                </label>
              ))}
            </fieldset>
          </search>
          <Rows rows={found} now={now} />
        </>
      )}
    </>
  );
}

function Rows({ rows, now }: { rows: readonly WireRunRow[]; now: number }) {
  const first = useRef<HTMLAnchorElement>(null);
  // The run that most needs a person is one key away.
  useEffect(() => {
    if (document.activeElement === document.body) first.current?.focus();
  }, []);
  if (rows.length === 0)
    return (
      <p class="empty" role="status">
        No run fits.
      </p>
    );
  return (
    <>
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col">Waits for</th>
            <th scope="col">Since</th>
            <th scope="col">Agent</th>
            <th scope="col">Last written</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map(({ id, run, state, waitsFor, since, expires, agent, time }, index) => (
            <tr key={id} class={state.needs ? 'needs' : ''}>
              <th scope="row">
                <a href={`#/run/${id}`} ref={index === 0 ? first : null}>
                  {run}
                </a>
              </th>
              <td>
                <Badge state={state} />
              </td>
              <td>
                {waitsFor ?? ''}
                {expires === null ? null : <Expiry at={expires} now={now} />}
              </td>
              <td>{since === null ? '' : <Ago time={since} now={now} />}</td>
              <td>{agent ?? ''}</td>
              <td>{time === null ? 'not yet' : <Ago time={time} now={now} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN ? <p class="quiet">and {count(rows.length - SHOWN, 'more run')}: search for them.</p> : null}
    </>
  );
}

/** Until when an approval request can be answered. */
function Expiry({ at, now }: { at: number; now: number }) {
  return <span class="quiet">{at <= now ? `, expired at ${clock(at)}` : `, until ${clock(at)}`}</span>;
}

function fits({ state }: WireRunRow, filter: Filter): boolean {
  if (filter === 'all') return true;
  if (filter === 'needs') return state.needs;
  return filter === 'done' ? state.is === 'done' : !state.needs && state.is !== 'done';
}

function says({ run, agent, waitsFor, state }: WireRunRow, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return wanted === '' || [run, agent, waitsFor, state.text].some((text) => text?.toLowerCase().includes(wanted));
}
