/** Judges a run by its world and its final context alone. */
import { isDeepStrictEqual } from 'node:util';
import type { Acting } from './acting.ts';
import { type Needed, valueAt } from './building.ts';
import type { Driver } from './driver.ts';

/** What is wrong with a world at any moment, in words. */
export function wrongInWorld({ world }: Driver): string[] {
  return [...world.twice];
}

/** What is wrong with a run that is done, in words. */
export function wrongInTheEnd(driver: Driver, acting: Acting): string[] {
  const { world, context, lab } = driver;
  const needs = lab.needs(context);
  const standing = world.acts.filter(({ stands }) => stands);
  const left = standing.filter(({ site }) => !needs.some((need) => need.site === site));
  const banned = acting.banned.filter(({ site, value }) => valueAt(context, lab.sites[site] as string) === value);
  return [
    ...needs.flatMap((need) => wrongWith(need, driver, acting.takenBack)),
    ...left.map(({ site }) => `${site} is left over`),
    ...banned.map(({ site, value }) => `${site}: ${String(value)} was found wrong, and is still there`),
    ...unanswered(driver),
  ];
}

function wrongWith({ site, args }: Needed, { world, context, lab }: Driver, takenBack: ReadonlySet<string>): string[] {
  const acts = world.acts.filter((act) => act.stands && act.site === site);
  const [act] = acts;
  // What a person took back after the work was done is not lost: nobody asked for it to be done again.
  if (act === undefined) return takenBack.has(site) ? [] : [`${site} is lost`];
  const told = acts.length > 1 ? [`${site} stands ${acts.length} times`] : [];
  if (!isDeepStrictEqual(act.args, args))
    told.push(`${site} was done with ${JSON.stringify(act.args)}, and ${JSON.stringify(args)} is right`);
  const path = lab.sites[site];
  if (path !== undefined && valueAt(context, path) !== act.answer)
    told.push(`${site} answered ${act.answer}, and the context has ${String(valueAt(context, path))}`);
  return told;
}

/** The sites of which the context has no answer: all have one but for a payment that a person has denied. */
function unanswered({ context, lab }: Driver): string[] {
  const missing = Object.entries(lab.sites).filter(([, path]) => valueAt(context, path) === undefined);
  return missing.flatMap(([site]) =>
    site === 'pay it' && context.declined === true ? [] : [`${site} has left no answer`],
  );
}
