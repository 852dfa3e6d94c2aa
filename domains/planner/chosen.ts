/** The planner that the environment asks for: the script, unless PLANNER says `live` or `recorded`. */
import { endpointFrom, live } from './live.ts';
import { type Planner, PlannerError } from './planner.ts';
import { recorded, recording } from './recorded.ts';

/**
 * Chooses. `live` asks an endpoint (PLANNER_ADDRESS and its neighbours, live.ts) and captures what it answers where
 * PLANNER_RECORDING names a file; `recorded` replays that file. @throws PlannerError where the environment does not say enough.
 */
export function chosen(script: Planner, environment: Readonly<Record<string, string | undefined>>): Planner {
  const { PLANNER = 'script', PLANNER_RECORDING: file } = environment;
  switch (PLANNER) {
    case 'script':
      return script;
    case 'live': {
      const planner = live(endpointFrom(environment));
      return file === undefined ? planner : recording(file, planner);
    }
    case 'recorded':
      if (file === undefined) throw new PlannerError('not_set', 'a recorded planner needs PLANNER_RECORDING');
      return recorded(file);
  }
  throw new PlannerError('not_set', `PLANNER is script, live or recorded, and not ${PLANNER}`);
}
