/** Prints what a person on call reads of eleven runs that stand still: `npm run prove oncall-texts`. */
import { CAUSES, Standing } from './causes.ts';

for (const cause of CAUSES) {
  const standing = new Standing(cause);
  try {
    console.log(`##### ${cause.name}\n\n${await standing.made()}`);
  } finally {
    standing.desk.clear();
  }
}
process.exit(0);
