/** The report for a CI server: a suite for each domain, a test for each run, and one for the audit as a whole. */
import junit, { type Builder } from 'junit-report-builder';
import type { Report } from './report.ts';

/** The package is its builder; its types say that the builder lies one deeper. */
const builder = junit as unknown as Builder;

/** Lays a report out as JUnit XML. */
export function junitOf({ summary, cases }: Report): string {
  const xml = builder.newBuilder();
  for (const domain of new Set(cases.map((each) => each.domain))) {
    const suite = xml.testSuite().name(domain);
    for (const { name, probes, rows } of cases.filter((each) => each.domain === domain)) {
      for (const { strategy, seed, mismatches, unsafeAdmission, latency } of rows) {
        const test = suite.testCase().className(`${domain}.${name}`).name(`${strategy}, seed ${seed}`);
        if (latency !== null) test.time(latency / 1_000);
        test.standardOutput(probes);
        if (unsafeAdmission) test.failure('an unsafe admission', 'unsafe');
        for (const text of mismatches) test.failure(text, 'not as frozen');
      }
    }
  }
  const whole = xml.testSuite().name('audit').testCase().name('everything is as it has to be');
  for (const text of summary.wrong) whole.failure(text);
  return xml.build();
}
