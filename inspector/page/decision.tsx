/** A decision: its account, its line, every refusal with its witness, and what would change it. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { WireAnswer, WireDecision, WireGraph, WireRefusal, WireToggle } from '../../src/inspector/page-data.ts';
import { Refused, sent } from './api.ts';
import { Drawing } from './drawing.tsx';
import { clock, count, Outline, useRead, Waiting } from './parts.tsx';

export function DecisionView({ id, number }: { id: string; number: string }) {
  const { value, problem } = useRead<WireDecision>(`/api/runs/${id}/decision/${number}`);
  const chosen = useSignal<readonly string[]>([]);
  const supposed = useSignal<WireAnswer | null>(null);
  const wrong = useSignal<string | null>(null);
  useEffect(() => {
    let over = false;
    wrong.value = null;
    if (chosen.value.length === 0) {
      supposed.value = null;
      return;
    }
    sent<WireAnswer>(`/api/runs/${id}/what-if/${number}`, { suppose: chosen.value }).then(
      (answer) => {
        if (!over) supposed.value = answer;
      },
      (error: unknown) => {
        if (!over) wrong.value = error instanceof Refused ? error.message : 'The page has failed at this.';
      },
    );
    return () => {
      over = true;
    };
  }, [chosen.value.join(' ')]);
  if (value === null) return <Waiting problem={problem} />;
  const shown = supposed.value ?? value;
  const isSupposed = supposed.value !== null;
  return (
    <>
      <h2>
        Decision {value.number}: <span class={`verdict ${value.verdict}`}>{value.verdict}</span>
        {value.level === null ? '' : `, level ${value.level}`}
      </h2>
      <p>
        <code class="code">{value.signal}</code> {value.cause}{' '}
        <span class="quiet">
          {clock(value.time)}, policy {value.policy}
        </span>
      </p>
      <div class="two">
        <section class="card" aria-labelledby="answer">
          <h2 id="answer">{isSupposed ? 'What the answer would be' : 'The answer'}</h2>
          <p role="status" class={isSupposed ? 'supposed' : ''}>
            {isSupposed ? (
              <>
                <strong>
                  {shown.verdict}
                  {shown.level === null ? '' : `, level ${shown.level}`}
                </strong>
                :{' '}
              </>
            ) : null}
            {shown.headline}
          </p>
          {isSupposed && value.numbers !== null ? <p class="quiet">{value.numbers}</p> : null}
          <List title="Undone before it, in this order" texts={shown.undo} />
          <List title="What would unblock it" texts={shown.unblock} />
          <Refusals refusals={shown.refusals} />
        </section>
        <Suppose decision={value} chosen={chosen} problem={wrong.value} />
      </div>
      <LineGraph graph={shown.graph} supposed={isSupposed} />
      <details class="card">
        <summary>The whole account, as belay explain has it</summary>
        <Outline outline={value.account} />
      </details>
    </>
  );
}

function List({ title, texts }: { title: string; texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="why">
        {texts.map((text) => (
          <li>{text}</li>
        ))}
      </ul>
    </>
  );
}

function Refusals({ refusals }: { refusals: readonly WireRefusal[] }) {
  if (refusals.length === 0) return null;
  return (
    <>
      <h3>Refused</h3>
      <ul class="why">
        {refusals.map(({ checkpoint, reasons }) => (
          <li>
            {checkpoint}
            {reasons.map(({ code, text, witness }) => (
              <details>
                <summary>
                  <code class="code">{code}</code> {text}
                </summary>
                {witness.length === 0 ? null : (
                  <dl class="witness">
                    {witness.map(({ what, value }) => (
                      <div>
                        <dt>{what}</dt>
                        <dd>{value}</dd>
                      </div>
                    ))}
                  </dl>
                )}
              </details>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

function Suppose({
  decision: { toggles, fixed },
  chosen,
  problem,
}: {
  decision: WireDecision;
  chosen: { value: readonly string[] };
  problem: string | null;
}) {
  const toggle = ({ id, group }: WireToggle) => {
    const own = new Set(toggles.filter((each) => each.group === group).map((each) => each.id));
    const others = chosen.value.filter((each) => !own.has(each));
    chosen.value = chosen.value.includes(id) ? others : [...others, id];
  };
  return (
    <section class="card" aria-labelledby="suppose">
      <h2 id="suppose">What if</h2>
      {fixed === null ? null : <p class="quiet">{fixed}</p>}
      {fixed === null && toggles.length === 0 ? (
        <p class="quiet">Nothing stands in the way, so there is nothing to suppose.</p>
      ) : null}
      {toggles.length === 0 ? null : (
        <fieldset>
          <legend class="quiet">Suppose that, at that moment, … Nothing is changed by it.</legend>
          {toggles.map((each) => (
            <label class="toggle">
              <input type="checkbox" checked={chosen.value.includes(each.id)} onChange={() => toggle(each)} />{' '}
              {each.text}
            </label>
          ))}
        </fieldset>
      )}
      {problem === null ? null : <Waiting problem={problem} />}
    </section>
  );
}

const PARTS = {
  failed: 'failed',
  back: 'goes back, and is redone',
  undone: 'undone, before its start',
  aside: 'set aside',
  kept: 'kept',
};

function LineGraph({ graph, supposed }: { graph: WireGraph; supposed: boolean }) {
  const boxes = useMemo(
    () =>
      graph.nodes.map(({ id, name, part, note, committed }) => ({
        id,
        kind: `${part} ${committed ? 'committed' : ''}`,
        lines: [name, note],
      })),
    [graph],
  );
  const arrows = useMemo(
    () => graph.edges.map(({ from, to, label, carries }) => ({ from, to, label, strong: carries })),
    [graph],
  );
  return (
    <section class="card" aria-labelledby="line">
      <h2 id="line">{supposed ? 'The line as it would be' : 'The line'}</h2>
      {graph.nodes.length === 0 ? <p class="empty">No instance is named by it.</p> : null}
      <p class="legend">
        {Object.entries(PARTS).map(([part, text]) => (
          <span class={`key ${part}`}>{text}</span>
        ))}
        <span class="quiet">
          An arrow leads from who wrote to who read; a thick one is what the line follows, or what stands in its way. A
          double border: committed.
        </span>
      </p>
      <Drawing
        boxes={boxes}
        arrows={arrows}
        label={`The dependencies around the decision: ${count(boxes.length, 'instance')}; the list below says the same`}
        direction="LR"
      />
      {graph.left === 0 ? null : (
        <p class="quiet">
          {count(graph.left, 'more instance')} further away {graph.left === 1 ? 'is' : 'are'} kept, and not drawn.
        </p>
      )}
      <details>
        <summary>The same as a list</summary>
        <ul class="why">
          {graph.nodes.map(({ id, name, note, committed }) => (
            <li>
              <code>{name}</code>: {note}
              {committed ? ' (committed)' : ''}
              {graph.edges
                .filter(({ to }) => to === id)
                .map(
                  ({ from, label }) =>
                    `; reads ${label} of ${graph.nodes.find((each) => each.id === from)?.name ?? ''}`,
                )
                .join('')}
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
