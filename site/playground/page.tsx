/** The playground: a trace on the left; on the right the verdict, the line, and what would be answered instead. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { POLICIES, type Policy, type Rules } from '../../src/model/decision.ts';
import { instanceName } from '../../src/model/instance.ts';
import { type Answer, ask, lineOf, type Reading } from './ask.ts';
import { EXAMPLES } from './examples.ts';
import { type Question, type WhatIf, whatIfs } from './what-if.ts';

/** The widest text of an answer, in columns: the width that `belay decide` writes to a file. */
const WIDEST = 100;

const FIRST: Question = { text: EXAMPLES[0].trace, rules: { policy: 'line', joint: 'none' } };

/** The playground. */
export function Playground() {
  const [question, setQuestion] = useState(FIRST);
  const [before, setBefore] = useState<readonly Question[]>([]);
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const reading = ask(question.text, question.rules);
  const nth = Math.min(chosen, Math.max(reading.answers.length - 1, 0));
  const answer = reading.answers[nth];
  const replace = (next: Question) => {
    setBefore([...before, question]);
    setQuestion(next);
  };
  const takeBack = () => {
    setQuestion(before.at(-1) as Question);
    setBefore(before.slice(0, -1));
  };
  return (
    <div class="playground">
      <form class="asked" aria-label="Question" onSubmit={(event) => event.preventDefault()}>
        <Controls rules={question.rules} onRules={(rules) => setQuestion({ ...question, rules })} onReplace={replace} />
        <Trace
          field={field}
          text={question.text}
          malformed={reading.malformed}
          onText={(text) => setQuestion({ ...question, text })}
        />
        <p class="below">
          <button type="button" disabled={before.length === 0} onClick={takeBack}>
            Undo the last replacement
          </button>
        </p>
      </form>
      <section class="answered" aria-label="Answer">
        <Chooser answers={reading.answers} nth={nth} onChoose={setChosen} />
        {answer === undefined ? (
          <p>No line of the trace asks: add a line {'{"do":"fail","in":[…]}'}.</p>
        ) : (
          <>
            <Verdict answer={answer} />
            <Line answer={answer} />
            <Instead items={whatIfs(question, nth)} onTry={replace} />
          </>
        )}
      </section>
    </div>
  );
}

function Controls(props: { rules: Rules; onRules(rules: Rules): void; onReplace(question: Question): void }) {
  const { rules } = props;
  const id = useId();
  const joint = typeof rules.joint === 'string' ? rules.joint : 'named';
  return (
    <div class="controls">
      <div>
        <label for={`${id}example`}>Example</label>
        <select
          id={`${id}example`}
          value=""
          onChange={({ currentTarget }) => {
            const example = EXAMPLES[Number(currentTarget.value)];
            if (example !== undefined) props.onReplace({ text: example.trace, rules: FIRST.rules });
            currentTarget.value = '';
          }}
        >
          <option value="">Choose a trace</option>
          {EXAMPLES.map(({ name }, index) => (
            <option key={name} value={index}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for={`${id}policy`}>Policy</label>
        <select
          id={`${id}policy`}
          value={rules.policy}
          onChange={({ currentTarget }) => props.onRules({ ...rules, policy: currentTarget.value as Policy })}
        >
          {POLICIES.map((policy) => (
            <option key={policy} value={policy}>
              {policy}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for={`${id}joint`}>Commitments of others</label>
        <select
          id={`${id}joint`}
          value={joint}
          onChange={({ currentTarget }) => props.onRules({ ...rules, joint: currentTarget.value as 'all' | 'none' })}
        >
          <option value="none">are not crossed</option>
          <option value="all">may be crossed</option>
          {typeof rules.joint !== 'string' && <option value="named">of {rules.joint.join(', ')} may be crossed</option>}
        </select>
      </div>
    </div>
  );
}

interface TraceProps {
  readonly field: { current: HTMLTextAreaElement | null };
  readonly text: string;
  readonly malformed: Reading['malformed'];
  onText(text: string): void;
}

function Trace({ field, text, malformed, onText }: TraceProps) {
  const id = useId();
  const gutter = useRef<HTMLPreElement>(null);
  const numbers = Array.from({ length: text.split('\n').length }, (_, index) => index + 1).join('\n');
  const go = () => {
    const lines = text.split('\n');
    const from = lines.slice(0, (malformed?.line ?? 1) - 1).reduce((sum, line) => sum + line.length + 1, 0);
    field.current?.focus();
    field.current?.setSelectionRange(from, from + (lines[(malformed?.line ?? 1) - 1] ?? '').length);
  };
  return (
    <>
      <label for={`${id}trace`}>Trace, one event a line</label>
      <div class="trace">
        <pre ref={gutter} aria-hidden="true">
          {numbers}
        </pre>
        <textarea
          id={`${id}trace`}
          ref={field}
          rows={Math.min(Math.max(text.split('\n').length + 1, 8), 24)}
          wrap="off"
          spellcheck={false}
          autocapitalize="off"
          value={text}
          aria-invalid={malformed !== null}
          aria-describedby={`${id}malformed`}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
          onScroll={({ currentTarget }) => {
            if (gutter.current !== null) gutter.current.scrollTop = currentTarget.scrollTop;
          }}
        />
      </div>
      <div id={`${id}malformed`} role="status">
        {malformed !== null && (
          <p class="malformed">
            Line {malformed.line}: <code>{malformed.code}</code> {malformed.message}{' '}
            <button type="button" onClick={go}>
              Go to line {malformed.line}
            </button>
          </p>
        )}
      </div>
    </>
  );
}

function Chooser({
  answers,
  nth,
  onChoose,
}: {
  answers: Reading['answers'];
  nth: number;
  onChoose(nth: number): void;
}) {
  const id = useId();
  if (answers.length < 2) return null;
  return (
    <div>
      <label for={id}>Failure</label>
      <select id={id} value={nth} onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}>
        {answers.map(({ line, failure }, index) => (
          <option key={line} value={index}>
            line {line}: {failure.in === null ? 'no instance' : instanceName(failure.in)}
          </option>
        ))}
      </select>
    </div>
  );
}

function Verdict({ answer }: { answer: Answer }) {
  const [columns, setColumns] = useState(WIDEST);
  const shown = useRef<HTMLPreElement>(null);
  useEffect(() => {
    const element = shown.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setColumns(columnsOf(element)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { verdict, line } = answer.decision;
  return (
    <>
      <h2>Verdict</h2>
      <p aria-live="polite">
        <strong class={`verdict ${verdict}`}>{verdict}</strong>
        {line !== null && ` level ${line.level}`}
      </p>
      <pre class="words" ref={shown}>
        {answer.words(columns)}
      </pre>
      <details>
        <summary>As JSON</summary>
        <pre class="json">{JSON.stringify(JSON.parse(answer.json), null, 2)}</pre>
      </details>
    </>
  );
}

/** The columns of text that an element has room for. */
function columnsOf(element: HTMLElement): number {
  const style = getComputedStyle(element);
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return WIDEST;
  context.font = style.font;
  const room = element.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
  return Math.max(Math.min(Math.floor(room / context.measureText('0').width), WIDEST), 24);
}

function Line({ answer }: { answer: Answer }) {
  const rows = lineOf(answer);
  const { verdict } = answer.decision;
  const allowed = verdict === 'restore' || verdict === 'restore_joint';
  return (
    <>
      <h2>Line</h2>
      {rows.length === 0 ? (
        <p>There is no line.</p>
      ) : (
        <div class="scrolls">
          {!allowed && <p>The rules do not allow this line.</p>}
          <table>
            <thead>
              <tr>
                <th scope="col">Instance</th>
                <th scope="col">Keeps</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ instance, keep, moves }) => (
                <tr key={instance} class={moves ? 'moves' : ''}>
                  <th scope="row">{instance}</th>
                  <td>{keep}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Instead({ items, onTry }: { items: readonly WhatIf[]; onTry(question: Question): void }) {
  const groups = [...new Set(items.map(({ group }) => group))];
  return (
    <>
      <h2>What if</h2>
      {groups.map((group) => (
        <div key={group}>
          <h3>{group}</h3>
          <ul>
            {items
              .filter((item) => item.group === group)
              .map(({ title, question, answer }) => (
                <li key={title}>
                  <span>
                    If {title}:{' '}
                    <strong class={`verdict ${answer?.decision.verdict ?? ''}`}>
                      {answer?.decision.verdict ?? 'the trace is malformed'}
                    </strong>
                    {answer?.decision.line && ` level ${answer.decision.line.level}`}
                  </span>
                  <button type="button" aria-label={`Ask that: if ${title}`} onClick={() => onTry(question)}>
                    Ask that
                  </button>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </>
  );
}
