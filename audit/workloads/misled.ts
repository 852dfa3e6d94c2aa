/**
 * A world in which one reading is wrong when it is first asked, and right from then on. Units that rely on it act on it, and some units
 * later it is found wrong. What each call was decided on stands beside its rows, so that an act on a wrong answer shows in the world.
 */
import { escapeSegment } from 'belay-sidecar';
import { textOf } from '../../domains/there.ts';
import type { Tool, World, Wrong } from './set.ts';
import { reliedOn } from './undoing.ts';
import { callName } from './wire.ts';

/** A wrong answer: the unit whose reading is wrong, the unit at which it is found, and the units that rely on it. */
export interface Misreading {
  readonly wrong: string;
  readonly found: string;
  /** The call of that unit that tells: its first one, before the unit has done anything, or its last one. */
  readonly by: 'look' | 'verify';
  /** The number of units after which it is found. */
  readonly distance: number;
  readonly relying: ReadonlySet<string>;
}

/** The inputs of a step's decision, once for each time that it stands; and the same as a text. */
interface Standing {
  readonly unit: string;
  readonly on: readonly unknown[];
  readonly text: string;
}

const unitOf = (args: unknown) => textOf(args, 'unit');

/** Opens a world around that of a set. @param misreading null for the world in which every answer is right. */
export function misledWorld(world: World, misreading: Misreading | null): World {
  const relied = new Map<string, Standing>();
  let asked = 0;
  let believed = false;
  let told = false;
  const look = (args: unknown) => {
    const unit = unitOf(args);
    if (unit !== misreading?.wrong) return `${unit}: as it is`;
    believed = asked === 0;
    asked += 1;
    return believed ? `${unit}: misread` : `${unit}: as it is`;
  };
  const noted = (name: string, tool: Tool): Tool => {
    const { change, act } = tool;
    if (change === undefined) return tool;
    const stand = (args: unknown, change: (on: readonly unknown[]) => readonly unknown[]) => {
      const on = change(relied.get(callName(name, args))?.on ?? []);
      relied.set(callName(name, args), { unit: unitOf(args), on, text: JSON.stringify(on) });
    };
    const note = (args: unknown) => {
      const answer = act.call(tool, args);
      if (reliedOn(args) !== undefined) stand(args, (on) => [...on, reliedOn(args)]);
      return answer;
    };
    const undo = (args: unknown, output: unknown) => {
      change.undo?.(args, output);
      const own = JSON.stringify(reliedOn(args));
      stand(args, (on) =>
        on.toSpliced(
          on.findLastIndex((each) => JSON.stringify(each) === own),
          1,
        ),
      );
    };
    return { act: note, change: { ...change, unit: unitOf, ...(change.undo !== undefined && { undo }) } };
  };
  const standing = () => [...relied].filter(([, { on }]) => on.length > 0);
  return {
    tools: {
      ...Object.fromEntries(Object.entries(world.tools).map(([name, tool]) => [name, noted(name, tool)])),
      look: { act: look },
      consult: { act: reliedOn },
      verify: { act: (args) => standing().flatMap(([, { unit, on }]) => (unit === unitOf(args) ? on : [])) },
    },
    rows: () => ({
      ...world.rows(),
      ...Object.fromEntries(standing().map(([name, { text }]) => [`relied on by ${name}`, text])),
    }),
    wrong: (tool, args) => {
      if (misreading === null || told || !believed) return null;
      if (tool !== misreading.by || unitOf(args) !== misreading.found) return null;
      told = true;
      return wrongOf(misreading);
    },
    ...(world.close !== undefined && { close: () => world.close?.() }),
  };
}

function wrongOf({ wrong, relying }: Misreading): Wrong {
  return {
    instance: { skeleton: 'Unit', entity: wrong },
    key: `units/${escapeSegment(wrong)}/seen`,
    before: { tool: 'look', args: { unit: wrong } },
    affects: (_, args) => relying.has(unitOf(args)),
  };
}
