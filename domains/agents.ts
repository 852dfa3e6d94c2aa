/** The agents of this repository, for the command: `belay run`, `belay check` and `belay review` find them here. */
import { scheduleForm } from './schedule-form/agent.ts';
import { scripted } from './schedule-form/planner.ts';

export const agents = { scheduleForm: scheduleForm(scripted) };
