/** The timeline: lanes that can be zoomed, and below them every mark as a list of which only the visible part is in the page. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { WireMark, WireTimeline } from '../../src/inspector/course-data.ts';
import { heads } from './api.ts';
import { ContextAt } from './context.tsx';
import { Lanes } from './lanes.tsx';
import { count, useRead, Waiting } from './parts.tsx';
import { MarkList } from './rows.tsx';

export function TimelineView({ id, rest }: { id: string; rest: string }) {
  const { value, problem } = useRead<WireTimeline>(`/api/runs/${id}/timeline`, heads.value[id]);
  const hidden = useSignal<ReadonlySet<number>>(new Set());
  const chosen = useSignal<number>(-1);
  const shown = useMemo(
    () => value?.marks.filter(([, , , kind]) => !hidden.value.has(kind)) ?? [],
    [value, hidden.value],
  );
  if (value === null) return <Waiting problem={problem} />;
  const { kinds, lanes, texts, cut } = value;
  const fresh = chosen.value < 0 ? indexOfRow(shown, rest) : chosen.value;
  const selected = shown[fresh] ?? null;
  const toggle = (kind: number) => {
    const next = new Set(hidden.value);
    if (!next.delete(kind)) next.add(kind);
    hidden.value = next;
    chosen.value = -1;
  };
  return (
    <>
      <fieldset class="kinds">
        <legend class="quiet">Marks</legend>
        {kinds.map((kind, index) => (
          <label>
            <input type="checkbox" checked={!hidden.value.has(index)} onChange={() => toggle(index)} />{' '}
            <span class={`dot ${kind}`} aria-hidden="true" /> {kind}
          </label>
        ))}
      </fieldset>
      {cut === 0 ? null : <p class="quiet">{count(cut, 'mark')} of the beginning are left out.</p>}
      <Lanes
        marks={shown}
        lanes={lanes}
        kinds={kinds}
        selected={selected}
        choose={(index) => {
          chosen.value = index;
        }}
      />
      <div class="two even">
        <MarkList
          marks={shown}
          texts={texts}
          kinds={kinds}
          lanes={lanes}
          chosen={fresh}
          choose={(index) => {
            chosen.value = index;
          }}
        />
        {selected === null ? (
          <p class="empty">Choose a mark to see the context after it.</p>
        ) : (
          <ContextAt id={id} seq={selected[0]} />
        )}
      </div>
    </>
  );
}

function indexOfRow(marks: readonly WireMark[], rest: string): number {
  if (rest === '') return marks.length - 1;
  const seq = Number(rest);
  return marks.findIndex(([at]) => at >= seq);
}
