/** The shapes of the lines of a trace (docs/trace-format.md). */
import type { Ajv, ValidateFunction } from 'ajv';
import { BOUNDARY_KINDS, type BoundaryKind } from '../model/checkpoint.ts';
import { EFFECT_CLASSES, EFFECT_STATUSES, type EffectClass, type EffectStatus } from '../model/effect.ts';

/** An instance as a line names it. */
export type InstanceColumns = [skeleton: string, entity: string, ordinal: number];

/** The form of a line once its shape is checked. */
export type Written =
  | { do: 'trace'; id: string }
  | { do: 'enter'; in: InstanceColumns; by?: InstanceColumns; region?: string }
  | { do: 'actor'; number: number; parent: number; at: string }
  | {
      do: 'control';
      step: number;
      in?: InstanceColumns;
      region?: string;
      read?: number;
      wrote?: number;
      with?: number[];
      spawns?: boolean;
    }
  | { do: 'closed'; in: InstanceColumns; certified: boolean; within?: InstanceColumns }
  | { do: 'aside'; in: InstanceColumns; effects?: WrittenEffect[] }
  | {
      do: 'unavailable';
      in: InstanceColumns;
      checkpoint: number;
      code: 'checkpoint_stale' | 'effect_gone' | 'never_still' | 'recovery_budget_spent' | 'replay_escapes_instance';
      call?: string;
      changed?: 'config' | 'machine';
      of?: 'boundary' | 'run';
      spent?: number;
      instance?: InstanceColumns;
      step?: number;
    }
  | { do: 'suspect'; in: InstanceColumns }
  | { do: 'read'; in: InstanceColumns; key: string }
  | { do: 'write'; in: InstanceColumns; key: string; blind?: boolean; append?: boolean }
  | { do: 'boundary'; in: InstanceColumns; kind: BoundaryKind }
  | {
      do: 'effect';
      in: InstanceColumns;
      class: EffectClass;
      status: EffectStatus;
      undo?: boolean;
      id?: string;
      tool?: string;
    }
  | { do: 'fail'; in: InstanceColumns; key?: string };

interface WrittenEffect {
  class: EffectClass;
  status: EffectStatus;
  undo?: boolean;
  id: string;
  tool?: string;
}

type Validators = Record<Written['do'], ValidateFunction>;

/** Compiles the validators of the lines, one for each `do`. Compiling takes milliseconds: do it once. */
export function compileLines(ajv: Ajv): Validators {
  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  const ordinal = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
  const instance = {
    type: 'array',
    items: [text, text, ordinal],
    minItems: 3,
    maxItems: 3,
  };
  const line = (required: Record<string, object>, optional: Record<string, object> = {}) =>
    ajv.compile({
      type: 'object',
      properties: { do: text, ...required, ...optional },
      required: Object.keys(required),
      additionalProperties: false,
    });
  const region = { type: 'string', pattern: '^[0-9]+:' };
  const classes = { enum: EFFECT_CLASSES };
  const statuses = { enum: EFFECT_STATUSES };
  return {
    trace: line({ id: text }),
    enter: line({ in: instance }, { by: instance, region }),
    actor: line({ number: ordinal, parent: ordinal, at: text }),
    control: line(
      { step: ordinal },
      { in: instance, region, read: ordinal, wrote: ordinal, with: { type: 'array', items: ordinal }, spawns: flag },
    ),
    closed: line({ in: instance, certified: flag }, { within: instance }),
    aside: line(
      { in: instance },
      {
        effects: {
          type: 'array',
          items: {
            type: 'object',
            properties: { class: classes, status: statuses, undo: flag, id: text, tool: text },
            required: ['class', 'status', 'id'],
            additionalProperties: false,
          },
        },
      },
    ),
    unavailable: line(
      {
        in: instance,
        checkpoint: ordinal,
        code: {
          enum: ['checkpoint_stale', 'effect_gone', 'never_still', 'recovery_budget_spent', 'replay_escapes_instance'],
        },
      },
      {
        call: text,
        changed: { enum: ['config', 'machine'] },
        of: { enum: ['boundary', 'run'] },
        spent: ordinal,
        instance,
        step: ordinal,
      },
    ),
    suspect: line({ in: instance }),
    read: line({ in: instance, key: text }),
    write: line({ in: instance, key: text }, { blind: flag, append: flag }),
    boundary: line({ in: instance, kind: { enum: BOUNDARY_KINDS } }),
    effect: line({ in: instance, class: classes, status: statuses }, { undo: flag, id: text, tool: text }),
    fail: line({ in: instance }, { key: text }),
  };
}
