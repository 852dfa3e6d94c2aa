/** The tables of what is measured besides the cases (DART tables 4, 11, 25, 28, 29). */
import { mean, median } from 'simple-statistics';
import type { Depth, Overhead, Signalled, WrongEdge } from '../experiments.ts';
import type { JudgedCase } from '../judge.ts';
import type { Paper } from '../paper.ts';
import type { Reviewed } from '../reviewed.ts';
import { beside, only, type Table } from '../workloads/table.ts';
import { eventsOf } from './calibration.ts';
import { domainsOf, REGIMES, round, rowsOf } from './recovery.ts';

/** A: what finer checkpoints are worth. */
export function granularityTable(judged: readonly JudgedCase[], paper: Paper): Table {
  const strategies = ['comp-frozen', 'belay', 'coarse-state-retry', 'comp-entry-only', 'retry-only'] as const;
  return {
    id: 'ablation-granularity',
    title: 'Ablation A: checkpoint granularity, mean replay over successful runs',
    notes: [
      'A strategy without a figure blocked every such case, or has no snapshot to go back to. The paper’s are those of single rows.',
    ],
    columns: [
      { key: 'regime', title: 'regime' },
      { key: 'domain', title: 'domain' },
      ...strategies.map((key) => ({ key, title: key, better: 'lower' as const })),
    ],
    rows: REGIMES.flatMap((regime) =>
      domainsOf(judged, paper).map((domain) => [
        only(regime),
        only(domain),
        ...strategies.map((strategy) => {
          const replays = rowsOf(judged, regime, domain, strategy).flatMap(({ success, replay }) =>
            success && replay !== null ? [replay] : [],
          );
          const theirs =
            paper.ablations.granularity[regime]?.[domain]?.[strategy === 'belay' ? 'comp-frozen' : strategy];
          return beside(replays.length === 0 ? null : round(mean(replays)), theirs, 'lower');
        }),
      ]),
    ),
  };
}

/** B: what a wrong edge does. */
export function wrongEdgeTable(edges: readonly WrongEdge[], paper: Paper): Table {
  return {
    id: 'ablation-wrong-edge',
    title: 'Ablation B: a legal edge declared as an exit, whatever holds',
    notes: [
      'Who is marked as having left by the edge, though nothing was resolved: with the edge declared, and with the config as it is reviewed.',
    ],
    columns: [
      { key: 'domain', title: 'domain' },
      { key: 'edge', title: 'edge' },
      { key: 'declared', title: 'exit emitted when declared', better: 'equal' },
      { key: 'frozen', title: 'exit in the reviewed config', better: 'equal' },
      { key: 'marked', title: 'unresolved, and marked EXITED' },
    ],
    rows: edges.map(({ domain, edge, declared, frozen }) => [
      only(domain),
      only(edge),
      beside(declared.length > 0, paper.ablations.wrongEdge[domain]?.declared, 'equal'),
      beside(frozen.length > 0, paper.ablations.wrongEdge[domain]?.frozen, 'equal'),
      only(declared.join(', ')),
    ]),
  };
}

/** C: what is dropped once the guard of committed consumers is off, as the paper restores. */
export function droppedTable(judged: readonly JudgedCase[], paper: Paper): Table {
  const blocked = eventsOf(judged, 'comp-frozen').filter(({ blocked, case: each }) => {
    return blocked && each.counterfactuals.some(({ codes }) => codes.includes('committed_consumers_present'));
  });
  return {
    id: 'ablation-guard-off',
    title: 'Ablation C: committed consumers that a restore drops once no guard asks for them',
    notes: [
      'A refused checkpoint of Comp-Frozen restored as a whole snapshot. A consumer is dropped where what it had promised lies behind the snapshot.',
    ],
    columns: [
      { key: 'domain', title: 'domain' },
      { key: 'case', title: 'case' },
      { key: 'dropped', title: 'dropped', better: 'equal' },
      { key: 'who', title: 'who' },
    ],
    rows: blocked.map(({ case: each }) => {
      const forced = each.counterfactuals
        .filter(({ strategy, codes }) => strategy === 'comp-frozen' && codes.includes('committed_consumers_present'))
        .flatMap((counterfactual) => counterfactual.forced);
      const who = [...new Set(forced.flatMap(({ dropped }) => dropped))];
      return [
        only(each.domain),
        only(each.name),
        beside(who.length, paper.ablations.dropped[each.domain], 'equal'),
        only(who.join(', ')),
      ];
    }),
  };
}

/** The machines and their reviewed boundaries. */
export function reviewTable(reviewed: readonly Reviewed[], paper: Paper): Table {
  const keys = ['skeletons', 'commits', 'exits', 'pending', 'states', 'edges'] as const;
  return {
    id: 'review',
    title: 'Machines and reviewed boundaries',
    notes: [
      'Edges are pairs of states that the machine may take one after the other. Not recoverable are those that leave a skeleton by no boundary.',
    ],
    columns: [
      { key: 'domain', title: 'domain' },
      ...keys.map((key) => ({ key, title: key, better: 'equal' as const })),
      { key: 'exitEdges', title: 'exit edges' },
      { key: 'notRecoverable', title: 'legal but not recoverable' },
    ],
    rows: reviewed.map((each) => [
      only(each.domain),
      ...keys.map((key, index) => beside(each[key], paper.review.rows[each.domain]?.[index], 'equal')),
      only(each.exitEdges.join(', ')),
      only(each.notRecoverable.join(', ')),
    ]),
  };
}

/** True if each site answers every raw failure alike. */
export function signalsTable(
  sites: readonly {
    readonly site: string;
    readonly domain: string;
    readonly case: string;
    readonly signals: readonly Signalled[];
  }[],
  paper: Paper,
): Table {
  return {
    id: 'signals',
    title: 'Failure signals: one decision for every raw failure at a site',
    notes: [
      'Each raw failure is really raised at the call of the case, or each signal told by somebody who finds the work wrong. One decision is what has to come of all of them.',
    ],
    columns: [
      { key: 'site', title: 'site' },
      { key: 'case', title: 'case' },
      { key: 'raw', title: 'raw failures', better: 'higher' },
      { key: 'decisions', title: 'decisions', better: 'lower' },
      { key: 'frozen', title: 'Comp-Frozen', better: 'equal' },
      { key: 'belay', title: 'Belay' },
    ],
    rows: sites.map(({ site, domain, case: name, signals }) => {
      const [decision, checkpoint, raw] = paper.signals.rows[site] ?? [];
      const theirs = decision === undefined ? null : decision === 'eligible' ? `restore ${checkpoint}` : decision;
      const answers = (of: 'frozen' | 'belay') => [...new Set(signals.map((each) => each[of]))];
      const frozen = answers('frozen');
      const told = frozen.join(' / ');
      const isSame = theirs !== null && (told === theirs || told.endsWith(` ${theirs}`));
      return [
        only(site),
        only(`${domain}/${name}`),
        beside(signals.length, raw, 'higher'),
        beside(Math.max(frozen.length, answers('belay').length), decision === undefined ? null : 1, 'lower'),
        theirs === null ? only(told) : { ours: told, paper: theirs, mark: isSame ? 'same' : 'not comparable' },
        only(answers('belay').join(' / ')),
      ];
    }),
  };
}

/** The sizes that grow with the checkpoints. */
export function depthTable(all: readonly Depth[], paper: Paper): Table {
  const depths = all.slice(0, paper.depth.depths);
  const [first, last] = [depths[0], depths.at(-1)];
  const growth = (of: (each: Depth) => number) =>
    first === undefined || last === undefined ? null : round(of(last) / of(first));
  const peak = Math.max(...depths.map(({ inline, registry }) => inline / registry));
  const restore = median(depths.map(({ restoreRegistry, restoreInline }) => restoreRegistry / restoreInline));
  return {
    id: 'depth',
    title: 'Snapshot depth: registry_only_v1 against inline_snapshot_manager_v1',
    notes: [
      'The schedule form with one slot, two, and so on to five. registry_only_v1 keeps a registry of instances and checkpoints over the journal; inline_snapshot_manager_v1 keeps what xstate persists at each checkpoint. Restoring the first folds the journal from its beginning, which is what a fresh process does; in place Belay folds only what changed.',
      'Growth is from the first depth to the last. What the paper measured is not spelt out, so the figures stand side by side without a mark.',
    ],
    columns: [
      { key: 'what', title: '' },
      { key: 'figure', title: 'ours' },
    ],
    rows: [
      ...depths.map(({ checkpoints, registry, journal, inline }, index) => [
        only(`depth ${index + 1}: checkpoints / registry / journal / inline bytes`),
        only(`${checkpoints} / ${registry} / ${journal} / ${inline}`),
      ]),
      [
        only('payload, inline to registry, at the peak'),
        beside(round(peak), paper.depth.payloadRatio, 'higher', false),
      ],
      [only('restore, registry to inline'), beside(round(restore), paper.depth.restoreRatio, 'lower', false)],
      [
        only('growth of the journal'),
        beside(
          growth(({ journal }) => journal),
          paper.depth.growth.snapshotManager,
          'lower',
          false,
        ),
      ],
      [
        only('growth of the registry'),
        beside(
          growth(({ registry }) => registry),
          paper.depth.growth.registry,
          'lower',
          false,
        ),
      ],
      [
        only('growth of the inline payload'),
        beside(
          growth(({ inline }) => inline),
          paper.depth.growth.inline,
          'lower',
          false,
        ),
      ],
    ],
  };
}

/** The cost of a run that does not fail. */
export function overheadTable(overheads: readonly Overhead[], paper: Paper): Table {
  return {
    id: 'overhead',
    title: 'No-failure overhead',
    notes: [
      'Medians of whole runs in turn, without the sidecar and with it, in milliseconds of this machine; the difference is everything that the sidecar does. The paper’s are another machine’s: context, and never a target.',
    ],
    columns: [
      { key: 'domain', title: 'domain' },
      { key: 'runs', title: 'runs' },
      { key: 'plain', title: 'plain ms' },
      { key: 'sidecar', title: 'sidecar ms' },
      { key: 'hook', title: 'difference ms', better: 'lower' },
      { key: 'bytes', title: 'bytes of the journal', better: 'lower' },
      { key: 'peak', title: 'bytes of the largest snapshot' },
    ],
    rows: overheads.map(({ domain, plain, sidecar, journal, peak }) => {
      const theirs = paper.overhead.rows[domain];
      return [
        only(domain),
        only(plain.length),
        only(round(median([...plain]))),
        only(round(median([...sidecar]))),
        beside(round(median([...sidecar]) - median([...plain])), theirs?.hook, 'lower', false),
        beside(journal, theirs?.peak, 'lower', false),
        only(peak),
      ];
    }),
  };
}
