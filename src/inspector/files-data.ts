/** The values that the server sends to the page about configs, rehearsals and ledgers. */

/** The facts of one config and of its review. */
export interface InspectedConfig {
  readonly file: string;
  readonly agent: string | null;
  readonly digest: string | null;
  /** The newest review of the file; `holds` says whether it is of exactly this content. Null where there is none. */
  readonly review: { readonly by: string; readonly when: string; readonly holds: boolean } | null;
  /** The reason why it cannot be used; null where it can. */
  readonly problem: string | null;
  readonly boundaries: readonly InspectedBoundary[];
  /** The machine that it is for; null where no module was named, or it has none. */
  readonly machine: InspectedMachine | null;
}

/** A machine with the boundaries of a config. */
interface InspectedMachine {
  readonly states: readonly string[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly event: string;
    /** The reason why no boundary certifies where the edge ends a unit of work: legal, but not recoverable. Null for any other. */
    readonly lost: string | null;
  }[];
}

/** One boundary of a config. */
interface InspectedBoundary {
  readonly skeleton: string;
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  /** The edge that it lies on; null where it lies in a state. */
  readonly edge: { readonly from: string; readonly to: string } | null;
  readonly when: string;
}

/** The matrix of a rehearsal: rows of places, and the letters of their runs. */
export interface InspectedMatrix {
  readonly file: string;
  readonly agent: string;
  readonly totals: Readonly<Record<'same' | 'parked' | 'harm' | 'unreached', number>>;
  readonly tables: readonly {
    readonly title: string;
    readonly columns: readonly string[];
    readonly rows: readonly {
      readonly place: string;
      readonly cells: readonly (readonly { readonly is: string; readonly text: string }[])[];
    }[];
  }[];
}

/** An entry of a ledger, in words. */
export interface InspectedEntry {
  readonly time: number | null;
  readonly text: string;
  readonly under: readonly string[];
  /** The commands that pay what is owed. */
  readonly commands: readonly string[];
}

/** The three ledgers of a run, in words. */
export interface InspectedLedger {
  readonly decisions: readonly InspectedEntry[];
  readonly effects: readonly InspectedEntry[];
  readonly obligations: readonly InspectedEntry[];
}

/** Everything that the server was handed beside the journal. */
export interface WireConfigs {
  readonly configs: readonly (InspectedConfig & {
    /** The runs of the file that go by this content. */
    readonly runs: number;
  })[];
  /** The digests that runs of the file go by and that no named config has. */
  readonly others: readonly { readonly digest: string; readonly runs: number }[];
  readonly matrices: readonly InspectedMatrix[];
}
