/**
 * The five agents as their users would steer them: each hears words while it works, and waits for an approval before what cannot be
 * taken back. Their machines, tools, worlds and reviewed configs are those of the audit; what is added to them stands here.
 */
import { readFileSync } from 'node:fs';
import { type BoundaryConfig, loadConfig } from 'belay-sidecar';
import type { Agent } from 'belay-sidecar/xstate';
import { type AnyStateMachine, assign, createMachine } from 'xstate';
import { parse, stringify } from 'yaml';
import { diagnosis } from '../../domains/diagnosis/agent.ts';
import { scripted as diagnosing } from '../../domains/diagnosis/planner.ts';
import { etlPipeline } from '../../domains/etl-pipeline/agent.ts';
import { navigation } from '../../domains/navigation/agent.ts';
import { scripted as navigating } from '../../domains/navigation/planner.ts';
import { scheduleForm } from '../../domains/schedule-form/agent.ts';
import { MailServer } from '../../domains/schedule-form/mail.ts';
import { scripted as scheduling } from '../../domains/schedule-form/planner.ts';
import { fieldOf, there } from '../../domains/there.ts';
import { travelPlanning } from '../../domains/travel-planning/agent.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A word to an agent while it works. */
interface SpokenWord {
  readonly type: string;
  /** The number of answers after which it is said. */
  readonly at: number;
  readonly says: Fields;
  /** The content of its revision. */
  readonly anew: Fields;
}

/** An agent with the words that it hears. */
export interface Fixture {
  readonly name: string;
  readonly agent: Agent;
  readonly input: Fields;
  /** The revisions of its input. */
  readonly inputs: readonly Fields[];
  /** The words that are said, revised and retracted; each in runs of its own. */
  readonly words: readonly SpokenWord[];
  /** What each type of word changes in the context; null where it is too late for it. */
  readonly hears: Readonly<Record<string, (context: Fields, says: Fields) => Fields | null>>;
  /** The approval: it is waited for on the way from a state to another one, and a denial ends the run in a third. */
  readonly approval: {
    readonly from: string;
    readonly to: string;
    readonly denied: string;
    readonly reads: readonly string[];
    readonly skeleton: string;
  };
  /** The reads of tools where the reviewed config is about a request that never changes while the agent works: it leaves them out, or names all of it. */
  readonly reads: Readonly<Record<string, readonly string[]>>;
  /** The parts of the request that a skeleton reads, where the reviewed config names all of it. */
  readonly ofRequest: Readonly<Record<string, readonly string[]>>;
  /** The keys of the context that differ from run to run, as in a rehearsal. */
  readonly ignore: readonly string[];
}

/** The state in which an approval is waited for. */
export const APPROVING = 'APPROVING';

const asked = (context: Fields): Fields => Object(context['asked']);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const into = (context: Fields, more: Fields): Fields => ({ asked: { ...asked(context), ...more } });

function wishing(context: Fields, wish: Fields): Fields {
  return into(context, { wishes: [...listOf(asked(context)['wishes']), wish] });
}

/** The agenda without a hypothesis that is not followed yet; null where it is followed, or is not there. */
function dismissed(context: Fields, { cause }: Fields): Fields | null {
  const agenda = listOf(context['agenda']);
  const isAhead = agenda.indexOf(cause) > agenda.indexOf(context['current']);
  return isAhead ? { agenda: agenda.filter((each) => each !== cause) } : null;
}

/** The tables without one with which nothing was done yet. */
function skipped(context: Fields, { table }: Fields): Fields | null {
  const tables: Fields = Object(context['tables']);
  const name = String(table);
  const isFree = context['current'] !== name && Object.keys(Object(tables[name])).length === 0;
  return isFree ? { tables: { ...tables, [name]: { status: 'absent' } } } : null;
}

/** What lies within the budget is booked: then it is too late. */
const isBooked = (context: Fields) => fieldOf(context['check'], 'within') === true;

function staying(context: Fields, { city, nights }: Fields): Fields | null {
  if (isBooked(context)) return null;
  const cities = listOf(asked(context)['cities']);
  return into(context, {
    cities: cities.map((each) => (fieldOf(each, 'name') === city ? { ...Object(each), nights } : each)),
  });
}

/** What planning a city reads of a request. */
const STAY = ['asked/trip', 'asked/home', 'asked/start', 'asked/cities', 'asked/outing'];

/** Every agent, with its words. */
export const FIXTURES: readonly Fixture[] = [
  {
    name: 'schedule-form',
    agent: scheduleForm(scheduling, MailServer.here),
    input: { slots: ['Kickoff', 'Budget', 'Roadmap'] },
    inputs: [{ title: 'Retreat' }, { wishes: [{ slot: 'slot[0]', value: 'mon-10' }] }],
    words: [
      {
        type: 'WISH',
        at: 3,
        says: { slot: 'slot[1]', value: 'tue-10' },
        anew: { slot: 'slot[1]', value: 'wed-11' },
      },
    ],
    hears: { WISH: wishing },
    approval: {
      from: 'REVIEW_READY',
      to: 'CHECKING_ROOM',
      denied: 'CANCELLED',
      reads: ['slots'],
      skeleton: 'FinalizeSchedule',
    },
    reads: {
      collect_request: ['asked', 'directory:**'],
      plan_slots: ['asked', 'request'],
      review_schedule: ['asked', 'slots/*/value', 'slots/*/status', 'request'],
    },
    ofRequest: {},
    ignore: ['submission/messageId', 'receipt/messageId'],
  },
  {
    name: 'diagnosis',
    agent: diagnosis(diagnosing),
    input: {},
    inputs: [{ customers: ['north', 'east'] }],
    words: [
      { type: 'CUSTOMER', at: 3, says: { name: 'east' }, anew: { name: 'west' } },
      { type: 'DISMISS', at: 2, says: { cause: 'queue' }, anew: { cause: 'quota' } },
    ],
    hears: {
      CUSTOMER: (context, { name }) => into(context, { customers: [...listOf(asked(context)['customers']), name] }),
      DISMISS: dismissed,
    },
    approval: {
      from: 'VERIFYING',
      to: 'NOTIFYING',
      denied: 'ESCALATED',
      reads: ['verification'],
      skeleton: 'RepairService',
    },
    reads: {
      collect_symptoms: ['asked/service', 'live:**'],
      notify_customers: ['asked/service', 'asked/customers', 'repairs/**', 'verification'],
      close_incident: ['asked/service', 'repairs/**', 'notice'],
    },
    ofRequest: {},
    ignore: ['repairs/*/now', 'verification/after/*/now'],
  },
  {
    name: 'etl-pipeline',
    agent: etlPipeline,
    input: {},
    inputs: [{ tables: ['customers', 'orders'] }, { mode: 'load' }],
    words: [{ type: 'SKIP', at: 2, says: { table: 'payments' }, anew: { table: 'orders' } }],
    hears: { SKIP: skipped },
    approval: {
      from: 'CHECKING_LATE',
      to: 'BUILDING_REPORT',
      denied: 'DONE',
      reads: ['tables'],
      skeleton: 'PublishReport',
    },
    reads: {
      build_report: ['asked/batch', 'tables/*/loaded', 'warehouse:**'],
      publish_report: ['asked/batch', 'report'],
      file_batch: ['asked/batch', 'publication'],
    },
    ofRequest: {},
    ignore: ['publication/id', 'filed/publication'],
  },
  {
    name: 'navigation',
    agent: navigation(navigating),
    input: {},
    inputs: [{ wishes: [{ by: 'km' }] }, { vehicle: 'kite' }],
    words: [
      { type: 'WEIGHT', at: 3, says: { by: 'km' }, anew: { by: 'minutes' } },
      { type: 'WISH', at: 2, says: { stop: 'stop[1]', query: 'cafe' }, anew: { stop: 'stop[1]', query: 'food' } },
    ],
    hears: { WEIGHT: (_, { by }) => ({ by }), WISH: wishing },
    approval: {
      from: 'REVIEWING_ROUTE',
      to: 'QUOTING_CHARGER',
      denied: 'CANCELLED',
      reads: ['legs', 'stops'],
      skeleton: 'FinalizeRoute',
    },
    reads: {},
    ofRequest: {},
    ignore: ['found/*/turn', 'offer/turn', 'publication/message'],
  },
  {
    name: 'travel-planning',
    agent: travelPlanning,
    input: {},
    inputs: [{ budget: 300_000 }, { start: 12 }],
    words: [
      { type: 'NIGHTS', at: 2, says: { city: 'oslo', nights: 3 }, anew: { city: 'porto', nights: 2 } },
      { type: 'BUDGET', at: 3, says: { cents: 300_000 }, anew: { cents: 390_000 } },
    ],
    hears: {
      NIGHTS: staying,
      BUDGET: (context, { cents }) => (isBooked(context) ? null : into(context, { budget: cents })),
    },
    approval: {
      from: 'CHECKING_BUDGET',
      to: 'BOOKING_FLIGHTS',
      denied: 'CANCELLED',
      reads: ['check', 'cities'],
      skeleton: 'BookTrip',
    },
    reads: {
      pay_deposit: [
        'asked/trip',
        'asked/start',
        'cities/{args.place}/quote',
        'cities/{args.previous}/departs',
        'cities/{args.previous}/flight',
      ],
      hold_room: [
        'asked/cities',
        'asked/start',
        'cities/{args.place}/quote',
        'cities/{args.place}/room',
        'cities/{args.previous}/departs',
      ],
      hold_flight: [
        'asked/cities',
        'asked/start',
        'cities/{args.place}/quote',
        'cities/{args.place}/flight',
        'cities/{args.previous}/departs',
        'cities/{args.previous}/flight',
      ],
      plan_meals: ['asked/cities', 'standard', 'cities/{args.place}/departs', 'cities/{args.previous}/meals'],
      check_budget: ['asked/budget', 'cities/*/flight', 'cities/*/room', 'cities/*/meals', 'cities/*/outing'],
    },
    ofRequest: { FirstCity: STAY, SecondCity: STAY, ThirdCity: STAY, Outing: STAY },
    ignore: ['cities/*/room/*/locator', 'cities/*/flight/*/locator', 'cities/*/deposit', 'tickets', 'rooms', 'tables'],
  },
];

/** The state in which an agent works and hears: a region for each. */
const WORK = 'RUNNING.WORK';

/**
 * Makes the machine of an agent hear words, and wait for its approval. A region of its own hears them: what the work has done since
 * does not rest on the hearing, but on what it has read of the words.
 */
export function hearing(machine: AnyStateMachine, { hears, approval }: Fixture): AnyStateMachine {
  const { from, to, denied } = approval;
  const { id, context, initial, states: given } = machine.config;
  const states: Fields = Object(given);
  const on = Object.fromEntries(
    Object.entries(hears).map(([type, change]) => [
      type,
      {
        guard: ({ context, event }: { context: Fields; event: Fields }) => change(context, saidIn(event)) !== null,
        actions: assign(({ context, event }: { context: Fields; event: Fields }) => ({
          ...change(context, saidIn(event)),
        })),
      },
    ]),
  );
  const approving = {
    on: {
      APPROVE: [{ guard: ({ event }: { event: Fields }) => event['yes'] === true, target: to }, { target: denied }],
    },
  };
  const work = {
    initial,
    onDone: { target: '#over' },
    states: { ...states, [from]: retargeted(states[from], to), [APPROVING]: approving },
  };
  const running = { type: 'parallel', states: { WORK: work, WORDS: { on } } };
  const config = { id, context, initial: 'RUNNING', states: { RUNNING: running, OVER: { id: 'over', type: 'final' } } };
  return createMachine(Object(config), machine.implementations);
}

function saidIn({ type: _, ...says }: Fields): Fields {
  return says;
}

/** A state whose call leads to the wait for an approval, where it had led to another state. */
function retargeted(state: unknown, to: string): unknown {
  const invoke = fieldOf(state, 'invoke');
  const onDone = listOf(fieldOf(invoke, 'onDone')).map((edge) =>
    fieldOf(edge, 'target') === to ? { ...Object(edge), target: APPROVING } : edge,
  );
  return { ...Object(state), invoke: { ...Object(invoke), onDone } };
}

/** The page of a config, as far as it is changed here. */
interface Page {
  tools: Record<string, { reads?: string[]; writes?: string[] }>;
  skeletons: Record<string, Skeleton>;
  events?: Record<string, object>;
}

interface Skeleton {
  inputs?: string[];
  states: string[];
  entry: string[];
  commit?: { at: string }[];
  exit?: { at: string }[];
  rollback?: { resume?: string };
}

const inWork = (path: string) => `${WORK}.${path}`;
const edgeInWork = (edge: string) => edge.split(' -> ').map(inWork).join(' -> ');

/** Has a skeleton lie in the region of the work. */
function moved(skeleton: Skeleton): void {
  skeleton.states = skeleton.states.map(inWork);
  skeleton.entry = skeleton.entry.map(inWork);
  for (const boundary of [...(skeleton.commit ?? []), ...(skeleton.exit ?? [])]) boundary.at = edgeInWork(boundary.at);
  if (skeleton.rollback?.resume !== undefined) skeleton.rollback.resume = inWork(skeleton.rollback.resume);
}

/** The page of an agent's config, with what its words and its approval are. */
export function steeredPage({ agent, approval, hears, reads, ofRequest }: Fixture): Page {
  const { from, to, skeleton } = approval;
  const text = readFileSync(agent.config, 'utf8').replaceAll(`${from} -> ${to}`, `${from} -> ${APPROVING}`);
  const page: Page = parse(text);
  there(page.skeletons[skeleton], 'skeleton').states.push(APPROVING);
  for (const each of Object.values(page.skeletons)) moved(each);
  for (const [name, parts] of Object.entries(ofRequest)) {
    const given = there(page.skeletons[name], 'skeleton');
    given.inputs = (given.inputs ?? []).flatMap((key) => (key === 'asked' ? parts : [key]));
  }
  for (const [tool, declared] of Object.entries(reads)) there(page.tools[tool], 'tool').reads = [...declared];
  const words = Object.keys(hears).map((type): [string, object] => [type, { reads: [] }]);
  page.events = { APPROVE: { reads: approval.reads }, ...Object.fromEntries(words) };
  return page;
}

/** The config of an agent, from its page. */
export function steeredConfig(fixture: Fixture): BoundaryConfig {
  const { agent } = fixture;
  const page = steeredPage(fixture);
  const { config, findings } = loadConfig(stringify(page), { file: agent.config });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('; '));
  return config;
}
