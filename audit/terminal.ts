/** The terminal of the audit's commands: a line of progress, and colours where they are wanted. */
import ora from 'ora';

/** A line of progress on standard error, where that is a terminal. */
export function progressLine(): { show(text: string): void; done(): void } {
  const spinner = ora({ discardStdin: false });
  return {
    show: (text) => {
      spinner.text = text;
      if (spinner.isEnabled) spinner.start();
    },
    done: () => void spinner.stop(),
  };
}

/** NO_COLOR says no, FORCE_COLOR yes; else a terminal has colours, and a pipe or a file has none. */
export function wantsColours(): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env;
  if (NO_COLOR !== '') return false;
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return process.stdout.isTTY === true && TERM !== 'dumb';
}
