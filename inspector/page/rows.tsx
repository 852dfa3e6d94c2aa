/** A list of ten thousand marks, of which the visible ones are in the page. Arrow keys go from mark to mark. */
import { useSignal } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { WireMark as Mark, WireTimeline } from '../../src/inspector/course-data.ts';
import { clock } from './parts.tsx';

const HIGH = 26;

interface Props {
  readonly marks: readonly Mark[];
  readonly texts: readonly string[];
  readonly kinds: WireTimeline['kinds'];
  readonly lanes: readonly string[];
  readonly chosen: number;
  readonly choose: (index: number) => void;
}

export function MarkList({ marks, texts, kinds, lanes, chosen, choose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useSignal(0);
  const rows = useRef<Virtualizer<HTMLDivElement, HTMLElement> | null>(null);
  const options = {
    count: marks.length,
    getScrollElement: () => box.current,
    estimateSize: () => HIGH,
    overscan: 12,
    scrollToFn: elementScroll<HTMLDivElement>,
    observeElementRect: observeElementRect<HTMLDivElement>,
    observeElementOffset: observeElementOffset<HTMLDivElement>,
    onChange: () => {
      drawn.value += 1;
    },
  };
  rows.current ??= new Virtualizer<HTMLDivElement, HTMLElement>(options);
  const list = rows.current;
  list.setOptions({ ...list.options, ...options });
  useEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());
  useEffect(() => {
    if (chosen >= 0) list.scrollToIndex(chosen, { align: 'auto' });
  }, [chosen, marks]);
  void drawn.value;
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / HIGH) - 1);
    const to = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: chosen + page,
      PageUp: chosen - page,
      Home: 0,
      End: marks.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(marks.length - 1, to)));
  };
  const selected = marks[chosen];
  return (
    <div
      class="marks"
      ref={box}
      role="listbox"
      tabIndex={0}
      aria-label={`Marks, ${marks.length} in all; arrow keys go from one to the next`}
      aria-activedescendant={selected === undefined ? undefined : `mark-${chosen}`}
      onKeyDown={onKeyDown}
    >
      <div class="rows" role="presentation" style={{ height: `${list.getTotalSize()}px` }}>
        {list.getVirtualItems().map(({ index, start }) => {
          const [seq, time, lane, kind, text] = marks[index] as Mark;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list itself takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names its active option
            <div
              key={index}
              id={`mark-${index}`}
              role="option"
              class={`mark ${kinds[kind]}`}
              aria-selected={index === chosen}
              aria-setsize={marks.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => choose(index)}
            >
              <span class="seq">{seq}</span> <span class={`dot ${kinds[kind]}`} aria-hidden="true" />{' '}
              <span class="kind">{kinds[kind]}</span> {texts[text]}{' '}
              <span class="quiet">
                {lanes[lane]}, {clock(time).slice(11)}
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
