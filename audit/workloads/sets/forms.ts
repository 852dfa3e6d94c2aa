/**
 * Forms of services (schema-guided dialogues): an agent asks a user for the slots of a form, one after the other, and submits it to a
 * service that may refuse it, whereupon the user changes slots. Units are forms. What is wanted, refused and changed is the dialogue's.
 */
import { isDeepStrictEqual } from 'node:util';
import { escapeSegment, NotApplied, type ReconcileResult } from 'belay-sidecar';
import { assign } from 'xstate';
import { z } from 'zod';
import { there } from '../../../domains/there.ts';
import { generated } from '../generated.ts';
import { beside } from '../root.ts';
import { contentOf, type DataSet, Rows, records, type Task, type UnitOfWork, type World } from '../set.ts';

const [text, some] = [z.string(), Rows.optional()];
/** An utterance: slots that are set or confirmed, or a call and its result. */
const Said = z.object({ svc: text, set: some, slots: some, params: some, call: z.never().optional() });
const called = { call: text, effect: text, params: Rows, outcome: text, result: some, first_result: some };
const Call = Said.extend(called);
type Call = z.infer<typeof Call>;
const Intent = z.object({ transactional: z.boolean(), required: z.array(text), optional: Rows });
const Schema = z.record(text, z.object({ intents: z.record(text, Intent) }));
const Data = z.object({ schema: Schema, dialogues: z.array(z.object({ id: text, events: z.array(Call.or(Said)) })) });

/** A form, its slots in the order in which they were first filled; or a search (`read`), of which only the answer matters. */
type Form = { form: string; service: string; intent: string; effect: string; slots: string[] };
/** A form in the world. All its calls but the last are refused; where that is, too, the user gives it up. */
type Held = Form & { calls: Call[]; refusals: number; made: Call[] };
type Asked = Form & { slot: string; values: Rows };

const isRefused = (call: Call | undefined) => call?.outcome === 'NOTIFY_FAILURE';
/** The first slot in which values differ; a slot that is left open is null. */
const differing = (slots: readonly string[], values: Rows, others: Rows) =>
  slots.find((slot) => !isDeepStrictEqual(values[slot] ?? null, others[slot] ?? null));
const are = (values: Rows) => (call: Call) => differing(Object.keys(values), call.params, values) === undefined;
/** True if a service shows what was made there: it is all of one kind, and an intent that takes no slots lists it. */
const isShown = (intents: readonly z.infer<typeof Intent>[]) =>
  intents.filter(({ transactional }) => transactional).length === 1 &&
  intents.some((each) => !each.transactional && each.required.length + Object.keys(each.optional).length === 0);

function formsOf(events: readonly (Call | z.infer<typeof Said>)[]): Held[] {
  const forms: Held[] = [];
  for (const call of events.filter((said) => said.call !== undefined)) {
    const { svc: service, call: intent, effect } = call;
    const own = forms.filter((each) => each.service === service && each.intent === intent);
    const form = `${service}.${intent}#${own.length}`;
    const last = own.at(-1)?.calls;
    if (isRefused(last?.at(-1))) last?.push(call);
    else forms.push({ form, service, intent, effect, slots: [], calls: [call], refusals: 0, made: [] });
  }
  for (const { service, slots, calls } of forms) {
    const said = events.flatMap((each) => (each.svc === service ? [each.set, each.slots, each.params] : []));
    slots.push(...Object.keys(Object.assign({}, ...said)).filter((slot) => calls.some((call) => slot in call.params)));
  }
  return forms;
}

/** The user, and the services. One that offers another value for a slot refuses that slot; else it is what the user then changes. */
function open(forms: readonly Held[], schema: z.infer<typeof Schema>): World {
  const of = ({ form }: Asked) => there(forms.filter((each) => each.form === form)[0], 'form');
  const wanted = ({ calls, refusals }: Held) => calls[refusals] ?? there(calls.at(-1), 'call');
  const submit = (args: Asked) => {
    const form = of(args);
    const call = there(form.calls.findLast(are(args.values)), 'call');
    if (!isRefused(call)) return form.made.push(call);
    form.refusals = Math.max(form.refusals, form.calls.indexOf(call) + 1);
    throw new NotApplied(`${form.service} refuses`);
  };
  const shows = ({ service, intent, values }: Asked): ReconcileResult => {
    const alike = forms.filter((it) => it.service === service && it.intent === intent && it.calls.some(are(values)));
    if (!isShown(Object.values(schema[service]?.intents ?? {})) || alike.length > 1) return { is: 'unknown' };
    return alike.some(({ made }) => made.some(are(values))) ? { is: 'applied', output: 1 } : { is: 'not_applied' };
  };
  return {
    tools: {
      look_up: { act: (args: Asked) => of(args).calls.at(-1)?.first_result ?? null },
      ask_user: { act: (args: Asked) => wanted(of(args)).params[args.slot] ?? null },
      confirm: { act: (args: Asked) => are(args.values)(wanted(of(args))) },
      submit: { act: submit, change: { unit: ({ form }: Asked) => form, shows } },
      ...{ revise: { act: () => null }, correct: { act: () => null } },
    },
    rows: () => Object.fromEntries(forms.flatMap(({ form, made }) => made.map((it, n) => [`${form}/${n}`, it.params]))),
    wrong: (tool, args: Asked) => {
      const [{ form, slots, calls, refusals }, { values }] = [of(args), args];
      const [then, now] = [calls[refusals - 1], calls[refusals]];
      if (!['revise', 'correct'].includes(tool) || then === undefined || now === undefined) return null;
      const refused = tool === 'revise' ? differing(slots, values, { ...values, ...then.result }) : undefined;
      const key = `forms/${escapeSegment(form)}/${escapeSegment(refused ?? differing(slots, values, now.params) ?? '')}`;
      const before = { tool: 'ask_user', args: { form, slot: differing(slots, then.params, now.params) } };
      return { instance: { skeleton: 'FillForm', entity: form }, key, before };
    },
  };
}

/** The values of filled slots, by their forms; and the results of the forms that are over: null where one was given up. */
type Memory = { plan: readonly Form[]; forms: Record<string, Rows>; answers: readonly unknown[] };
type Heard = { context: Memory; event: { type: string; output?: unknown; error?: unknown } };

const due = ({ plan, answers }: Memory) => there(plan[answers.length], 'form');
const is = (effect: string) => (memory: Memory) => memory.plan[memory.answers.length]?.effect === effect;
const filled = (memory: Memory) => ({ ...due(memory), values: there(memory.forms[due(memory).form], 'form') });
const unfilled = (memory: Memory) => due(memory).slots.find((slot) => !(slot in filled(memory).values));
const asked = (memory: Memory) => ({ form: due(memory).form, slot: unfilled(memory) });
const when = (by: (of: Memory) => unknown, target: string) => ({ guard: ({ context }: Heard) => by(context), target });
const call = (src: string, args: (memory: Memory) => object, onDone: object, more = {}) => ({
  invoke: { src, input: ({ context }: Heard) => args(context), onDone, ...more },
});
const fill = assign(({ context, event }: Heard) => {
  const { form, values } = filled(context);
  return { forms: { ...context.forms, [form]: { ...values, [there(unfilled(context), 'slot')]: event.output } } };
});
const answer = assign({ answers: ({ context, event }: Heard) => [...context.answers, event.output] });
const over = { target: 'NEXT', actions: answer };
const confirmed = [{ guard: ({ event }: Heard) => event.output, target: 'SUBMITTING' }, { target: 'CORRECTING' }];
const refused = { guard: ({ event }: Heard) => event.error instanceof NotApplied, target: 'REVISING' };
const machine = generated([], {
  id: 'service-forms',
  context: ({ input }: { input: Memory }) => input,
  initial: 'NEXT',
  states: {
    NEXT: { always: [when(is('read'), 'SEARCHING'), when(is('write'), 'OPENING'), { target: 'DONE' }] },
    SEARCHING: call('look_up', due, over),
    OPENING: { always: 'FILLED' },
    ASKING: call('ask_user', asked, { target: 'FILLED', actions: fill }),
    FILLED: { always: [when(unfilled, 'ASKING'), { target: 'CONFIRMING' }] },
    CONFIRMING: call('confirm', filled, confirmed),
    SUBMITTING: call('submit', filled, over, { onError: refused }),
    REVISING: call('revise', filled, over),
    CORRECTING: call('correct', filled, over),
    DONE: { type: 'final' },
  },
});

/** The texts that were said or answered in a form: what is said again in a later one is taken over from it. */
const textsOf = ({ calls }: Held) =>
  calls.flatMap(({ params, result }) => Object.values({ ...params, ...result }).filter((it) => typeof it === 'string'));

/** Forms as units of work: each is filled and submitted at once, as the user wanted it in the end. */
function unitsOf(held: readonly Held[]): UnitOfWork[] {
  return held.map(({ form, service, intent, effect, calls }, index) => {
    const { params: values } = there(calls.at(-1), 'call');
    const taken = (earlier: Held) => textsOf(earlier).some((text) => Object.values(values).includes(text));
    const uses = held.slice(0, index).filter(taken);
    const made = { tool: effect === 'read' ? 'look_up' : 'submit', args: { form, service, intent, values } };
    return { unit: form, uses: uses.map((each) => each.form), calls: isRefused(calls.at(-1)) ? [] : [made] };
  });
}

function tasksOf({ schema, dialogues }: z.infer<typeof Data>): Task[] {
  return dialogues.map(({ id, events }) => {
    const held = formsOf(events);
    const made = held.filter(({ effect, calls }) => effect === 'write' && !isRefused(calls.at(-1)));
    const expected = Object.fromEntries(made.map(({ form, calls }) => [`${form}/0`, calls.at(-1)?.params]));
    const plan = held.map(({ form, service, intent, effect, slots }) => ({ form, service, intent, effect, slots }));
    const input: Memory = { plan, forms: Object.fromEntries(plan.map(({ form }) => [form, {}])), answers: [] };
    return { id, input: () => input, open: () => open(formsOf(events), schema), expected, units: () => unitsOf(held) };
  });
}

const dialogues = records(['id', 'events']);
export const forms: DataSet = {
  name: 'forms',
  about: 'forms of services: a user fills them, services refuse some, and the user changes them',
  config: beside('sets/forms.yaml'),
  machine,
  snapshots: ['OPENING'],
  asks: { submit: 'a service that makes one kind of thing, where an intent without slots lists it; no other' },
  files: { forms: { type: 'object', required: ['schema', 'dialogues'], properties: { dialogues } } },
  tasks: ({ forms: files = [] }) => files.flatMap((each) => tasksOf(contentOf(Data, each))),
};
