/** A graph laid out in layers, with arrows: boxes of one or two lines, drawn as SVG and read as a list by those who do not see it. */
import dagre from '@dagrejs/dagre';
import { select } from 'd3-selection';
import { zoom, zoomIdentity } from 'd3-zoom';
import { useEffect, useMemo, useRef } from 'preact/hooks';

/** A box. */
export interface Box {
  readonly id: string;
  readonly lines: readonly string[];
  readonly kind: string;
}

/** An arrow between boxes. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly strong: boolean;
}

interface Props {
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
  readonly label: string;
  readonly direction: 'LR' | 'TB';
}

/** The widths of text, in units of the drawing. */
const CHARACTER = 7.1;
const LINE = 18;
const LONGEST = 46;

export function Drawing({ boxes, arrows, label, direction }: Props) {
  const svg = useRef<SVGSVGElement>(null);
  const moved = useRef<SVGGElement>(null);
  const laid = useMemo(() => laidOut(boxes, arrows, direction), [boxes, arrows, direction]);
  useEffect(() => {
    const [outer, inner] = [svg.current, moved.current];
    if (outer === null || inner === null) return;
    const zooming = zoom<SVGSVGElement, unknown>()
      .scaleExtent([0.2, 4])
      // The wheel scrolls the page; with Control it zooms, as in a map.
      .filter((event: MouseEvent & WheelEvent) => (event.type === 'wheel' ? event.ctrlKey : event.button === 0))
      .on('zoom', ({ transform }) => inner.setAttribute('transform', String(transform)));
    const selected = select(outer).call(zooming);
    // A wide drawing is moved, and not made too small to read.
    selected.call(zooming.transform, zoomIdentity);
    const onKey = (event: KeyboardEvent) => {
      const by = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
      if (by !== undefined) zooming.translateBy(selected, by[0] as number, by[1] as number);
      else if (event.key === '+' || event.key === '=') zooming.scaleBy(selected, 1.3);
      else if (event.key === '-') zooming.scaleBy(selected, 1 / 1.3);
      else return;
      event.preventDefault();
    };
    outer.addEventListener('keydown', onKey);
    return () => outer.removeEventListener('keydown', onKey);
  }, [laid]);
  const height = Math.max(64, Math.min(laid.height + 8, 460));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the drawing is moved by the arrow keys, and zoomed by + and -
    <svg ref={svg} class="drawing" role="img" aria-label={label} height={height} tabIndex={0}>
      <title>{label}</title>
      <defs>
        <marker
          id="tip"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerUnits="userSpaceOnUse"
          markerWidth="10"
          markerHeight="10"
          orient="auto-start-reverse"
        >
          <path d="M0 0L8 4L0 8z" class="tip" />
        </marker>
      </defs>
      <g ref={moved}>
        {laid.arrows.map(({ path, label: text, x, y, strong }) => (
          <g class={strong ? 'arrow strong' : 'arrow'}>
            <path d={path} marker-end="url(#tip)" />
            <text x={x} y={y - 4} text-anchor="middle">
              {text}
            </text>
          </g>
        ))}
        {laid.boxes.map(({ id, lines, kind, x, y, width, height: high }) => (
          <g key={id} class={`box ${kind}`} transform={`translate(${x - width / 2} ${y - high / 2})`}>
            <rect width={width} height={high} rx={6} />
            {lines.map((line, index) => (
              <text x={10} y={LINE * (index + 1) - 1} class={index === 0 ? 'name' : 'note'}>
                {cut(line)}
                <title>{line}</title>
              </text>
            ))}
          </g>
        ))}
      </g>
    </svg>
  );
}

function cut(text: string, most = LONGEST): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function laidOut(boxes: readonly Box[], arrows: readonly Arrow[], direction: 'LR' | 'TB') {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 18, ranksep: direction === 'LR' ? 70 : 34, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, lines } of boxes) {
    const width = Math.max(...lines.map((line) => cut(line).length)) * CHARACTER + 20;
    graph.setNode(id, { width, height: LINE * lines.length + 8 });
  }
  for (const [index, { from, to, label }] of arrows.entries()) {
    const width = cut(label, 30).length * CHARACTER * 0.85;
    graph.setEdge(from, to, { width, height: 14, labelpos: 'c' }, String(index));
  }
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    boxes: boxes.map((box) => ({
      ...box,
      ...(graph.node(box.id) as { x: number; y: number; width: number; height: number }),
    })),
    arrows: arrows.map((arrow, index) => {
      const { points, x, y } = graph.edge({ v: arrow.from, w: arrow.to, name: String(index) }) as {
        points: { x: number; y: number }[];
        x: number;
        y: number;
      };
      const path = points
        .map((point, nth) => `${nth === 0 ? 'M' : 'L'}${point.x.toFixed(1)} ${point.y.toFixed(1)}`)
        .join('');
      const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
      // An arrow from a box to itself has no place for its label.
      const label = Number.isFinite(x) && Number.isFinite(y) ? { x, y } : middle;
      return { ...arrow, label: cut(arrow.label, 30), path, ...label };
    }),
  };
}
