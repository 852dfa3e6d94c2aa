/** What both halves of the codec agree on. */

/** The only key of an object that stands for something else. */
export const TAG = '$';

/** How many containers may enclose a value. Both ways: what is read may be hostile, and is walked recursively. */
export const CODEC_DEPTH = 256;
