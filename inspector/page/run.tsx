/** A run: how it stands, why, and what can be done; its decisions, and the ways to look further. */
import type { WireRun } from '../../src/inspector/page-data.ts';
import { Acts } from './acts.tsx';
import { heads } from './api.ts';
import { DecisionView } from './decision.tsx';
import { DiagramView } from './diagram.tsx';
import { LedgerView } from './ledger.tsx';
import { Ago, Badge, clock, count, Lines, Outline, Title, useRead, Waiting } from './parts.tsx';
import { TimelineView } from './timeline.tsx';

const VIEWS = [
  ['', 'Status'],
  ['timeline', 'Timeline'],
  ['diagram', 'Diagram'],
  ['ledger', 'Ledger'],
] as const;

export function RunPage({ id, view, rest }: { id: string; view: string; rest: string }) {
  const { value: run, problem } = useRead<WireRun>(`/api/runs/${id}`, heads.value[id]);
  if (run === null)
    return (
      <>
        <h1>Run</h1>
        <Waiting problem={problem} />
        {view === '' || problem !== null ? null : <View key="view" run={null} id={id} view={view} rest={rest} />}
      </>
    );
  return (
    <>
      <div class="head">
        <Title>{run.run}</Title>
        <Badge state={run.state} />
        <span class="quiet">
          {run.agent === null ? 'no agent yet' : `agent ${run.agent}`},{' '}
          {run.held ? 'a process has it' : 'no process has it'}
          {run.last === null ? null : (
            <>
              , last written <Ago time={run.last} now={run.now} />
            </>
          )}
        </span>
      </div>
      <nav class="tabs" aria-label="Views of the run">
        {VIEWS.map(([name, text]) => (
          <a
            href={name === '' ? `#/run/${id}` : `#/run/${id}/${name}`}
            aria-current={view === name ? 'page' : undefined}
          >
            {text}
          </a>
        ))}
      </nav>
      {problem === null ? null : <Waiting problem={problem} />}
      <View key="view" run={run} id={id} view={view} rest={rest} />
    </>
  );
}

function View({ run, id, view, rest }: { run: WireRun | null; id: string; view: string; rest: string }) {
  switch (view) {
    case 'decision':
      return <DecisionView key={rest} id={id} number={rest} />;
    case 'timeline':
      return <TimelineView id={id} rest={rest} />;
    case 'ledger':
      return <LedgerView id={id} />;
    case 'diagram':
      return <DiagramView id={id} />;
    default:
      return run === null ? null : <Status run={run} />;
  }
}

function Status({ run }: { run: WireRun }) {
  return (
    <>
      <div class="two">
        <Cause run={run} />
        <Acts run={run} />
      </div>
      <Decisions run={run} />
      <Work run={run} />
    </>
  );
}

function Cause({ run }: { run: WireRun }) {
  const { cause, active } = run;
  return (
    <section class="card" aria-labelledby="cause">
      <h2 id="cause">{cause === null ? 'How it stands' : 'Why it stands still'}</h2>
      {cause === null ? (
        <p>Nothing is wrong{run.state.is === 'done' ? ': the run is done' : ''}.</p>
      ) : (
        <>
          <p class="cause">
            <code class="code">{cause.label}</code> {cause.text}
          </p>
          {cause.why.length === 0 ? null : (
            <>
              <h3>What stands in the way</h3>
              <ul class="why">
                {cause.why.map((each) => (
                  <li>
                    <Outline outline={each} />
                  </li>
                ))}
              </ul>
            </>
          )}
          {cause.unblock.length === 0 ? null : (
            <>
              <h3>What sets it going again</h3>
              <ul class="unblock">
                {cause.unblock.map((text) => (
                  <li>{text}</li>
                ))}
              </ul>
            </>
          )}
          <SetsGoing run={run} />
          {cause.decision === null ? null : (
            <p>
              <a href={`#/run/${run.id}/decision/${cause.decision}`}>See decision {cause.decision}</a>: its line, every
              refusal with its witness, and what would change it.
            </p>
          )}
        </>
      )}
      {run.gates.map((gate) => (
        <div class="gate">
          <h3>{gate.asks}</h3>
          <p class="quiet">
            {gate.class}, for {gate.instance}, asked {clock(gate.since)}
            {gate.expires === null ? '' : `, until ${clock(gate.expires)}`}
            {gate.status === 'pending' ? '' : `: ${gate.status}`}
          </p>
          {gate.earlier === null ? (
            <Lines lines={gate.args} label={`Arguments of ${gate.tool}`} />
          ) : (
            <div class="two even">
              <div>
                <h4>Asked for now</h4>
                <Lines lines={gate.args} label={`Arguments of ${gate.tool} now`} />
              </div>
              <div>
                <h4>Of the call that has happened</h4>
                <Lines lines={gate.earlier} label={`Arguments of ${gate.tool} before`} />
              </div>
            </div>
          )}
          {gate.left.map((left) => (
            <p class="left">An answer lies there and is not taken yet: {left}</p>
          ))}
        </div>
      ))}
      {active.length === 0 ? null : (
        <p class="quiet">
          {active.map(({ actor, state }) => (
            <span class="where">
              {actor}: <code>{state}</code>{' '}
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

/** The commands that do what the page offers, to be typed at a terminal. */
function SetsGoing({ run: { acts } }: { run: WireRun }) {
  if (acts.length === 0) return null;
  return (
    <>
      <h3>At the terminal</h3>
      <Lines lines={acts.map(({ command }) => command)} label="The commands for this run" />
    </>
  );
}

function Decisions({ run }: { run: WireRun }) {
  return (
    <section aria-labelledby="decisions">
      <h2 id="decisions">Decisions</h2>
      {run.decisions.length === 0 ? (
        <p class="empty">Nothing has failed, so nothing was decided.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">#</th>
              <th scope="col">Failure</th>
              <th scope="col">Verdict</th>
              <th scope="col">In words</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
            {run.decisions.toReversed().map((each) => (
              <tr key={each.number}>
                <th scope="row">
                  <a href={`#/run/${run.id}/decision/${each.number}`}>{each.number}</a>
                </th>
                <td>
                  <code class="code">{each.signal}</code> {each.error}
                </td>
                <td class="short">
                  {each.verdict}
                  {each.level === null ? '' : `, level ${each.level}`}
                </td>
                <td>{each.headline}</td>
                <td>
                  <Ago time={each.time} now={run.now} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Work({ run }: { run: WireRun }) {
  return (
    <>
      <section aria-labelledby="work">
        <h2 id="work">Work</h2>
        {run.instances.length === 0 ? (
          <p class="empty">No instance has been entered.</p>
        ) : (
          <ul class="instances">
            {run.instances.map(({ name, live, committed, epoch, checkpoints }) => (
              <li key={name}>
                <code>{name}</code> {live ? 'live' : 'closed'}
                {committed ? ', committed' : ''}
                {epoch > 0 ? `, put back ${count(epoch, 'time')}` : ''}{' '}
                <span class="quiet">{checkpoints.join(', ')}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
      {run.sandboxes.length === 0 ? null : (
        <section aria-labelledby="sandboxes">
          <h2 id="sandboxes">Sandboxes</h2>
          <ul>
            {run.sandboxes.map(({ name, is, since, provider, handle }) => (
              <li key={name}>
                <code>{name}</code> {is} since {clock(since)}, by {provider} <code class="code">{handle}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {run.findings.length === 0 ? null : (
        <section aria-labelledby="findings">
          <h2 id="findings">Findings</h2>
          <ul>
            {run.findings.map(({ code, text, count: times }) => (
              <li>
                <code class="code">{code}</code> {text} {times > 1 ? `(${times} times)` : ''}
              </li>
            ))}
          </ul>
        </section>
      )}
      <p class="quiet">
        {count(run.head, 'row')}; config <code>{run.config?.slice(0, 16) ?? 'none yet'}</code>, machine{' '}
        <code>{run.machine?.slice(0, 16) ?? 'none yet'}</code>
      </p>
    </>
  );
}
