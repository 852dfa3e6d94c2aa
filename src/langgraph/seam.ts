/**
 * The declared seam of the audit, for graphs: a run whose judges are not all there. `#graph-seam` (`imports` in package.json) is open to this
 * package alone.
 */

export { attachGraphJudged } from './graph.ts';
