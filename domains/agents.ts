/** The agents of this repository, for the command: `belay run`, `belay check` and `belay review` find them here. */
import { diagnosis as diagnosisWith } from './diagnosis/agent.ts';
import { scripted as diagnosisScript } from './diagnosis/planner.ts';
import { etlPipeline } from './etl-pipeline/agent.ts';
import { navigation as navigationWith } from './navigation/agent.ts';
import { scripted as navigationScript } from './navigation/planner.ts';
import { scheduleForm } from './schedule-form/agent.ts';
import { scripted } from './schedule-form/planner.ts';
import { travelPlanning } from './travel-planning/agent.ts';

export const agents = {
  etlPipeline,
  scheduleForm: scheduleForm(scripted),
  navigation: navigationWith(navigationScript),
  diagnosis: diagnosisWith(diagnosisScript),
  travelPlanning,
};
