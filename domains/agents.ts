/** The agents of this repository, for the command: `belay run`, `belay check` and `belay review` find them here. */
import { diagnosis } from './diagnosis/agent.ts';
import { scripted as diagnosing } from './diagnosis/planner.ts';
import { etlPipeline } from './etl-pipeline/agent.ts';
import { navigation } from './navigation/agent.ts';
import { scripted as navigating } from './navigation/planner.ts';
import { chosen } from './planner/chosen.ts';
import { scheduleForm } from './schedule-form/agent.ts';
import { scripted as scheduling } from './schedule-form/planner.ts';
import { travelPlanning } from './travel-planning/agent.ts';

export const agents = {
  navigation: navigation(chosen(navigating, process.env)),
  scheduleForm: scheduleForm(chosen(scheduling, process.env)),
  diagnosis: diagnosis(chosen(diagnosing, process.env)),
  etlPipeline,
  travelPlanning,
};
