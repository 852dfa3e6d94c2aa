/** What becomes of the calls of each tool where a run does not go straight on, as the rules of semantics.md have it. Pure. */
import type { BoundaryConfig, Tool } from './config.ts';
import { writtenTime } from './page/time.ts';

/** The panel of one tool: a sentence for each case, without a full stop. */
export interface ToolPanel {
  /** The name of the tool; null for every tool that the config does not declare. */
  readonly tool: string | null;
  readonly effect: Tool['effect'];
  /** The work of the call is done again. */
  readonly replay: string;
  /** The call has left, and its reply is lost. */
  readonly lost: string;
  /** A rollback goes past the call, once it is confirmed. */
  readonly wrong: string;
  /** The run is aborted: `belay cancel RUN --undo`. */
  readonly abort: string;
}

/** The panels of all tools of a config, in the order of the config; the last panel is about undeclared tools. */
export function toolPanels(config: BoundaryConfig): readonly ToolPanel[] {
  const panels = [...config.tools.values()].map((tool): ToolPanel => {
    return {
      tool: tool.name,
      effect: tool.effect,
      replay: inReplay(tool),
      lost: replyLost(tool),
      wrong: foundWrong(tool, config),
      abort: aborted(tool),
    };
  });
  return [...panels, UNDECLARED];
}

/** Silence is never permission: what is not declared is irreversible, and can be asked about by no one but a person. */
const UNDECLARED: ToolPanel = {
  tool: null,
  effect: 'irreversible',
  replay: 'is answered as before; another question parks the run',
  lost: 'a person is asked what became of it',
  wrong: 'stops the rollback',
  abort: 'stands, and is named',
};

function inReplay({ effect, undo, decides, revalidate, buffer }: Tool): string {
  const held = buffer === null ? '' : '; it leaves once its unit commits';
  switch (effect) {
    case 'none': {
      if (decides) return 'is answered as before where the question is equal, and else asked anew';
      if (revalidate === null) return 'is made again';
      const age = revalidate.for === 0 ? '' : ` and the answer is older than ${writtenTime(revalidate.for)}`;
      return `is made again; and looked at again right before an act that rests on it${age}`;
    }
    case 'idempotent':
      return 'is answered as before; another request under the same key is refused';
    case 'reversible':
    case 'compensable':
      return `${undo === null ? 'is not reached' : `is made anew, behind ${quoted(undo)}`}; set aside with its unit, it is answered as before${held}`;
    case 'irreversible':
      return `is answered as before; another question parks the run${held}`;
  }
}

function replyLost({ effect, reconcile, see, keyValid, asking }: Tool): string {
  if (effect === 'none' || effect === 'idempotent') return 'is made again';
  const forgets = keyValid === null ? '' : `; after ${writtenTime(keyValid)} it is never sent again under its key`;
  if (see !== null) return `${quoted(see.tool)} looks whether it happened${forgets}`;
  if (reconcile === null) return `a person is asked what became of it${forgets}`;
  return `${quoted(reconcile)} is asked, ${asking.tries === 1 ? 'once' : `up to ${asking.tries} times`}, and then a person${forgets}`;
}

function foundWrong({ effect, undo, buffer }: Tool, { skeletons }: BoundaryConfig): string {
  const held = buffer === null ? '' : 'is discarded before its unit commits, and behind that ';
  switch (effect) {
    case 'none':
      return 'passes';
    case 'idempotent':
      return 'passes, and stays';
    case 'irreversible':
      return `${held}stops the rollback`;
    case 'reversible':
      return `${held}${undo === null ? 'stops the rollback: it has no undo' : `${quoted(undo)} takes it back`}`;
    case 'compensable': {
      if (undo === null) return `${held}stops the rollback: it has no undo`;
      const blocked = [...skeletons.values()].filter(({ rollback }) => rollback.compensable === 'block');
      const names = blocked.map(({ name }) => quoted(name)).join(', ');
      return `${held}${quoted(undo)} makes it good${names === '' ? '' : `; stops a rollback of ${names}`}`;
    }
  }
}

function aborted({ effect, undo }: Tool): string {
  if (effect === 'none') return 'nothing is left of it';
  if (effect === 'irreversible' || effect === 'idempotent') return 'stands, and is named';
  return undo === null
    ? 'stands, and is named: it has no undo'
    : `${quoted(undo)} undoes it; where that fails, it is owed`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
