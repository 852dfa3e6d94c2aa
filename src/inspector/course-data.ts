/**
 * The values that the server sends to the page about the course of a run: marks in lanes, contexts, states and edges.
 */

/** The kinds of marks. */
export type WireMarkKind = 'step' | 'call' | 'boundary' | 'failure' | 'restore' | 'person' | 'finding';

/** A mark: its row, its wall clock, its lane, its kind and its text, the last three by their places in the lists. */
export type WireMark = readonly [seq: number, time: number, lane: number, kind: number, text: number];

/** The timeline of a run: marks in lanes. */
export interface WireTimeline {
  readonly lanes: readonly string[];
  readonly marks: readonly WireMark[];
  /** The texts of the marks, each once, and the kinds. */
  readonly texts: readonly string[];
  readonly kinds: readonly WireMarkKind[];
  /** The number of marks of the beginning that are left out. */
  readonly cut: number;
}

/** The context of a machine after a row, and its change by that row. */
export interface WireContext {
  readonly seq: number;
  readonly actor: string;
  readonly event: readonly string[];
  readonly state: string;
  readonly context: readonly string[];
  readonly changes: readonly {
    readonly op: string;
    readonly path: string;
    readonly before: string;
    readonly after: string;
  }[];
}

/** The states and edges that a run has travelled. */
export interface WireDiagram {
  readonly machines: readonly {
    readonly actor: string;
    readonly nodes: readonly {
      readonly id: string;
      readonly name: string;
      readonly active: boolean;
      readonly visits: number;
    }[];
    readonly edges: readonly {
      readonly from: string;
      readonly to: string;
      readonly label: string;
      readonly times: number;
      readonly last: boolean;
    }[];
  }[];
  readonly left: number;
}
