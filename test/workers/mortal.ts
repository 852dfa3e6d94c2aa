/** A store of a worker that dies. */
import type { LocalStore } from '../../src/journal/journal.ts';
import { MortalStore } from '../../src/rehearsal/trial/mortal-store.ts';

/** A store whose process dies after so many appends, and takes no run from then on. */
export async function mortal(rows: LocalStore, dies: number) {
  const life = { isDead: false };
  const store = new MortalStore(rows, dies, {
    death: () => {
      life.isDead = true;
    },
    row: () => {},
  });
  const open = await store.next();
  const none = async () => [];
  const work = new Proxy(rows.work, {
    get: (of, name) => {
      const method = Reflect.get(of, name);
      if (typeof method !== 'function') return method;
      return life.isDead && name === 'ready' ? none : method.bind(of);
    },
  });
  const own = new Proxy(open, { get: (of, name) => (name === 'work' ? work : Reflect.get(of, name)) });
  return { store: own, life, next: () => store.next() };
}
