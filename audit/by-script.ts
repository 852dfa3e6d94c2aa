/** A frozen case follows its script, whatever planner the environment asks for: imported before the agents are. */
delete process.env.PLANNER;
