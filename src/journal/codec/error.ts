/** The parts of an error that are written: its name, its message and its code. */
import { quoted } from '../codec-form.ts';

/** The texts of the parts of an error, or the one that is code. */
export function errorParts(value: Error): { readonly texts: readonly string[] } | { readonly accessor: string } {
  const texts: string[] = [];
  for (const key of ['name', 'message', 'code']) {
    const part = dataProperty(value, key);
    if (part === ACCESSOR) return { accessor: key };
    if (typeof part === 'string') texts.push(quoted(part));
    else if (key !== 'code') texts.push(key === 'name' ? '"Error"' : '""');
  }
  return { texts };
}

const ACCESSOR = Symbol('accessor');

/** A property of an object or of its prototypes, without running a getter, except the platform's own. */
function dataProperty(value: object, key: string): unknown {
  for (let holder: object | null = value; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, key);
    if (descriptor === undefined) continue;
    if ('value' in descriptor) return descriptor.value;
    return holder === DOMException.prototype ? descriptor.get?.call(value) : ACCESSOR;
  }
  return undefined;
}
