/** The study on LangGraph case by case, the blocking witness (DART table 17), and what of it is not as it has to be. */
import { keysOf } from '../../domains/there.ts';
import { RUNTIMES, type Runtime, type Studied, type StudyRow, type Witnessed } from '../langgraph/study.ts';
import type { Paper } from '../paper.ts';
import { beside, only, type Table } from '../workloads/table.ts';
import { isAsOnMachine, rowsBy } from './langgraph.ts';
import { medianOf } from './recovery.ts';

/** The result of each way back past committed consumers. */
export function witnessTable(witnesses: readonly Witnessed[], { langgraph: { witness } }: Paper): Table {
  const settings = { on: 'the gate on', off: 'the gate off', langgraph: 'LangGraph goes back by itself' } as const;
  return {
    id: 'langgraph-witness',
    title: 'LangGraph: the blocking witness',
    notes: [
      'A producer is found wrong once others have committed what they made of it. The consumers are those that the vetoes name from the journal; dropped are those of them whose promise a restore takes back: by the moves of the line that Belay then takes, and by the nodes that LangGraph runs again.',
    ],
    columns: [
      { key: 'case', title: 'case' },
      { key: 'setting', title: 'setting' },
      { key: 'producer', title: 'producer', better: 'equal' },
      { key: 'admitted', title: 'admitted', better: 'equal' },
      { key: 'veto', title: 'veto', better: 'equal' },
      { key: 'dropped', title: 'dropped', better: 'equal' },
      { key: 'consumers', title: 'committed consumers', better: 'equal' },
      { key: 'twice', title: 'twice in the world' },
    ],
    groups: 1,
    rows: witnesses.flatMap(({ case: name, producer, consumers, ...by }) =>
      (['on', 'off', 'langgraph'] as const).map((setting) => {
        const { admitted, veto, dropped, twice } = by[setting];
        const who = setting === 'on' ? consumers : dropped;
        return [
          only(name),
          only(settings[setting]),
          beside(producer, witness.producer, 'equal'),
          beside(admitted, witness[setting].admitted, 'equal'),
          beside(veto, witness[setting].veto, 'equal'),
          beside(dropped.length, witness[setting].dropped, 'equal'),
          beside(who.join(', '), [...witness.consumers].sort().join(', '), 'equal'),
          only(twiceText(twice)),
        ];
      }),
    ),
  };
}

/** The place that each runtime went back to in each case, and the result. */
export function studiedTable(studied: readonly Studied[]): Table {
  return {
    id: 'langgraph-cases',
    title: 'LangGraph: every case under every runtime',
    notes: [
      'back to: the instance whose node runs again, and its checkpoint; settle: the held call was answered, and nothing was gone back to. against: what stands against the other checkpoints. crossed: what was promised behind that, as the journal has it, and is done again without leave. twice: rows in the world, by table.',
      `Runtimes: ${Object.entries(RUNTIMES)
        .map(([name, what]) => `${name} – ${what}`)
        .join('; ')}.`,
    ],
    columns: [
      { key: 'domain', title: 'domain' },
      { key: 'case', title: 'case' },
      { key: 'runtime', title: 'runtime' },
      { key: 'sets', title: 'sets' },
      { key: 'success', title: 'success' },
      { key: 'safe', title: 'safe' },
      { key: 'replay', title: 'replay' },
      { key: 'upstream', title: 'upstream' },
      { key: 'backTo', title: 'back to' },
      { key: 'against', title: 'against' },
      { key: 'crossed', title: 'crossed' },
      { key: 'twice', title: 'twice' },
      { key: 'missing', title: 'lost' },
      { key: 'unexpected', title: 'wrong' },
    ],
    groups: 2,
    rows: studied.flatMap((each) =>
      keysOf<Runtime>(RUNTIMES).flatMap((runtime) => {
        const rows = rowsBy([each], runtime);
        const [first] = rows;
        if (first === undefined) return [];
        return [
          [
            only(each.domain),
            only(each.name),
            only(runtime),
            only(each.sets.join(', ')),
            only(rows.filter(({ success }) => success).length / rows.length),
            only(rows.filter(({ safe }) => safe).length / rows.length),
            only(medianOf(rows.map(({ replay }) => replay))),
            only(medianOf(rows.map(({ upstream }) => upstream))),
            only(first.backTo),
            only(first.vetoes.join('; ')),
            only(first.crossed.join(', ')),
            only(twiceText(first.twice)),
            only(first.difference.missing),
            only(first.difference.unexpected),
          ],
        ];
      }),
    ),
  };
}

function twiceText(twice: StudyRow['twice']): string {
  return Object.entries(twice)
    .map(([table, count]) => `${table} ${count}`)
    .join(', ');
}

/** Counts the cases in which the world is not that of the run that never failed, and the rows that are there twice, of one run each. */
export function harmIn(studied: readonly Studied[]) {
  const firsts = (runtime: Runtime) => rowsBy(studied, runtime).filter(({ seed }) => seed === 0);
  const harmed = (runtime: Runtime) =>
    firsts(runtime).filter(
      ({ difference: { duplicates, missing, unexpected } }) => duplicates + missing + unexpected > 0,
    ).length;
  const twice = (runtime: Runtime) => firsts(runtime).reduce((sum, { difference }) => sum + difference.duplicates, 0);
  return {
    harmed: { native: harmed('restore'), belay: harmed('gated') },
    twice: { native: twice('restore'), belay: twice('gated') },
  };
}

/** Everything in the study that is not as it has to be, in words. */
export function wrongIn(studied: readonly Studied[], witnesses: readonly Witnessed[]): readonly string[] {
  return [...studied.flatMap(wrongInCase), ...witnesses.flatMap(wrongInWitness)];
}

function wrongInCase(each: Studied): readonly string[] {
  const who = `langgraph, ${each.domain}/${each.name}`;
  const gated = rowsBy([each], 'gated');
  return [
    ...gated
      .filter(({ blocked, safe }) => !blocked && !safe)
      .map(({ seed, twice }) => `${who}, seed ${seed}: an UNSAFE admission on the graph (${twiceText(twice)})`),
    ...(isAsOnMachine(each, 'gated') ? [] : [`${who}: the graph replays other calls than the machine`]),
  ];
}

/** A gate that is needed refuses, and names exactly those that each way past it drops. */
function wrongInWitness({ case: name, consumers, on, off, langgraph }: Witnessed): readonly string[] {
  const who = `langgraph, the witness ${name}`;
  const all = consumers.join(', ');
  const past = [
    ['with the gate off', off],
    ['by LangGraph', langgraph],
  ] as const;
  return [
    ...(on.admitted ? [`${who}: the gate admits it`] : []),
    ...past.flatMap(([how, { dropped }]) => {
      const others = dropped.join(', ');
      return others === all ? [] : [`${who}: ${how} it drops ${others || 'no one'}, and the gate names ${all}`];
    }),
  ];
}
