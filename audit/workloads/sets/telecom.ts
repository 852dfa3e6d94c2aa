/**
 * Phone repair (tau2-bench, telecom): a customer's phone has several faults at once, and each is repaired by an act of
 * the phone's owner or by a change of the account. Units are faults. The world makes each write from its recorded
 * images.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ReconcileResult } from 'belay-sidecar';
import { z } from 'zod';
import { there } from '../../../domains/there.ts';
import { type Called, planned, type Step } from '../agent.ts';
import { beside } from '../root.ts';
import { contentOf, DataError, type DataSet, Refused, Rows, records, type Task, type World } from '../set.ts';

const Repair = z.object({
  id: z.string(),
  faults: z.array(z.string()),
  init_actions: z.array(z.object({ arguments: z.object({ phone_number: z.string().optional() }) })),
  gold_actions: z.array(z.object({ name: z.string(), effect: z.string(), arguments: Rows })),
  init_delta: Rows,
  final_delta: Rows,
});
type Repair = z.infer<typeof Repair>;

/** A write as it was recorded: the world before and after it, and after a repeat. */
const Image = z.object({
  id: z.string(),
  i: z.number(),
  pre: Rows,
  post: Rows,
  repeat: z.object({ class: z.string(), error: z.string().optional(), post: Rows.optional() }),
});
type Image = z.infer<typeof Image>;

/**
 * The tools of the data that show each write: the owner looks at the phone, the operator at the account. Nothing shows
 * a reboot.
 */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  check_network_status: ['toggle_airplane_mode', 'toggle_data', 'toggle_roaming'],
  check_network_mode_preference: ['set_network_mode_preference'],
  check_data_restriction_status: ['toggle_data_saver_mode'],
  check_wifi_status: ['toggle_wifi'],
  check_wifi_calling_status: ['toggle_wifi_calling'],
  check_vpn_status: ['connect_vpn', 'disconnect_vpn'],
  check_sim_status: ['reseat_sim_card'],
  check_apn_settings: ['set_apn_settings', 'reset_apn_settings'],
  check_app_permissions: ['grant_app_permission'],
  check_payment_request: ['make_payment'],
  get_data_usage: ['refuel_data'],
  get_details_by_id: ['enable_roaming', 'disable_roaming', 'suspend_line', 'resume_line'],
  get_bills_for_customer: ['send_payment_request'],
};
const isShown = (action: string) => Object.values(SHOWN).some((actions) => actions.includes(action));
const asks: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(SHOWN).flatMap(([by, names]) => names.map((name) => [name, `${by} shows it`]))),
  reboot_device: 'nobody: a phone does not show when it was started. Started twice, it is started',
};

const ACTIONS = [...Object.keys(asks), 'transfer_to_human_agents'];

/** The common ground of a fault and the actions that repair it. Any other action is a unit of its own. */
const MENDS: readonly RegExp[] = [
  ...[/airplane/, /network_(preference|mode)/, /data_mode|toggle_data$/, /data_usage|refuel/, /data_saver/, /roaming/],
  ...[/vpn/, /seat_sim/, /wifi_calling/, /permission/, /apn|reboot/, /suspension|payment|resume_line|reboot/],
];

function planOf({ faults, init_actions, gold_actions }: Repair, images: ReadonlyMap<number, Image>): Step[] {
  const phone = init_actions.find((each) => each.arguments.phone_number)?.arguments.phone_number ?? 'unknown';
  const units: string[] = [];
  for (const [index, { name, effect }] of gold_actions.entries()) {
    if (!ACTIONS.includes(name)) throw new DataError(`nobody here knows the action ${name}`);
    if (effect === 'write' && !images.has(index))
      throw new DataError(`no effect is recorded of action ${index}, ${name}`);
    const mended = faults.filter((fault) => MENDS.some((what) => what.test(fault) && what.test(name)));
    units.push(mended.find((fault) => fault === units.at(-1)) ?? mended[0] ?? name);
  }
  return gold_actions.map(({ name, arguments: args }, index) => {
    return { kind: 'fault', unit: there(units[index], 'unit'), tool: name, with: { phone, ...args } };
  });
}

/** The phone and the account: recorded rows, and how often each write was made. */
function open(rows: Record<string, unknown>, repair: Repair, images: ReadonlyMap<number, Image>): World {
  Object.assign(rows, ...[...images.values()].reverse().map(({ pre }) => pre), repair.init_delta);
  const times = new Map<number, number>();
  const act = ({ step }: Called) => {
    const image = images.get(step);
    if (image === undefined) return null;
    const { pre, post, repeat } = image;
    const nth = (times.get(step) ?? 0) + 1;
    if (nth > 1 && repeat.class === 'guarded_error') throw new Refused(repeat.error);
    times.set(step, nth);
    const again = Object.entries(repeat.post ?? {}).map(([row, value]) => repeated(row, value, nth, pre, post));
    Object.assign(rows, ...(nth === 1 ? [post] : again));
    return 'ok';
  };
  const shows = ({ step }: Called): ReconcileResult => {
    const { pre = {}, post = {} } = images.get(step) ?? {};
    const changed = Object.keys(post).filter((row) => !isDeepStrictEqual(pre[row], post[row]));
    // What the network makes of it, other things change as well.
    const telling = changed.filter((row) => !/\/network_(connection|signal|technology)/.test(row));
    const are = (image: Rows) => telling.length > 0 && telling.every((row) => isDeepStrictEqual(rows[row], image[row]));
    if (are(post)) return { is: 'applied', output: 'ok' };
    return are(pre) ? { is: 'not_applied' } : { is: 'unknown' };
  };
  const change = (name: string) => ({
    unit: ({ unit }: Called) => unit,
    ...(isShown(name) && { shows }),
  });
  const look = { act: () => ({ ...rows }) };
  return {
    tools: {
      ...Object.fromEntries(Object.keys(asks).map((name) => [name, { act, change: change(name) }])),
      ...{ transfer_to_human_agents: look, look, verify: look },
    },
    rows: () => rows,
  };
}

/** A row after the nth time: a switch goes back and forth, what is bought or billed adds up. */
function repeated(row: string, value: unknown, nth: number, pre: Rows, post: Rows): Rows {
  if (isDeepStrictEqual(pre[row], value)) return { [row]: nth % 2 === 1 ? post[row] : value };
  const once = post[row];
  if (typeof once === 'number' && typeof value === 'number') return { [row]: once + (nth - 1) * (value - once) };
  return { [row.replace('/1/', `/${nth - 1}/`)]: value };
}

export const telecom: DataSet = {
  name: 'telecom',
  about: 'phone repair for a customer: faults of a phone and an account, mended one after the other',
  config: beside('sets/telecom.yaml'),
  machine: planned('phone-repair', { fault: ACTIONS }),
  snapshots: ['fault.LOOKING'],
  meets: true,
  asks,
  files: {
    tasks: records(['id', 'faults', 'init_actions', 'gold_actions', 'init_delta', 'final_delta']),
    effects: records(['id', 'i', 'name', 'pre', 'post', 'repeat']),
  },
  tasks: ({ tasks = [], effects = [] }) => {
    const images = effects.flatMap((each) => contentOf(z.array(Image), each));
    const repairs = tasks.flatMap((each) => contentOf(z.array(Repair), each));
    return repairs.map((repair): Task => {
      const own = new Map(images.filter(({ id }) => id === repair.id).map((image) => [image.i, image] as const));
      return {
        id: repair.id,
        input: () => ({ plan: planOf(repair, own) }),
        open: (rows = {}) => open(rows, repair, own),
        expected: repair.final_delta,
      };
    });
  },
};
