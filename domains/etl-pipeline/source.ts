/**
 * The sources: a folder into which each table is delivered as CSV files. A source may still be uploading: then the
 * answer is short, and a caller that follows the upload gets the rest, any number of times, until it confirms that all
 * has come. From then on there is no upload to follow, and all of it is in the file. Nothing here depends on a clock,
 * so that runs can be compared.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Extract, type Raw, type Request, TABLES, type Table } from './batch.ts';
import { type Delivery, deliveriesOf } from './deliveries.ts';

/** The columns behind the letters of a table. */
export type Codes = Readonly<Record<string, string>>;

const CODES: Record<Table, Codes> = {
  customers: { DE: 'Germany', FR: 'France', PT: 'Portugal' },
  orders: { P: 'placed', S: 'shipped' },
  payments: { C: 'card', T: 'transfer' },
};

/** The sources of a world. */
export class Source {
  readonly #folder: string;

  /** Opens a folder; one that is not there is filled with what the request says of the sources. */
  constructor(folder: string, { source }: Pick<Request, 'source'>) {
    this.#folder = folder;
    if (existsSync(folder)) return;
    const filling = `${folder}.part`;
    rmSync(filling, { recursive: true, force: true });
    mkdirSync(filling);
    writeFileSync(join(filling, 'codes.json'), JSON.stringify(CODES));
    for (const table of TABLES) {
      const oddities = source[table] ?? [];
      for (const [index, delivery] of deliveriesOf(table, oddities).entries())
        deliver(join(filling, `${table}-${index + 1}.csv`), delivery, oddities.includes('uploading') && index === 0);
    }
    renameSync(filling, folder);
  }

  /** The first delivery of a table past a watermark, as far as it is there; null where there is none. */
  extract(table: Table, since: number): Extract | null {
    for (let delivery = 1; existsSync(this.#file(table, delivery)); delivery += 1) {
      const extract = read(this.#file(table, delivery), delivery);
      if (extract.upTo > since) return extract;
    }
    return null;
  }

  /** Follows an upload to its end: the rows that are still to come. None where none is under way. */
  follow(table: Table): readonly Raw[] {
    const [file, whole, followed] = [this.#file(table, 1), this.#file(table, 1, '.whole'), this.#followed(table)];
    if (existsSync(whole)) {
      writeFileSync(followed, String(read(file, 1).rows.length));
      renameSync(whole, file);
    }
    return existsSync(followed) ? read(file, 1).rows.slice(Number(readFileSync(followed, 'utf8'))) : [];
  }

  /** Takes note that a delivery has come in whole, and lets go of its upload. Confirmed again, it is the same. */
  confirm(table: Table, delivery: number): void {
    writeFileSync(this.#file(table, delivery, '.received'), '');
    if (delivery === 1) rmSync(this.#followed(table), { force: true });
  }

  /** The deliveries of which it was confirmed that they have come in whole. */
  confirmed(): readonly { readonly source: Table; readonly delivery: number }[] {
    return TABLES.flatMap((source) =>
      [1, 2]
        .filter((each) => existsSync(this.#file(source, each, '.received')))
        .map((delivery) => ({ source, delivery })),
    );
  }

  /** The columns behind the letters of a table. */
  codes(table: Table): Codes {
    return JSON.parse(readFileSync(join(this.#folder, 'codes.json'), 'utf8'))[table];
  }

  /** The first table that has a delivery past its watermark; null where all have come to their end. */
  due(watermarks: Readonly<Partial<Record<Table, number>>>): Table | null {
    return TABLES.find((table) => this.#last(table) > (watermarks[table] ?? Number.POSITIVE_INFINITY)) ?? null;
  }

  /** The position of the last delivery of a table. */
  #last(table: Table): number {
    let upTo = 0;
    for (let delivery = 1; existsSync(this.#file(table, delivery)); delivery += 1)
      upTo = read(this.#file(table, delivery), delivery).upTo;
    return upTo;
  }

  /** Says from which row on an upload was followed, for as long as it can be followed again. */
  #followed(table: Table): string {
    return this.#file(table, 1, '.followed');
  }

  #file(table: Table, delivery: number, piece = ''): string {
    return join(this.#folder, `${table}-${delivery}.csv${piece}`);
  }
}

/** Writes a delivery down. One that is being uploaded is there by half, and the whole of it lies beside it. */
function deliver(file: string, { upTo, announced, columns, rows }: Delivery, uploading: boolean): void {
  const csv = (these: Delivery['rows']) =>
    `#${announced},${upTo}\n${[columns, ...these].map((row) => row.join(',')).join('\n')}\n`;
  writeFileSync(file, csv(uploading ? rows.slice(0, Math.ceil(rows.length / 2)) : rows));
  if (uploading) writeFileSync(`${file}.whole`, csv(rows));
}

function read(file: string, delivery: number): Extract {
  const [head = '', names = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const [announced = 0, upTo = 0] = head.slice(1).split(',').map(Number);
  const columns = names.split(',');
  const rows = lines.map((text): Raw => {
    const values = text.split(',');
    return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? '']));
  });
  return { delivery, upTo, announced, rows };
}
