/** A path that was run without faults: what can go wrong is drawn from it. */
import type { Course } from '../trial/course.ts';
import type { NamedPath } from '../trial/subject.ts';

/** The facts of such a path. */
export interface Reference {
  readonly path: NamedPath;
  readonly course: Course;
}
