/** Prints a scenario as compact text: the machine, the tools that are more than functions, what goes wrong. */
import { laterOf } from './raising.ts';
import { type Block, everyStep, type Fault, type Scenario, type Step, type ToolSpec, type Unit } from './scenario.ts';

/** A scenario as text. */
export function scenarioText(scenario: Scenario): string {
  const used = new Set([...everyStep(scenario)].flatMap(({ step }) => (step.step === 'call' ? [step.tool] : [])));
  const invoked = new Set([...everyStep(scenario)].flatMap(({ step }) => (step.step === 'child' ? [step.child] : [])));
  return [
    `machine: ${bodyText(scenario.body)}`,
    ...scenario.children
      .filter(({ name }) => invoked.has(name))
      .map(({ name, body }) => `child ${name}: ${bodyText(body)}`),
    ...scenario.tools.filter(({ name }) => used.has(name)).map((tool) => `tool ${toolText(tool)}`),
    ...scenario.faults.map((fault) => `fault: ${faultText(fault)}`),
    ...(scenario.paged ? ['a base after every row, all steps but the last paged out, and no row before it'] : []),
  ].join('\n');
}

function bodyText(body: readonly Block[]): string {
  return body.map(blockText).join('; ') || '(nothing)';
}

function blockText(block: Block): string {
  switch (block.block) {
    case 'unit':
      return `${block.name}${unitText(block)} { ${block.steps.map(stepText).join('; ')} }`;
    case 'loose':
      return `outside { ${stepText(block.step)} }`;
    case 'branch':
      return `if odd(${block.on}) { ${bodyText(block.odd)} } else { ${bodyText(block.even)} }`;
    case 'loop':
      return `${block.tight ? 'tight ' : ''}loop ${block.at} over ${block.times} ${block.over} { ${bodyText(block.body)} }`;
    case 'parallel':
      return `parallel ${block.at}${block.leaves ? ' (left by its first region while one more waits)' : ''} { ${block.regions.map(bodyText).join(' || ')} }`;
    case 'nest':
      return `state ${block.at}${block.rests ? ` (left and come back to behind its first part, then ${block.key} = 1)` : ''} { ${bodyText(block.body)} }`;
    case 'compute':
      return `${block.key} = f(${block.reads.join()})${block.coarse ? ' modulo 2' : ''}`;
    case 'raise':
      return `raise ${block.at}${laterOf(block) === undefined ? '' : ` ${laterOf(block)} ms later`}, then ${block.key} = 1`;
    case 'meet':
      return `wait for ${block.from} or ${block.key}`;
  }
}

function unitText({ name, skeleton = name, about, anchors, resume, undoes, joint, outcomes }: Unit): string {
  const marks = [
    ...(about === undefined ? [] : [`of ${skeleton} by ${about}`]),
    ...(anchors === 'all' ? [] : [`anchors ${anchors}`]),
    ...(resume ? [] : ['no resume']),
    ...(undoes ? ['compensable: undo'] : []),
    ...(joint === 'all' ? ['joint'] : []),
    ...(outcomes ? ['outcome checkpoints'] : []),
  ];
  return marks.length === 0 ? '' : ` [${marks.join(', ')}]`;
}

function stepText(step: Step): string {
  switch (step.step) {
    case 'call':
      return `${step.at}: ${step.key}${step.also === null ? '' : `, ${step.also}`} = ${step.tool}(${step.reads.join()})${step.retry ? ' with its own retry' : ''}${step.repeats === undefined ? '' : ` (the act of ${step.repeats} once more)`}`;
    case 'child':
      return `${step.at}: ${step.key} = machine ${step.child}(${step.reads.join()})`;
    case 'ask':
      return `${step.at}: ${step.key} = the answer${laterOf(step) === undefined ? '' : ` ${laterOf(step)} ms later`} of ${step.of === 'parent' ? 'the machine around' : 'another machine'} to ${step.reads.join() || 'nothing'}`;
    case 'delay':
      return `${step.at}: after ${step.ms} ms`;
    case 'await':
      return `${step.at}: ${step.key} = event ${step.at}`;
    case 'skip':
      return `${step.at}: skip the next if odd(${step.on})`;
  }
}

function toolText(tool: ToolSpec): string {
  const marks = [
    ...(tool.effect !== 'none' && !tool.reconcile ? ['nobody to ask'] : []),
    ...((tool.effect === 'reversible' || tool.effect === 'compensable') && !tool.undo ? ['no undo'] : []),
    ...(['refusesKey', 'buffer', 'gate', 'timeout', 'schema', 'spends'] as const).filter((flag) => tool[flag]),
    ...(tool.once === undefined ? [] : [`once by ${tool.once}`]),
    ...(tool.reads.length > 0 ? [`reads ${tool.reads.join()}`] : []),
    ...(tool.writes.length > 0 ? [`writes ${tool.writes.join()}`] : []),
  ];
  return `${tool.name}: ${tool.effect}${marks.length > 0 ? `, ${marks.join(', ')}` : ''} (${tool.before}+${tool.after} ms)`;
}

function faultText(fault: Fault): string {
  switch (fault.fault) {
    case 'wrong':
      return `${fault.site} answers wrong; complained about${fault.named ? ' by its key' : ''}${fault.twice ? ' twice' : ''} ${fault.calls} calls and ${fault.ms} ms after it is seen`;
    case 'misspelt':
      return `the ${fault.what} of ${fault.site} is misspelt in a complaint at call ${fault.calls}`;
    case 'by hand':
      return `after call ${fault.calls} and ${fault.after} ms act ${fault.which} is undone by hand, told ${fault.ms} ms later`;
    case 'restart':
      return `closed and taken up again ${fault.ms} ms after call ${fault.calls}`;
    case 'pause':
      return `paused ${fault.ms} ms after call ${fault.calls}, for ${fault.lasts} ms`;
    case 'killed':
      return `killed ${fault.when === 'lost' ? 'with what was not flushed lost' : fault.when} append ${fault.append}`;
    case 'reconciler down':
    case 'undo loses reply':
      return `${fault.fault} once`;
    case 'refuses':
    case 'not applied':
    case 'loses reply':
    case 'bad output':
    case 'late reply':
    case 'never replies':
    case 'acts late':
      return `${fault.site} ${fault.fault} once`;
  }
}
