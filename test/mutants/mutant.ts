/** What a mutant is: one rule of control (semantics.md §10, C1-C13) of throws (TH1-TH8) of changes of the past (PA), of threads (RC) or of code and config (CO), switched off by one replacement, and the check that has to notice it. */

/** The rules, each of which needs a mutant. */
export const RULES = [
  'C1',
  'C1a',
  'C1b',
  'C2',
  'C3',
  'C4',
  'C5',
  'C5a',
  'C6',
  'C7',
  'C8',
  'C9',
  'C10',
  'C11',
  'C12',
  'C13',
  'TH1',
  'TH2',
  'TH3',
  'TH4',
  'TH5',
  'TH6',
  'TH7',
  'TH8',
  'PA1',
  'PA5',
  'PA6',
  'PA10',
  'PA11',
  'PA12',
  'PA13',
  'PA14',
  'AB1',
  'AB2',
  'AB3',
  'AB4',
  'AB7',
  'AB8',
  'CO1',
  'CO2',
  'CO3',
  'CO5',
  'CO4',
  'CO6',
  'CO7',
  'CO8',
  'CO9',
  'CO10',
  'CO11',
  'ST2',
  'ST3',
  'ST4',
  'ST7',
  'ST8',
  'ST9',
  'ST10',
  ...(['FK1', 'FK2', 'FK3', 'FK4', 'FK5', 'FK6', 'FK7', 'FK8', 'FK9', 'FK10', 'FK11'] as const),
  ...(['ER1', 'ER2', 'ER3', 'ER4', 'ER5', 'ER6', 'ER7', 'ER8', 'ER9', 'ER10', 'ER11', 'ER12', 'ER13'] as const),
  ...(['SB1', 'SB2', 'SB3', 'SB4', 'SB5', 'SB6', 'SB7'] as const),
  'EX1',
  'EX2',
  'EX3',
  'WH1',
  'WH2',
  'WH3',
  'RC1',
  'RC2',
  'RC3',
  'RC4',
  'RC5',
  'RC6',
  'RC7',
  'RC8',
  'RC9',
  'RC10',
  'RC11',
  'RC12',
  'RC13',
  'RV1',
  'RV2',
  'RV3',
  'RV4',
  'RV5',
  'RV6',
  'LP1',
  'LP2',
  'LP3',
  ...(['CS1', 'CS2', 'CS3', 'CS4'] as const),
  ...(['SP1', 'SP2', 'SP3', 'SP4'] as const),
  ...(['OB1', 'OB2', 'OB3', 'OB4', 'OB5', 'OB6', 'OB7'] as const),
  ...(['PE1', 'PE2', 'PE3', 'PE4', 'PE5', 'PE6', 'PE7'] as const),
  ...(['MD1', 'MD2', 'MD3', 'MD4', 'MD5', 'MD6', 'MD7'] as const),
  ...(['JU1', 'JU2', 'JU3', 'JU4', 'JU5', 'JU6'] as const),
  'E3',
  ...(['AL1', 'AL2', 'AL3', 'AL4', 'AL5', 'AL6', 'AL7', 'AL8', 'AL9', 'AL10', 'AL11', 'AL12', 'AL13', 'AL14'] as const),
] as const;

type Rule = (typeof RULES)[number];

/** The check that kills a mutant: cases of the enumeration, runs of the simulation, or tests. */
export type Check =
  | {
      readonly run: 'cases';
      readonly family: string;
      readonly ids: readonly string[];
      /** Present where a park is red, too: the cases have to end as if nothing had failed. */
      readonly ends?: 'same';
    }
  | { readonly run: 'simulation'; readonly runs: number; readonly from: number; readonly seed: number }
  | { readonly run: 'tests'; readonly file: string; readonly name?: string };

export interface Mutant {
  readonly rule: Rule;
  /** Below src/. */
  readonly file: string;
  /** What is switched off, for the report. */
  readonly off: string;
  /** A piece of text that the file has exactly once, and nothing else in src. */
  readonly find: string;
  readonly replace: string;
  readonly by: Check;
}
