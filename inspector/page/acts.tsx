/** The acts of a run. Each says what it will do before it is done. */
import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { WireAct, WireRun, WireTold } from '../../src/inspector/page-data.ts';
import { changes, heads, Refused, sent } from './api.ts';
import { Lines } from './parts.tsx';

/** The name as it was typed last, for as long as the page is open. */
const person = signal('');

export function Acts({ run }: { run: WireRun }) {
  const open = useSignal<string | null>(null);
  const told = useSignal<WireTold | null>(null);
  const { acts } = run;
  return (
    <section class="card" aria-labelledby="acts">
      <h2 id="acts">What you can do</h2>
      {acts.length === 0 ? <p class="empty">{nothing(run)}</p> : null}
      <ul class="acts">
        {acts.map((act) => (
          <li key={act.id}>
            <button
              type="button"
              class={act.first ? 'first' : `act-${act.kind}`}
              aria-expanded={open.value === act.id}
              aria-controls={`act-${act.id}`}
              onClick={() => {
                told.value = null;
                open.value = open.value === act.id ? null : act.id;
              }}
            >
              {act.title}
              {act.disabled === null ? null : <span class="quiet"> (at the terminal)</span>}
            </button>
            {open.value === act.id ? (
              <Form
                run={run}
                act={act}
                done={(result) => {
                  told.value = result;
                  if (result.ok) open.value = null;
                }}
              />
            ) : (
              <p class="does">{act.does}</p>
            )}
          </li>
        ))}
      </ul>
      <div role="status" class="told">
        {told.value === null ? null : <pre class={told.value.ok ? 'fine' : 'problem'}>{told.value.text}</pre>}
      </div>
    </section>
  );
}

function nothing({ state, held }: WireRun): string {
  if (state.is === 'done') return 'Nothing: the run is done.';
  return held ? 'Nothing: a process has the run, and it goes on by itself.' : 'Nothing that the journal knows of.';
}

function Form({ run, act, done }: { run: WireRun; act: WireAct; done: (told: WireTold) => void }) {
  const why = useSignal('');
  const output = useSignal('');
  const busy = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector<HTMLElement>('input, textarea, button, pre')?.focus(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy.value) return;
    busy.value = true;
    const body = { act: act.id, by: person.value, why: why.value, output: output.value };
    const result = await sent<WireTold>(`/api/runs/${run.id}/act`, body).catch((error: unknown): WireTold => {
      return { ok: false, text: error instanceof Refused ? error.message : 'The page has failed at this.' };
    });
    busy.value = false;
    heads.value = { ...heads.value, [run.id]: -Date.now() };
    changes.value += 1;
    done(result);
  };
  return (
    <div class="form" id={`act-${act.id}`} ref={box}>
      <p>{act.does}</p>
      {act.disabled === null ? (
        <form onSubmit={submit}>
          {act.named ? (
            <label>
              Your name: the journal keeps it as typed, and nothing verifies it
              <input
                required
                maxLength={200}
                value={person.value}
                autocomplete="off"
                onInput={(event) => {
                  person.value = event.currentTarget.value;
                }}
              />
            </label>
          ) : null}
          {act.output ? (
            <label>
              {act.output === 'with' ? 'What changes in the arguments, as JSON' : 'What the call answered, as JSON'}
              <textarea
                rows={2}
                value={output.value}
                spellcheck={false}
                onInput={(event) => {
                  output.value = event.currentTarget.value;
                }}
              />
            </label>
          ) : null}
          {act.named ? (
            <label>
              Why (left out, nothing)
              <input
                maxLength={2000}
                value={why.value}
                onInput={(event) => {
                  why.value = event.currentTarget.value;
                }}
              />
            </label>
          ) : null}
          <button type="submit" class="first" disabled={busy.value}>
            {busy.value ? 'Under way' : `Do it: ${act.title}`}
          </button>
        </form>
      ) : (
        <p class="disabled">
          <button type="button" disabled>
            Do it: {act.title}
          </button>{' '}
          {act.disabled}
        </p>
      )}
      <p class="quiet">The same at the terminal:</p>
      <Lines lines={[act.command]} label={`The command for ${act.title}`} />
    </div>
  );
}
