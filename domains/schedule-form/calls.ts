/** The tools: what each is called with, and what it answers. Until there is a world for them, they refuse. */
import { unconnected } from '../opening.ts';
import type { Collected, Item, Receipt, Request, Review, Submission, Wish } from './schedule.ts';

/** Each tool, by its name. */
export interface ToolTypes {
  collect_request: { input: { asked: Request }; output: Collected | null };
  plan_slots: { input: { asked: Request; request: Collected }; output: readonly Item[] };
  query_calendar: { input: { slot: string; person: string }; output: readonly string[] };
  choose_slot: { input: Choice; output: string | null };
  refine_slot: { input: Refinement; output: string };
  review_schedule: { input: { asked: Request; values: Record<string, string> }; output: Review };
  check_room: { input: { seats: number; values: Record<string, string> }; output: string };
  submit_schedule: { input: Invitation; output: Submission };
  file_receipt: { input: Filing; output: Receipt };
}

/** The input for holding a time for a slot. */
export interface Choice {
  readonly slot: string;
  readonly title: string;
  readonly meeting: string;
  readonly free: Readonly<Record<string, readonly string[]>>;
  /** The slot before it on the agenda, or `none`, and when that takes place: this one comes after it. */
  readonly previous: string;
  readonly after: string | null;
}

/** The input for settling the time of a slot. */
export interface Refinement {
  readonly slot: string;
  readonly meeting: string;
  readonly value: string;
  readonly wish: Wish | null;
}

/** The invitation to all participants. */
export interface Invitation {
  readonly meeting: string;
  readonly title: string;
  readonly to: readonly string[];
  readonly room: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The record that is filed. */
export interface Filing {
  readonly meeting: string;
  readonly room: string;
  readonly messageId: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The tools of a machine that has no world. */
export const actors = {
  collect_request: unconnected<ToolTypes['collect_request']>(),
  plan_slots: unconnected<ToolTypes['plan_slots']>(),
  query_calendar: unconnected<ToolTypes['query_calendar']>(),
  choose_slot: unconnected<ToolTypes['choose_slot']>(),
  refine_slot: unconnected<ToolTypes['refine_slot']>(),
  review_schedule: unconnected<ToolTypes['review_schedule']>(),
  check_room: unconnected<ToolTypes['check_room']>(),
  submit_schedule: unconnected<ToolTypes['submit_schedule']>(),
  file_receipt: unconnected<ToolTypes['file_receipt']>(),
};
