/** Lanes of marks in the order of the journal, drawn on a canvas. The list beside it has the same for those who do not see it. */
import { select } from 'd3-selection';
import { type ZoomTransform, zoom, zoomIdentity } from 'd3-zoom';
import { useEffect, useRef } from 'preact/hooks';
import type { WireMark as Mark, WireTimeline } from '../../src/inspector/course-data.ts';

const LANE = 22;
const LABEL = 190;

interface Props {
  readonly marks: readonly Mark[];
  readonly lanes: readonly string[];
  readonly kinds: WireTimeline['kinds'];
  readonly selected: Mark | null;
  readonly choose: (index: number) => void;
}

export function Lanes({ marks, lanes, kinds, selected, choose }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = useRef<ZoomTransform>(zoomIdentity);
  const draw = useRef(() => {});
  draw.current = () => {
    if (canvas.current !== null) paint(canvas.current, { marks, lanes, kinds, selected }, place.current);
  };
  useEffect(() => draw.current(), [marks, lanes, selected]);
  useEffect(() => {
    const on = canvas.current;
    if (on === null) return;
    let due = 0;
    const redraw = () => {
      cancelAnimationFrame(due);
      due = requestAnimationFrame(() => draw.current());
    };
    const zooming = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([1, 4_000])
      .filter((event: MouseEvent & WheelEvent) =>
        event.type === 'wheel' ? event.ctrlKey || event.shiftKey : event.button === 0,
      )
      .on('zoom', ({ transform }: { transform: ZoomTransform }) => {
        place.current = transform;
        redraw();
      });
    const selection = select(on).call(zooming);
    const onKey = (event: KeyboardEvent) => {
      const far = (on.clientWidth - LABEL) / 4 / place.current.k;
      if (event.key === '+' || event.key === '=') zooming.scaleBy(selection, 1.6);
      else if (event.key === '-') zooming.scaleBy(selection, 1 / 1.6);
      else if (event.key === 'ArrowLeft') zooming.translateBy(selection, far, 0);
      else if (event.key === 'ArrowRight') zooming.translateBy(selection, -far, 0);
      else if (event.key === '0') zooming.transform(selection, zoomIdentity);
      else return;
      event.preventDefault();
    };
    on.addEventListener('keydown', onKey);
    const sized = new ResizeObserver(redraw);
    sized.observe(on);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    return () => {
      on.removeEventListener('keydown', onKey);
      scheme.removeEventListener('change', redraw);
      sized.disconnect();
    };
  }, []);
  const onClick = (event: MouseEvent) => {
    const on = canvas.current;
    if (on === null || marks.length === 0) return;
    const { left, top } = on.getBoundingClientRect();
    const lane = Math.floor((event.clientY - top) / LANE);
    const at = indexAt(event.clientX - left, on.clientWidth, marks.length, place.current);
    // The mark of that lane that is nearest to the pointer.
    for (let far = 0; far < marks.length; far += 1) {
      for (const index of [at - far, at + far]) if (marks[index]?.[2] === lane) return choose(index);
    }
  };
  return (
    <figure class="lanes">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={`${lanes.length} lanes with ${marks.length} marks; the list below says the same. + and - zoom, arrows move, 0 shows all.`}
        height={lanes.length * LANE + 6}
        style={{ height: `${lanes.length * LANE + 6}px` }}
        onClick={onClick}
      />
      <figcaption class="quiet">
        Zoom with + and -, or the wheel while Control or Shift is held; move with the arrows or by dragging; 0 shows
        all.
      </figcaption>
    </figure>
  );
}

type Scene = Pick<Props, 'marks' | 'lanes' | 'kinds' | 'selected'>;

/** The number of the mark at a place. */
function indexAt(x: number, width: number, marks: number, { k, x: moved }: ZoomTransform): number {
  const spread = Math.max(1, width - LABEL - 16);
  const place = (x - LABEL - 8 - moved) / k / spread;
  return Math.max(0, Math.min(marks - 1, Math.round(place * Math.max(1, marks - 1))));
}

function paint(
  canvas: HTMLCanvasElement,
  { marks, lanes, kinds, selected }: Scene,
  { k, x: moved }: ZoomTransform,
): void {
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, lanes.length * LANE + 6];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  pen.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const colours = kinds.map((kind) => colour(`mark-${kind}`));
  const [line, text] = [colour('line'), colour('text')];
  pen.font = '12px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  for (const [index, lane] of lanes.entries()) {
    const y = index * LANE + LANE / 2;
    pen.fillStyle = line;
    pen.fillRect(LABEL, y, width - LABEL, 1);
    pen.fillStyle = text;
    pen.fillText(fitted(pen, lane, LABEL - 10), 4, y);
  }
  pen.save();
  pen.beginPath();
  pen.rect(LABEL, 0, width - LABEL, height);
  pen.clip();
  const spread = Math.max(1, width - LABEL - 16);
  const scale = (spread * k) / Math.max(1, marks.length - 1);
  const from = Math.max(0, Math.floor((-moved - 16) / scale));
  const until = Math.min(marks.length - 1, Math.ceil((width - LABEL - moved + 16) / scale));
  const size = Math.max(2, Math.min(9, scale * 0.8));
  // Where marks lie closer than a point, one is drawn for those of its kind.
  const drawn = new Set<number>();
  for (let index = from; index <= until; index += 1) {
    const [, , lane, kind] = marks[index] as Mark;
    const x = LABEL + 8 + moved + index * scale;
    const spot = (Math.round(x) * 64 + lane) * 16 + kind;
    if (drawn.has(spot)) continue;
    drawn.add(spot);
    const high = kind === 0 ? 8 : 15;
    pen.fillStyle = colours[kind] ?? text;
    pen.fillRect(x - size / 2, lane * LANE + (LANE - high) / 2, size, high);
  }
  const at = selected === null ? -1 : marks.indexOf(selected);
  if (at >= 0) {
    pen.strokeStyle = text;
    pen.lineWidth = 2;
    pen.strokeRect(LABEL + 8 + moved + at * scale - size / 2 - 3, (marks[at]?.[2] ?? 0) * LANE + 1, size + 6, LANE - 2);
  }
  pen.restore();
}

function fitted(pen: CanvasRenderingContext2D, text: string, width: number): string {
  if (pen.measureText(text).width <= width) return text;
  // Names of lanes begin with their actor and end with their state: what tells them apart stands at either end.
  for (let kept = text.length - 1; kept > 2; kept -= 1) {
    const head = Math.floor(kept / 3);
    const cut = `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
    if (pen.measureText(cut).width <= width) return cut;
  }
  return '…';
}
