/** The paper's tables by their numbers, and which of ours stand beside each. */

/** A table of the paper. */
interface PaperTable {
  readonly number: number;
  readonly title: string;
  /** Our tables, by their ids. */
  readonly ours: readonly string[];
  /** Where we have none, or not all of it: why. */
  readonly note?: string;
}

const HOSTED =
  'Not measured: it compares hosted models. Here every planner is scripted, so that a run is the same one each time. The row stays open.';

/** All of them. Where our copy of the paper has lost a number, the order of the text gives it: 1 to 4, 6 to 8, 15, 18 and 30 are named there. */
export const PAPER_TABLES: readonly PaperTable[] = [
  {
    number: 1,
    title: 'Recovery in the model-driven domains',
    ours: ['recovery'],
    note: 'Together with table 9: one row a regime, domain and strategy.',
  },
  { number: 2, title: 'LangGraph: three ways by regime', ours: ['langgraph-three-way'] },
  {
    number: 3,
    title: 'Semantic audit and calibration, in short',
    ours: [],
    note: 'Its counts are those of tables 21 and 22.',
  },
  { number: 4, title: 'Ablations', ours: ['ablation-granularity', 'ablation-wrong-edge', 'ablation-guard-off'] },
  { number: 5, title: 'Roadmap of the appendix', ours: [], note: 'It has no figures.' },
  { number: 6, title: 'The decisive row under five models', ours: [], note: HOSTED },
  { number: 7, title: 'Beyond the decisive row, under five models', ours: [], note: HOSTED },
  { number: 8, title: 'The five-domain universe', ours: ['universe'] },
  { number: 9, title: 'Recovery in the deterministic domains', ours: [], note: 'In the table under table 1.' },
  { number: 10, title: 'Paired statistics of latency', ours: ['latency'] },
  {
    number: 11,
    title: 'Overhead without a failure',
    ours: ['overhead'],
    note: 'Times of another machine, and bytes of one snapshot beside those of a whole journal: context, and no cell is compared.',
  },
  {
    number: 12,
    title: 'Checkpoint granularity',
    ours: [],
    note: 'In the first table under table 4; the paper’s are averages of 12, 4 and 1.',
  },
  { number: 13, title: 'LangGraph: runtime families', ours: ['langgraph-families'] },
  { number: 14, title: 'LangGraph: SemiReal by track', ours: ['langgraph-tracks', 'langgraph-direct'] },
  {
    number: 15,
    title: 'LangGraph: three ways by regime, again',
    ours: ['langgraph-transplant'],
    note: 'The rows of table 2; beside them the transplant, which the paper has in its text.',
  },
  { number: 16, title: 'LangGraph: safe-equivalent pairs', ours: ['langgraph-pairs'] },
  { number: 17, title: 'LangGraph: the blocking witness', ours: ['langgraph-witness'] },
  { number: 18, title: 'Denominators', ours: [], note: 'In tables 8, 21, 22 and 23.' },
  { number: 19, title: 'Pass and failure rules', ours: [], note: 'Its quantities are those of tables 21 and 22.' },
  {
    number: 20,
    title: 'What makes a row comparable',
    ours: [],
    note: 'It has no figures. Ours: the requirement of a domain is `requires` in audit/cases/*/domain.yaml.',
  },
  { number: 21, title: 'Semantic audit', ours: ['semantic'] },
  { number: 22, title: 'Blocking calibration', ours: ['calibration', 'newly-admitted'] },
  { number: 23, title: 'Localisation audit', ours: ['localisation', 'probes'] },
  {
    number: 24,
    title: 'Boundary edges',
    ours: [],
    note: 'The exit edges, and those that are legal and not recoverable, are columns of the table under table 25.',
  },
  { number: 25, title: 'Machines and reviewed boundaries', ours: ['review'] },
  {
    number: 26,
    title: 'Reviewer telemetry',
    ours: ['burden'],
    note: 'Counts alone: the minutes of a person are not measured, and stay open. The paper has 4 decisions and 2 validations for the schedule form, on drafts that its tool made from the router and the planners as well.',
  },
  { number: 27, title: 'Candidates against frozen configs', ours: ['candidates'] },
  { number: 28, title: 'Normalisation of failure signals', ours: ['signals'] },
  { number: 29, title: 'Snapshot depth', ours: ['depth'] },
  {
    number: 30,
    title: 'Property-wise necessity',
    ours: ['necessity'],
    note: 'A guard whose loss harms no row of the world breaks an answer or a promise instead (last columns). What it costs to take the first of several names is counted in rows under table 23.',
  },
];
