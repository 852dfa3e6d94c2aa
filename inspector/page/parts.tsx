/** Small parts that the views share. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { WireOutline, WireState } from '../../src/inspector/page-data.ts';
import { Refused, read } from './api.ts';

/** Something that is being read. What was read before stays until the new is there. */
export interface Loaded<T> {
  readonly value: T | null;
  readonly problem: string | null;
}

/**
 * Reads a path, and again whenever `mark` changes. One request at a time: where a run moves faster than it is read, each answer is shown, and
 * the newest is asked for next.
 */
export function useRead<T>(path: string | null, mark: unknown = 0): Loaded<T> {
  const state = useSignal<Loaded<T> & { readonly of: string | null }>({ value: null, problem: null, of: null });
  const asking = useRef<{ path: string; again: boolean } | null>(null);
  useEffect(() => {
    if (path === null) return;
    if (asking.current?.path === path) {
      asking.current.again = true;
      return;
    }
    const own = { path, again: true };
    asking.current = own;
    const follow = async () => {
      while (own.again && asking.current === own) {
        own.again = false;
        const told = await read<T>(path).then(
          (value) => ({ value, problem: null, of: path }),
          (error: unknown) => {
            const problem = error instanceof Refused ? error.message : 'The page has failed at this.';
            return { value: state.peek().of === path ? state.peek().value : null, problem, of: path };
          },
        );
        if (asking.current === own) state.value = told;
      }
      if (asking.current === own) asking.current = null;
    };
    void follow();
  }, [path, mark]);
  useEffect(
    () => () => {
      asking.current = null;
    },
    [],
  );
  return state.value.of === path ? state.value : { value: null, problem: null };
}

/** The state of a run, in a word and a shape, not by colour alone. */
export function Badge({ state }: { state: WireState }) {
  const sign = { done: '✓', parked: '‖', stuck: '!', recovering: '↺', waiting: '?', open: '▸', unread: '×' }[state.is];
  return (
    <span class={`badge ${state.is} ${state.needs ? 'needs' : ''}`}>
      <span aria-hidden="true">{sign} </span>
      {state.text}
    </span>
  );
}

/** A time, how long ago it was, and the whole of it for those who ask. */
export function Ago({ time, now }: { time: number; now: number }) {
  return (
    <time dateTime={new Date(time).toISOString()} title={clock(time)}>
      {agoText(now - time)}
    </time>
  );
}

function agoText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h ago`;
  return `${Math.round(seconds / 86_400)} d ago`;
}

/** A time to the second, in UTC, as the terminal has it. */
export function clock(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** Lines of a value. */
export function Lines({ lines, label }: { lines: readonly string[]; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="lines" tabIndex={0} aria-label={label}>
      <pre>{lines.join('\n')}</pre>
    </section>
  );
}

/** An outline as nested lists. */
export function Outline({ outline }: { outline: WireOutline }) {
  return (
    <>
      {outline.label === undefined ? null : <code class="code">{outline.label}</code>} {outline.text}
      {outline.under === undefined || outline.under.length === 0 ? null : (
        <ul class="outline">
          {outline.under.map((each) => (
            <li>
              <Outline outline={each} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A heading that takes the focus when its page opens, so that a reader hears where it is. */
export function Title({ children }: { children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <h1 tabIndex={-1} ref={heading}>
      {children}
    </h1>
  );
}

/** What stands where nothing is there yet, or cannot be read. */
export function Waiting({ problem }: { problem: string | null }) {
  return problem === null ? (
    <p role="status">Reading.</p>
  ) : (
    <p role="alert" class="problem">
      {problem}
    </p>
  );
}

/** A number and a noun in the right form. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
