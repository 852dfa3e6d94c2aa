/** Lints of the code that a machine shows: the inputs that states pass to tools, and actions without a name. */
import type { MachineShape } from '../../model/machine.ts';
import type { BoundaryConfig } from '../config.ts';
import { entriesOf, field, type Item } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';

/** Reports what the code of a machine shows. */
export function lintCode(config: BoundaryConfig, root: Item, shape: MachineShape, findings: Findings): void {
  const agent = field(root, 'agent')?.at ?? root.at;
  const places = new Map(entriesOf(field(root, 'tools')));
  const kinds = new Map(shape.actors.map(({ name, kind }) => [name, kind]));
  for (const { path, actor, lost, names } of shape.code?.inputs ?? []) {
    // A machine that is invoked is given its input again; what changes nothing is not journaled.
    const tools = shape.actors.filter(({ name }) => name === actor || name.startsWith(`${actor}/`));
    if (kinds.get(actor) === 'machine' || tools.every(({ name }) => config.tools.get(name)?.effect === 'none'))
      continue;
    const at = places.get(actor)?.at ?? agent;
    if (lost !== null) {
      const where = lost.path === '' ? 'an input' : `an input with ${lost.path},`;
      const message = `"${path}" calls "${actor}" with ${where} that no journal holds (${lost.reason.replaceAll('_', ' ')}): such a call parks the run`;
      const mend = 'Pass plain data, and have the tool look the rest up, or register a codec for it (`codecs`).';
      findings.report('no_codec', 'warning', at, message, mend);
    }
    if (names !== null && kinds.get(actor) === 'promise') {
      const message = `"${path}" calls "${actor}" with a tool's name in its input, "${names}": all those tools have one class, key and undo`;
      const mend = `Provide it as toolbox({ ... }), and declare each of its tools: "${actor}/NAME".`;
      findings.report('tool_dispatches', 'warning', at, message, mend);
    }
  }
  for (const place of new Set(shape.code?.actions)) {
    const message = `an action of "${place}" is code without a name: Belay cannot tell what it does, and does not guard it`;
    const mend = 'Name it, setup({ actions }), if it only changes the context; an act on the world is a tool.';
    findings.report('action_inline', 'warning', agent, message, mend);
  }
}
