/**
 * Mistakes as people make them, planted one at a time in the configs of the five agents, and who finds each: `belay check` by reading, or `belay
 * rehearse` by the world that a run leaves. Prints the table, and ends with 1 where it is not as it stands here.
 *
 *     npm run prove planted
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = join(ROOT, 'dist/cli/main.js');
const AGENTS = join(ROOT, 'build/domains/agents.js');

/** What a rehearsal shows of a mistake: a run does harm, one more run parks, a finding is new, the agent cannot be rehearsed, or nothing. */
type Shown = 'harm' | 'parks' | 'finding' | 'refused' | 'nothing';

/** A mistake in the config of an agent: one text in place of another that stands there once. */
export interface Mistake {
  readonly agent: string;
  readonly what: string;
  readonly from: string;
  readonly to: string;
  /** The runs of the rehearsal: those whose id has this text in it. */
  readonly only: string;
  /** The codes of the errors and warnings that `belay check` says of the config, and did not before. */
  readonly check: readonly string[];
  /** What a rehearsal shows where `belay check` says nothing; null where that has said it. */
  readonly rehearse: Shown | null;
}

export const MISTAKES: readonly Mistake[] = [
  {
    agent: 'schedule-form',
    what: 'a mail is declared as idempotent',
    from: 'effect: irreversible\n    reconcile: { ask: find_submission',
    to: 'effect: idempotent\n    reconcile: { ask: find_submission',
    only: 'submit_schedule#1/lost',
    check: [],
    rehearse: 'harm',
  },
  {
    agent: 'schedule-form',
    what: 'a hold on a calendar is declared as no effect',
    from: "writes: ['slots/{args.slot}/value', 'slots/{args.slot}/status', 'holds:{args.slot}']\n    effect: reversible\n    undo: put_back\n    reconcile: find_hold\n    timeout: 60s\n    output: { type: [string, 'null'], maxLength: 6 }",
    to: "writes: ['slots/{args.slot}/value', 'slots/{args.slot}/status', 'holds:{args.slot}']\n    effect: none\n    timeout: 60s\n    output: { type: [string, 'null'], maxLength: 6 }",
    only: 'choose_slot#1/lost',
    check: ['none_writes_outside'],
    rehearse: null,
  },
  {
    agent: 'schedule-form',
    what: 'a tool is misspelt',
    from: '  check_room: #',
    to: '  check_rom: #',
    only: 'check_room#1/lost',
    check: ['tool_never_called', 'tool_undeclared'],
    rehearse: null,
  },
  {
    agent: 'schedule-form',
    what: 'all slots are one entity',
    from: 'entity: args.slot',
    to: 'entity: \'"slot"\'',
    only: 'slot-chosen',
    check: ['entity_constant'],
    rehearse: null,
  },
  {
    agent: 'navigation',
    what: 'a booking with a deposit is declared as idempotent',
    from: 'effect: compensable\n    undo: cancel_reservation',
    to: 'effect: idempotent',
    only: 'reserve_charger#1/lost',
    check: [],
    rehearse: 'finding',
  },
  {
    agent: 'navigation',
    what: 'a promise is forgotten among the anchors',
    from: 'anchors: [quoted, reserved, published, filed]',
    to: 'anchors: [quoted, reserved, filed]',
    only: 'publish_route#1/lost',
    check: ['never_certifies'],
    rehearse: null,
  },
  {
    agent: 'diagnosis',
    what: 'a state with a call is forgotten',
    from: 'states: [PLANNING_REPAIR, REPAIRING, VERIFYING, NOTIFYING, CLOSING]',
    to: 'states: [PLANNING_REPAIR, REPAIRING, VERIFYING, NOTIFYING]',
    only: 'close_incident#1/lost',
    check: ['call_outside_skeletons', 'never_certifies'],
    rehearse: null,
  },
  {
    agent: 'diagnosis',
    what: 'a reconciler is forgotten',
    from: '    undo: take_back\n    reconcile: find_repair\n',
    to: '    undo: take_back\n',
    only: 'apply_repair#1/lost',
    check: [],
    rehearse: 'finding',
  },
  {
    agent: 'etl-pipeline',
    what: 'a read is forgotten',
    from: "reads: [asked, 'tables/*/loaded', 'warehouse:**']\n    writes: [report]",
    to: 'reads: [asked]\n    writes: [report]',
    only: 'loaded',
    check: [],
    rehearse: 'nothing',
  },
  {
    agent: 'etl-pipeline',
    what: 'a condition holds always',
    from: 'when: memory.publication != null',
    to: "when: 'true'",
    only: 'publish_report#1/lost',
    check: [],
    rehearse: 'nothing',
  },
  {
    agent: 'etl-pipeline',
    what: 'a state is misspelt on an edge',
    from: 'at: BUILDING_REPORT -> PUBLISHING',
    to: 'at: BUILDING_REPORT -> PUBLISHNG',
    only: 'publish_report#1/lost',
    check: ['irreversible_before_commit', 'unknown_state'],
    rehearse: null,
  },
  {
    agent: 'travel-planning',
    what: 'the commit of a held call is forgotten among the anchors',
    from: 'anchors: [within-budget, ticketed, roomed, tabled, paid, lowered, sent]',
    to: 'anchors: [within-budget, ticketed, roomed, tabled, lowered]',
    only: 'draw_budget#1/lost',
    check: ['never_certifies'],
    rehearse: null,
  },
  {
    agent: 'travel-planning',
    what: 'a write outside is forgotten',
    from: "writes: ['cities/{args.place}/room', 'rooms:{args.city}']",
    to: "writes: ['rooms:{args.city}']",
    only: 'hold_room#1/lost',
    check: ['output_unwritten'],
    rehearse: null,
  },
  {
    agent: 'travel-planning',
    what: 'an undo is misspelt',
    from: '    undo: cancel_rooms',
    to: '    undo: cancel_room',
    only: 'book_rooms#1/lost',
    check: [],
    rehearse: 'refused',
  },
];

/** A config with its mistake. @throws where its text does not stand there once. */
export function planted({ agent, from, to }: Mistake): string {
  const text = readFileSync(join(ROOT, `boundaries/${agent}.yaml`), 'utf8');
  if (text.split(from).length !== 2) throw new Error(`this does not stand once in ${agent}.yaml: ${from}`);
  return text.replace(from, () => to);
}

/** The output of a verb as JSON, whatever it ends with. */
async function asked(...args: readonly string[]): Promise<unknown> {
  const ran = await promisify(execFile)(process.execPath, [MAIN, ...args, '--machines', AGENTS, '--json'], {
    maxBuffer: 256 * 1024 * 1024,
  }).catch((error: { stdout: string }) => error);
  return JSON.parse(ran.stdout);
}

/** The codes, errors and warnings, that `belay check` says of a config, each as often as it says it. */
export async function codesOf(file: string): Promise<string[]> {
  const { files } = (await asked('check', file)) as {
    files: { findings: { code: string; severity: string }[] }[];
  };
  return files.flatMap(({ findings }) =>
    findings.filter(({ severity }) => severity !== 'note').map(({ code }) => code),
  );
}

interface Rehearsed {
  readonly paths: readonly { readonly findings: readonly string[] }[];
  readonly totals: { readonly harm: number; readonly parked: number };
}

/** What a rehearsal shows of a config, beside that of another one. */
export function shownBeside(before: Rehearsed | null, now: Rehearsed | null): Shown {
  if (before === null || now === null) return 'refused';
  if (now.totals.harm > before.totals.harm) return 'harm';
  if (now.totals.parked > before.totals.parked) return 'parks';
  const count = ({ paths }: Rehearsed) => paths.reduce((sum, { findings }) => sum + findings.length, 0);
  return count(now) > count(before) ? 'finding' : 'nothing';
}

/** The report of a rehearsal of a few runs; null where the agent could not be rehearsed at all. */
export async function rehearsalOf(agent: string, file: string, only: string): Promise<Rehearsed | null> {
  try {
    return (await asked(
      'rehearse',
      agent,
      '--config',
      file,
      '--only',
      only,
      '--kills',
      'none',
      '--sample',
      '6',
    )) as Rehearsed;
  } catch {
    return null;
  }
}

/** Those of one list that are not in another, counted. */
export function added(before: readonly string[], now: readonly string[]): string[] {
  const left = [...before];
  return now
    .filter((code) => {
      const at = left.indexOf(code);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    })
    .toSorted();
}

/** A mistake in a file of its own, for as long as the work with it takes. */
export async function withMistake<T>(mistake: Mistake, work: (file: string, before: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-planted-'));
  const file = join(folder, `${mistake.agent}.yaml`);
  writeFileSync(file, planted(mistake));
  try {
    return await work(file, join(ROOT, `boundaries/${mistake.agent}.yaml`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  for (const mistake of MISTAKES) {
    const { agent, what, only } = mistake;
    const [check, rehearse] = await withMistake(mistake, async (file, before) => {
      const codes = [...new Set(added(await codesOf(before), await codesOf(file)))];
      if (codes.length > 0) return [codes, null] as const;
      return [
        codes,
        shownBeside(await rehearsalOf(agent, before, only), await rehearsalOf(agent, file, only)),
      ] as const;
    });
    const isSame = JSON.stringify([check, rehearse]) === JSON.stringify([mistake.check, mistake.rehearse]);
    console.log(
      `${agent} | ${what} | ${check.join(', ') || '-'} | ${rehearse ?? 'not asked'}${isSame ? '' : ' | NOT AS IT STANDS'}`,
    );
    if (!isSame) process.exitCode = 1;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
