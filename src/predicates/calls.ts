/** The functions and methods of predicates: each applies to computed values, at a cost. */
import { Failed, isList, isTable, ownMember } from './own.ts';
import { keysOf, type Meter, NONE, nameOf, Optional, within } from './values.ts';

/** Applies a function of `lint.ts`' list, except `has`, which looks at its operand's form. */
export function callFunction(name: string, value: unknown, meter: Meter): unknown {
  switch (name) {
    case 'size':
      return sizeOf(value, meter);
    case 'int':
      if (typeof value === 'bigint') return within(value);
      if (typeof value === 'number' && Number.isFinite(value)) return within(BigInt(Math.trunc(value)));
      return new Failed(`int(...) takes a finite number, not ${nameOf(value)}`);
    case 'double':
      if (typeof value === 'bigint' || typeof value === 'number') return Number(value);
      return new Failed(`double(...) takes a number, not ${nameOf(value)}`);
    case 'string':
      if (typeof value === 'string') return value;
      if (typeof value === 'object' || value === undefined) return new Failed(`string(...) takes no ${nameOf(value)}`);
      return String(value);
    default:
      return new Failed(`there is no function ${name}`);
  }
}

/** Applies a method that takes its argument as a value. */
export function callMethod(name: string, of: unknown, argument: unknown, meter: Meter): unknown {
  if (name === 'size') return sizeOf(of, meter);
  if (name === 'sum') return sumOf(of, meter);
  if (of instanceof Optional) return askOptional(name, of);
  if (typeof of !== 'string') return new Failed(`${nameOf(of)} has no ${name}()`);
  const costly = meter.payText(of);
  if (costly !== null) return costly;
  switch (name) {
    case 'lowerAscii':
      return of.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    case 'upperAscii':
      return of.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
    case 'trim':
      return of.trim();
  }
  if (typeof argument !== 'string') return new Failed(`${name}(...) takes a text, not ${nameOf(argument)}`);
  switch (name) {
    case 'startsWith':
      return meter.payText(argument) ?? of.startsWith(argument);
    case 'endsWith':
      return meter.payText(argument) ?? of.endsWith(argument);
    case 'contains':
      return meter.pay((of.length * argument.length) / 16_384) ?? of.includes(argument);
    default:
      return new Failed(`a string has no ${name}()`);
  }
}

/** The sum of a list of numbers; 0 of an empty one. A sum of whole numbers that no number holds exactly is an error. */
function sumOf(of: unknown, meter: Meter): unknown {
  if (!isList(of)) return new Failed(`${nameOf(of)} has no sum()`);
  const costly = meter.pay(of.length);
  if (costly !== null) return costly;
  let [whole, rest, isWhole] = [0n, 0, true];
  for (let index = 0; index < of.length; index += 1) {
    const each = ownMember(of, index);
    if (each instanceof Failed) return each;
    if (typeof each === 'bigint' || Number.isSafeInteger(each)) whole += BigInt(each as number);
    else if (typeof each === 'number' && Number.isFinite(each) && !Number.isInteger(each)) {
      isWhole = false;
      rest += each;
    } else return new Failed(`sum() adds numbers, and one member is ${describe(each)}`);
  }
  if (isWhole) return within(whole);
  const sum = Number(whole) + rest;
  return Number.isFinite(sum) ? sum : new Failed('the sum is too large');
}

function describe(value: unknown): string {
  return typeof value === 'number' ? 'no exact number' : nameOf(value ?? null);
}

function askOptional(name: string, of: Optional): unknown {
  switch (name) {
    case 'hasValue':
      return of !== NONE;
    case 'value':
      return of === NONE ? new Failed('an optional value is absent') : of.held;
    default:
      return new Failed(`an optional value has no ${name}(): use orValue(...)`);
  }
}

function sizeOf(value: unknown, meter: Meter): unknown {
  if (isList(value)) return BigInt(value.length);
  if (typeof value === 'string') {
    const costly = meter.payText(value);
    if (costly !== null) return costly;
    let characters = 0;
    for (const _ of value) characters += 1;
    return BigInt(characters);
  }
  if (value instanceof Optional || !isTable(value)) return new Failed(`${nameOf(value)} has no size`);
  const keys = keysOf(value, meter);
  return keys instanceof Failed ? keys : BigInt(keys.length);
}
