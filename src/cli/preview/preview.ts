/**
 * `belay fail --dry` and `belay cancel --undo --dry`: the answer that a complaint, or an abort, would have, from the
 * journal, the machine and the config of the run. Nothing is left for the run.
 */
import { readConfig } from '../../boundaries/directory.ts';
import { JournalError, type JournalStore } from '../../journal/journal.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { KeyError } from '../../model/key.ts';
import { effectName, explain, type Outline, type PlaceText, quoted } from '../../recovery/explain.ts';
import { SidecarError } from '../../sidecar/sidecar-error.ts';
import type { PreviewAgent } from '../../workers/client.ts';
import { workClient } from '../../workers/client.ts';
import type { AnyStateMachine } from '../../xstate/actor.ts';
import type { AbortPreview, ComplaintPreview, PreviewedComplaint } from '../../xstate/preview.ts';
import { findMachines } from '../check/check.ts';
import { answerFields } from '../decide/answer.ts';
import { openJournal } from '../reading/journal-key.ts';
import type { Machines } from '../reading/machines.ts';
import { journalProblem, readRun } from '../reading/reading.ts';
import type { Problem } from '../run/run.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';

/** Options of a preview of an abort. */
export interface AbortOptions extends AgentOptions {
  readonly journal: string;
  readonly run: string;
}

/** The agent of a run that is previewed. */
export interface AgentOptions {
  /** The module that exports the machine or the agent; null for the one that package.json names. */
  readonly machines: string | null;
  /** The config; null for the one of the agent. */
  readonly config: string | null;
  /** Told of the module that package.json names, and whose code is about to be run. */
  onModule(file: string): void;
}

/** Options of a preview of a complaint. */
export interface PreviewOptions extends AbortOptions {
  readonly fail: PreviewedComplaint;
}

/** Makes the preview of a complaint. A run that takes no such complaint is a problem of code 1. */
export function previewFailure({ fail, ...options }: PreviewOptions): Promise<Placed<ComplaintPreview> | Problem> {
  return withAgent(options, (store, agent) => workClient(store).preview(options.run, { fail }, agent));
}

/** Makes the preview of an abort. A run that has ended is a problem of code 1. */
export function previewUndo(options: AbortOptions): Promise<Placed<AbortPreview> | Problem> {
  return withAgent(options, (store, agent) => workClient(store).preview(options.run, { undo: true }, agent));
}

/** A preview, with the words for the events that it names. */
export type Placed<Made> = Made & { readonly place: PlaceText };

/** Finds the agent of a run, and has a preview made with it. */
export async function withAgent<Made extends object>(
  options: AbortOptions,
  make: (store: JournalStore, agent: PreviewAgent) => Promise<Made>,
): Promise<Placed<Made> | Problem> {
  const { journal, run } = options;
  const machines = await findMachines(options.machines, options.onModule);
  if ('problem' in machines) return machines;
  let store: JournalStore | undefined;
  try {
    store = await openJournal(journal, { readonly: true });
    const { runState, eventRows } = await readRun(store, run);
    const agent = agentNamed(runState.agent ?? '', machines, options.config);
    return 'problem' in agent ? agent : { ...(await make(store, agent)), place: eventRows.texts() };
  } catch (error) {
    return problemOf(journal, error);
  } finally {
    await store?.close();
  }
}

/** The machine or the program of a run and its config, from a module. */
function agentNamed(
  name: string,
  { machines, agents, programs, guards }: Machines,
  file: string | null,
): PreviewAgent | Problem {
  const [machine, program] = [machines.get(name), programs.get(name)];
  if (machine === undefined && program === undefined)
    return {
      problem: `no_machine no module has the machine "${name}": --machines FILE, or belay.machines in package.json`,
    };
  const path = file ?? (agents.get(name) ?? program)?.config;
  if (path === undefined)
    return { problem: `no_config no agent of the module names the config of "${name}": --config FILE` };
  const { config, findings } = readConfig(path, { guards });
  const [first] = findings.filter(({ severity }) => severity === 'error');
  if (config === null) return { problem: `${path}: ${first?.code ?? 'cannot_read'} ${first?.message ?? ''}` };
  if (program === undefined) return { machine: machine as unknown as AnyStateMachine, config };
  const { program: entered, said } = program;
  return { program: entered, config, ...(said !== undefined && { said }) };
}

/** The codes of errors that say what the module or the config is, and not what the run would answer. */
const OF_THE_AGENT: ReadonlySet<string> = new Set([
  'other_agent',
  'machine_changed',
  'config_changed',
  'config_refused',
]);

function problemOf(journal: string, error: unknown): Problem {
  if (error instanceof KeyError) return { problem: error.message };
  if (error instanceof SidecarError)
    return { problem: `${error.code} ${error.message}`, ...(!OF_THE_AGENT.has(error.code) && { code: 1 as const }) };
  if (error instanceof JournalError && error.code === 'run_unknown') return { problem: error.message };
  return { problem: journalProblem(journal, error) };
}

/** A preview as one object. */
export function previewFields(run: string, { at, answers, replaces, waitsFor }: ComplaintPreview): object {
  return {
    run,
    dry: true,
    at,
    waitsFor,
    replaces,
    answers: answers.map(answerAsObject),
  };
}

/** An answer to a complaint or to an act as one object. */
export function answerAsObject(answer: ComplaintPreview['answers'][number]): object {
  const { is, decision, back, stands, aside, undo, asks, movedInputs, events } = answer;
  return {
    is,
    ...(decision !== null && answerFields([...back.map(({ instance }) => instance), ...stands], decision)),
    stands: stands.map(instanceName),
    aside: aside.map(instanceName),
    undo: undo.map(({ instance, ...effect }) => ({ instance: instanceName(instance), ...effect })),
    asks: asks.map(({ id }) => id),
    movedInputs: movedInputs.map(({ instance, key, by }) => ({ ...named(instance), key, by: instanceName(by) })),
    events: events.map(typeOf),
  };
}

/** A preview in words. */
export function previewText(run: string, preview: Placed<ComplaintPreview>, medium: Medium): string {
  const { answers, place, replaces, waitsFor } = preview;
  const head: Outline = {
    label: run,
    text: 'nothing was left for the run; this is what the complaint would come to',
    under: [
      ...(waitsFor === null ? [] : [{ text: `It would be answered behind ${waitsFor}, which may change the answer.` }]),
      ...section('It would take the place of', replaces.map(instanceText)),
      ...(answers.length === 0 ? [{ text: 'That work is undone already: nothing moves.' }] : []),
    ],
  };
  const texts = answers.map((answer) => layOut(null, answerOutline(answer, place), medium));
  return [layOut(null, head, medium), ...texts].join('\n');
}

/** The answer to a complaint or to an act in words. */
export function answerOutline(answer: ComplaintPreview['answers'][number], place: PlaceText): Outline {
  const { is, decision, stands, aside, undo, asks, movedInputs, events } = answer;
  const made = decision === null ? { label: is, text: WITHOUT_DECISION[is] } : explain(decision, null, place);
  // The effects that a decision undoes stand in its explanation.
  const before = undo.filter((effect) => !(decision?.undo ?? []).includes(effect));
  return {
    ...made,
    under: [
      ...(('under' in made && made.under) || []),
      ...section(
        'Undone in the world first, in this order',
        before.map((effect) => effectName(effect, place)),
      ),
      ...section(
        'Asked about first; the outcome may change the answer',
        asks.map((effect) => effectName(effect, place)),
      ),
      ...section('Set aside, and taken over where it meets the same', aside.map(instanceText)),
      ...section(
        'Read in another version when it is done again',
        movedInputs.map(({ instance, key }) => `${quoted(key)}, by ${instanceText(instance)}`),
      ),
      ...section('Taken back', events.map(typeOf)),
      ...section('Kept whole', stands.map(instanceText)),
    ],
  };
}

const WITHOUT_DECISION: Readonly<Record<ComplaintPreview['answers'][number]['is'], string>> = {
  decided: '',
  set_aside: 'the work is set aside: its record is given up, and it is done anew where control comes to it.',
  undone_before: 'the work is undone already: what it has left in the world is undone, too.',
};

/** A part of a preview; none where nothing is under it. */
export function section(text: string, under: readonly string[]): Outline[] {
  return under.length === 0 ? [] : [{ text, under: under.map((each) => ({ text: each })) }];
}

function instanceText(instance: Omit<InstanceId, 'ordinal'> & { readonly ordinal?: number }): string {
  const { skeleton, entity, ordinal } = instance;
  return quoted(ordinal === undefined ? `${skeleton}::${entity}` : instanceName({ skeleton, entity, ordinal }));
}

function named(instance: InstanceId): { readonly instance: string } {
  return { instance: instanceName(instance) };
}

function typeOf(event: unknown): string {
  return String((event as { readonly type?: unknown } | null)?.type);
}
