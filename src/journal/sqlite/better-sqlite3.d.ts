/** The smallest part of better-sqlite3 that the journal uses; the package brings no types of its own. */
declare module 'better-sqlite3' {
  export interface Statement {
    run(...values: readonly unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
    get(...values: readonly unknown[]): unknown;
    all(...values: readonly unknown[]): unknown[];
  }

  export default class Database {
    constructor(file: string, options?: { readonly?: boolean; fileMustExist?: boolean; timeout?: number });
    readonly inTransaction: boolean;
    prepare(sql: string): Statement;
    exec(sql: string): this;
    pragma(source: string, options: { simple: true }): unknown;
    close(): this;
  }
}
